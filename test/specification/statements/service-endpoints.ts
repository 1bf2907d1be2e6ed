import { acceptance, type Statement } from '../statement.ts';
import { everywhere } from './everywhere.ts';

const CARRIED_OUT =
  'The examples of the description are all carried out, and each answer has the shape that is shown';

export const SERVICE_ENDPOINTS: readonly Statement[] = [
  {
    id: 'endpoints.json-bodies',
    quote: 'All request and response bodies are JSON (`Content-Type: application/json`',
    says: 'Request and response bodies are JSON.',
    heldBy: [
      ...acceptance('examples', CARRIED_OUT),
      ...acceptance(
        'requests',
        'Requests POST /v1/upload/init refuses what is not in its form refuses what does not say that it is JSON',
        'Requests POST /v1/upload/init refuses what is not in its form refuses what is no JSON',
      ),
    ],
  },
  {
    id: 'endpoints.request-id',
    quote: 'Every response carries the header `X-Request-ID`.',
    says: 'Every response carries `X-Request-ID`.',
    heldBy: acceptance('request-id', 'X-Request-ID …'),
  },
  {
    id: 'endpoints.auth',
    quote: 'Auth column: API key = `Authorization: Bearer <API_KEY>`;',
    says: 'API key: `Authorization: Bearer <API_KEY>`.',
    heldBy: acceptance('authentication', 'Authentication GET /v1/me asks who is calling …'),
  },
  {
    id: 'endpoints.auth-jwt',
    quote: 'JWT = `Authorization: Bearer <DASHBOARD_ACCESS_TOKEN>`',
    says: 'JWT: `Authorization: Bearer <DASHBOARD_ACCESS_TOKEN>`.',
    heldBy: acceptance('authentication', 'Authentication GET /v1/providers asks who is calling …'),
  },
  {
    id: 'endpoint.health',
    quote: '| GET | `/health` |',
    says: 'Health, without credentials: version, dependencies.',
    settledBy: 'section 11',
    heldBy: [
      ...acceptance('account', 'Health says what it is and what it stands on (/health)'),
      ...everywhere('GET /health'),
    ],
  },
  {
    id: 'endpoint.me',
    quote: '| GET | `/v1/me` |',
    says: 'The account: plan, stores, usage.',
    settledBy: 'section 4',
    heldBy: [...acceptance('account', 'Who am I …'), ...everywhere('GET /v1/me')],
  },
  {
    id: 'endpoint.upload-init',
    quote: '| POST | `/v1/upload/init` |',
    says: 'Init takes four fields, and answers with four or five.',
    heldBy: [
      ...acceptance(
        'init-validation',
        'Upload init refuses each required field where it is missing, and names all of them at once',
      ),
      ...acceptance(
        'presigned-url',
        'The presigned URL of an upload comes with nothing that is not written down',
      ),
      ...everywhere('POST /v1/upload/init'),
    ],
  },
  {
    id: 'endpoint.upload-complete',
    quote: '| POST | `/v1/upload/complete` |',
    says: 'Complete takes a `fileId`.',
    settledBy: 'section 3',
    heldBy: [
      ...acceptance(
        'complete',
        'Upload complete makes the file active, and says so',
        'Upload complete refuses an id that is none',
      ),
      ...everywhere('POST /v1/upload/complete'),
    ],
  },
  {
    id: 'endpoint.file-get',
    quote:
      '| GET | `/v1/file/{fileId}` | API key | none | a download URL; name of the field carrying it: not shown |',
    says: 'Get answers with a download URL, in `downloadUrl`.',
    settledBy: 'section 3',
    heldBy: [
      ...acceptance(
        'file',
        'A file that is active has a URL for an hour, made anew for each call',
        'A file has a URL that reads and does nothing else',
      ),
      ...everywhere('GET /v1/file/{fileId}'),
    ],
  },
  {
    id: 'endpoint.file-delete',
    quote: '| DELETE | `/v1/file/{fileId}` |',
    says: 'Delete takes the object from the store.',
    settledBy: 'section 3',
    heldBy: [
      ...acceptance('delete', 'A delete takes the object from the store …'),
      ...everywhere('DELETE /v1/file/{fileId}'),
    ],
  },
  {
    id: 'endpoints.priority-optional',
    quote: 'Whether `priority` is required on init: not shown.',
    says: '`priority` is optional, and `hot` where it is left out.',
    settledBy: 'section 3',
    heldBy: acceptance('init-validation', 'Upload init takes hot where no priority is named'),
  },
  {
    id: 'endpoints.provider-values',
    quote: 'Complete list of accepted `provider` values: not shown.',
    says: 'The providers are `aws`, `r2`, `b2`, and no others.',
    settledBy: 'section 1',
    heldBy: acceptance(
      'provider-validation',
      'What is refused of a provider is a provider that there is not',
      'What is taken of a provider is every region that it has: …',
    ),
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
    heldBy: acceptance(
      'keys',
      'API keys are issued for an empty object and for no body at all',
      'API keys stop working with the answer to a regeneration, however often they are tried',
    ),
  },
];
