import { acceptance, integration, unit, type Section } from '../statement.ts';

const LIMITED =
  'a service with low rate limits refuses a key beyond its limit with 429 and how long to wait';
const NO_STORES =
  'The order of refusals without any store says of an init that fits that no store is configured';
const ONLY_SCAN = 'a scan is the only one of its connection, also where ten are asked for at once';
const NOT_THERE =
  'Upload complete says before the PUT that the object is not there, as often as it is asked';
const PLAN_FIRST =
  'The order of refusals with stores puts the plan before a size that no store takes';

export const AUTHENTICATION: Section = {
  heading: 'Authentication',
  statements: [
    {
      id: 'auth.api-key',
      quote: '| API key | `Authorization: Bearer <API_KEY>`',
      says: 'API key: `/v1/me`, init, complete, file get and delete.',
      heldBy: acceptance(
        'authentication',
        'Authentication GET /v1/me asks who is calling …',
        'Authentication POST /v1/upload/init asks who is calling …',
        'Authentication POST /v1/upload/complete asks who is calling …',
        'Authentication GET /v1/file/{fileId} asks who is calling …',
        'Authentication DELETE /v1/file/{fileId} asks who is calling …',
      ),
    },
    {
      id: 'auth.dashboard',
      quote: '| Dashboard JWT | `Authorization: Bearer <DASHBOARD_ACCESS_TOKEN>`',
      says: 'JWT: scanner, providers, analytics, billing, key rotation.',
      heldBy: acceptance(
        'authentication',
        'Authentication POST /v1/scanner/scan asks who is calling …',
        'Authentication POST /v1/providers asks who is calling …',
        'Authentication GET /v1/analytics/summary asks who is calling …',
        'Authentication POST /v1/billing/checkout asks who is calling …',
        'Authentication POST /v1/keys/rotate asks who is calling …',
      ),
    },
    {
      id: 'auth.issued-by-identity-provider',
      quote: '1. The dashboard JWT is an access token issued by an identity provider after login.',
      says: 'The JWT is an access token of an identity provider.',
      heldBy: integration(
        'adapters/identity',
        'dashboard tokens, against an identity provider accepts RS256 from the token endpoint itself',
        'dashboard tokens, against an identity provider accepts ES256 from the token endpoint itself',
      ),
    },
    {
      id: 'auth.keys-in-the-dashboard',
      quote: '2. API keys are created and viewed in the dashboard (providers section, API key).',
      says: 'Keys are created and viewed by the dashboard.',
      heldBy: acceptance(
        'keys',
        'API keys are issued for an empty object and for no body at all',
        'API keys are shown by their first twelve and last four characters only',
      ),
    },
    {
      id: 'auth.rotation-at-once',
      quote: '3. Rotating a key makes the old key invalid immediately.',
      says: 'Rotating makes the old key invalid immediately.',
      heldBy: [
        ...acceptance('keys', 'API keys stop working on every endpoint that takes one'),
        ...integration(
          'service/rotation',
          'the rotation of an API key lets no call in with the old key that was sent after the answer, on any of four processes',
        ),
      ],
    },
    {
      id: 'auth.not-in-browsers',
      quote: '4. Keys must not be embedded in browsers, mobile apps or public repositories.',
      says: 'Keys must not be embedded in browsers, apps or public repositories.',
      notTestable: 'a duty of the customer, which the service cannot see',
    },
    {
      id: 'auth.unauthorized',
      quote: '5. A missing or invalid key or token gives `401` with code `unauthorized`.',
      says: 'A missing or invalid key or token: 401 `unauthorized`.',
      heldBy: acceptance(
        'authentication',
        'Authentication GET /v1/me asks who is calling …',
        'Authentication GET /v1/providers asks who is calling …',
      ),
    },
    {
      id: 'auth.jwt-rules',
      quote: '6. JWT claims and validation rules: not shown.',
      says: 'Signature, `iss`, `aud`, `exp`, `nbf` within 30 seconds; asymmetric algorithms only.',
      settledBy: 'section 4',
      heldBy: integration(
        'adapters/identity',
        'dashboard tokens, against an identity provider refuses …',
        'dashboard tokens, against an identity provider allows clocks to differ by 30 seconds, and no more',
        'dashboard tokens, against an identity provider reads the account from the claim that the operator names',
      ),
    },
  ],
};

export const ERRORS: Section = {
  heading: 'Errors',
  statements: [
    {
      id: 'errors.body',
      quote: 'Body shape: `{ "error": "<message>", "code": "<error_code>" }`.',
      says: 'An error has the body `error`, `code`.',
      heldBy: [
        ...unit('api/routes', 'the routes of the service answers 40…'),
        ...unit('api/server', 'the HTTP server answers 400 in its own form to …'),
      ],
    },
    {
      id: 'errors.unauthorized',
      quote: '| 401 | `unauthorized` |',
      says: '401 `unauthorized`: missing or invalid API key or JWT.',
      heldBy: acceptance(
        'authentication',
        'Authentication POST /v1/upload/init asks who is calling …',
        'Authentication POST /v1/scanner/scan asks who is calling …',
      ),
    },
    {
      id: 'errors.plan-limit',
      quote: '| 402 | `plan_limit` |',
      says: '402 `plan_limit`: plan or quota refuses an init.',
      heldBy: [
        ...acceptance('refusal-order', PLAN_FIRST),
        ...integration(
          'service/quota',
          'the quota of an account lets 5 of 60 parallel inits pass where the bytes of 5 are left, to the last byte',
          'the quota of an account books nothing for an init that is refused, and starts no workflow',
        ),
      ],
    },
    {
      id: 'errors.rate-limited',
      quote: '| 429 | code: not shown | rate limit exceeded;',
      says: '429 `rate_limited`: the rate limit is exceeded.',
      settledBy: 'section 2',
      heldBy: integration('api/rate-limit', LIMITED),
    },
    {
      id: 'errors.retry-after',
      quote: 'response header `Retry-After: 60`',
      says: '429 carries `Retry-After: 60`.',
      heldBy: integration('api/rate-limit', LIMITED),
    },
    {
      id: 'errors.no-providers',
      quote: '| 400 | code: not shown | upload init when no providers are configured |',
      says: '400 `no_providers_configured`: init without any provider.',
      settledBy: 'section 2',
      heldBy: acceptance('refusal-order', NO_STORES),
    },
    {
      id: 'errors.file-not-on-provider',
      quote: '| `file_not_on_provider` |',
      says: '409 `file_not_on_provider`: complete, and the object is missing.',
      settledBy: 'section 2',
      heldBy: acceptance('complete', NOT_THERE),
    },
    {
      id: 'errors.scan-already-running',
      quote: '| `scan_already_running` |',
      says: '409 `scan_already_running`: start-scan while one runs.',
      settledBy: 'section 2',
      heldBy: [
        ...acceptance(
          'scanner',
          'The scanner starts one scan of three that are asked for at once, and brings it to its end',
        ),
        ...integration('scan/scan', ONLY_SCAN),
      ],
    },
    {
      id: 'errors.upload-to-provider-failed',
      quote: '| client-side | `upload_to_provider_failed` |',
      says: "`upload_to_provider_failed`: the client library's PUT failed.",
      heldBy: [
        ...acceptance(
          'whole-upload',
          'A whole upload that the store refuses is upload_to_provider_failed, and names the file',
        ),
        ...unit('sdk/uploads', 'a PUT that was refused with …'),
      ],
    },
    {
      id: 'errors.unknown-file',
      quote: 'Errors for other cases (unknown `fileId`, invalid body, and so on): not shown.',
      says: 'An unknown `fileId`: 404 `file_not_found`.',
      settledBy: 'section 2',
      heldBy: [
        ...acceptance(
          'file',
          "Another account's file that is pending answers get exactly like one that does not exist",
        ),
        ...acceptance('complete', 'Upload complete does not know an id that was never given out'),
        ...acceptance('delete', 'A delete of a file that there never was is not found'),
      ],
    },
    {
      id: 'errors.invalid-body',
      quote: '(unknown `fileId`, invalid body, and so on)',
      says: 'An invalid body: 400 `invalid_request`, with the fields named.',
      settledBy: 'section 2',
      heldBy: acceptance(
        'init-validation',
        'Upload init refuses each required field where it is missing, and names all of them at once',
      ),
    },
    {
      id: 'errors.other-codes',
      quote: 'and so on): not shown.',
      says: 'Every other code has its status and a sentence.',
      settledBy: 'section 2',
      heldBy: unit(
        'api/routes',
        'the routes of the service answers 4…',
        'the routes of the service answers 5…',
      ),
    },
    {
      id: 'errors.deleted-twice',
      quote: 'Exact status and code for delete of an already deleted file: not shown.',
      says: 'A second delete: 200, and the same body.',
      settledBy: 'section 3',
      heldBy: acceptance('delete', 'A delete gives the same answer again, with the first moment'),
    },
  ],
};
