import type { Statement } from '../statement.ts';

export const SERVICE_ENDPOINTS: readonly Statement[] = [
  {
    id: 'endpoints.json-bodies',
    quote: 'All request and response bodies are JSON (`Content-Type: application/json`',
    says: 'Request and response bodies are JSON.',
  },
  {
    id: 'endpoints.request-id',
    quote: 'Every response carries the header `X-Request-ID`.',
    says: 'Every response carries `X-Request-ID`.',
  },
  {
    id: 'endpoints.auth',
    quote: 'Auth column: API key = `Authorization: Bearer <API_KEY>`;',
    says: 'API key: `Authorization: Bearer <API_KEY>`.',
  },
  {
    id: 'endpoints.auth-jwt',
    quote: 'JWT = `Authorization: Bearer <DASHBOARD_ACCESS_TOKEN>`',
    says: 'JWT: `Authorization: Bearer <DASHBOARD_ACCESS_TOKEN>`.',
  },
  {
    id: 'endpoint.health',
    quote: '| GET | `/health` |',
    says: 'Health, without credentials: version, dependencies.',
    settledBy: 'section 11',
  },
  {
    id: 'endpoint.me',
    quote: '| GET | `/v1/me` |',
    says: 'The account: plan, stores, usage.',
    settledBy: 'section 4',
  },
  {
    id: 'endpoint.upload-init',
    quote: '| POST | `/v1/upload/init` |',
    says: 'Init takes four fields, and answers with four or five.',
  },
  {
    id: 'endpoint.upload-complete',
    quote: '| POST | `/v1/upload/complete` |',
    says: 'Complete takes a `fileId`.',
    settledBy: 'section 3',
  },
  {
    id: 'endpoint.file-get',
    quote:
      '| GET | `/v1/file/{fileId}` | API key | none | a download URL; name of the field carrying it: not shown |',
    says: 'Get answers with a download URL, in `downloadUrl`.',
    settledBy: 'section 3',
  },
  {
    id: 'endpoint.file-delete',
    quote: '| DELETE | `/v1/file/{fileId}` |',
    says: 'Delete takes the object from the store.',
    settledBy: 'section 3',
  },
  {
    id: 'endpoints.priority-optional',
    quote: 'Whether `priority` is required on init: not shown.',
    says: '`priority` is optional, and `hot` where it is left out.',
    settledBy: 'section 3',
  },
  {
    id: 'endpoints.provider-values',
    quote: 'Complete list of accepted `provider` values: not shown.',
    says: 'The providers are `aws`, `r2`, `b2`, and no others.',
    settledBy: 'section 1',
  },
  {
    id: 'endpoints.rotate-preferred',
    quote: '`/v1/keys/rotate` is the preferred rotation endpoint;',
    says: 'Rotate is the preferred endpoint.',
    notTestable: 'a preference; what the two do is held for each of them',
  },
  {
    id: 'endpoints.regenerate-issues',
    quote: '`/v1/providers/api-key/regenerate` also issues a new key',
    says: 'Regenerate issues a new key too.',
  },
];
