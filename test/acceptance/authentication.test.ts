import { endpointAuthSuite } from '../contract/endpoint-auth.ts';
import { ENDPOINTS } from './endpoints.ts';

describe('Authentication', () => {
  for (const endpoint of ENDPOINTS) endpointAuthSuite(endpoint);
});
