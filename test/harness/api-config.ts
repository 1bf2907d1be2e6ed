import { readApiConfig } from '../../config/api.ts';

/** The key of `TEST_CONFIG`. */
export const TEST_KEY = { keyId: 'k1', key: Buffer.alloc(32) };

/** The configuration of an API that asks no server but the test's own. */
export const TEST_CONFIG = readApiConfig({
  MONGODB_URI: 'mongodb://127.0.0.1:1',
  JWT_ISSUER: 'https://issuer.example',
  JWT_AUDIENCE: 'api',
  CREDENTIAL_KEYS: `k1:${TEST_KEY.key.toString('base64')}`,
});
