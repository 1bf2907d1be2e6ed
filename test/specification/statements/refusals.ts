import type { Section } from '../statement.ts';

export const AUTHENTICATION: Section = {
  heading: 'Authentication',
  statements: [
    {
      id: 'auth.api-key',
      quote: '| API key | `Authorization: Bearer <API_KEY>`',
      says: 'API key: `/v1/me`, init, complete, file get and delete.',
    },
    {
      id: 'auth.dashboard',
      quote: '| Dashboard JWT | `Authorization: Bearer <DASHBOARD_ACCESS_TOKEN>`',
      says: 'JWT: scanner, providers, analytics, billing, key rotation.',
    },
    {
      id: 'auth.issued-by-identity-provider',
      quote: '1. The dashboard JWT is an access token issued by an identity provider after login.',
      says: 'The JWT is an access token of an identity provider.',
    },
    {
      id: 'auth.keys-in-the-dashboard',
      quote: '2. API keys are created and viewed in the dashboard (providers section, API key).',
      says: 'Keys are created and viewed by the dashboard.',
    },
    {
      id: 'auth.rotation-at-once',
      quote: '3. Rotating a key makes the old key invalid immediately.',
      says: 'Rotating makes the old key invalid immediately.',
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
    },
    {
      id: 'auth.jwt-rules',
      quote: '6. JWT claims and validation rules: not shown.',
      says: 'Signature, `iss`, `aud`, `exp`, `nbf` within 30 seconds; asymmetric algorithms only.',
      settledBy: 'section 4',
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
    },
    {
      id: 'errors.unauthorized',
      quote: '| 401 | `unauthorized` |',
      says: '401 `unauthorized`: missing or invalid API key or JWT.',
    },
    {
      id: 'errors.plan-limit',
      quote: '| 402 | `plan_limit` |',
      says: '402 `plan_limit`: plan or quota refuses an init.',
    },
    {
      id: 'errors.rate-limited',
      quote: '| 429 | code: not shown | rate limit exceeded;',
      says: '429 `rate_limited`: the rate limit is exceeded.',
      settledBy: 'section 2',
    },
    {
      id: 'errors.retry-after',
      quote: 'response header `Retry-After: 60`',
      says: '429 carries `Retry-After: 60`.',
    },
    {
      id: 'errors.no-providers',
      quote: '| 400 | code: not shown | upload init when no providers are configured |',
      says: '400 `no_providers_configured`: init without any provider.',
      settledBy: 'section 2',
    },
    {
      id: 'errors.file-not-on-provider',
      quote: '| `file_not_on_provider` |',
      says: '409 `file_not_on_provider`: complete, and the object is missing.',
      settledBy: 'section 2',
    },
    {
      id: 'errors.scan-already-running',
      quote: '| `scan_already_running` |',
      says: '409 `scan_already_running`: start-scan while one runs.',
      settledBy: 'section 2',
    },
    {
      id: 'errors.upload-to-provider-failed',
      quote: '| client-side | `upload_to_provider_failed` |',
      says: "`upload_to_provider_failed`: the client library's PUT failed.",
    },
    {
      id: 'errors.unknown-file',
      quote: 'Errors for other cases (unknown `fileId`, invalid body, and so on): not shown.',
      says: 'An unknown `fileId`: 404 `file_not_found`.',
      settledBy: 'section 2',
    },
    {
      id: 'errors.invalid-body',
      quote: '(unknown `fileId`, invalid body, and so on)',
      says: 'An invalid body: 400 `invalid_request`, with the fields named.',
      settledBy: 'section 2',
    },
    {
      id: 'errors.other-codes',
      quote: 'and so on): not shown.',
      says: 'Every other code has its status and a sentence.',
      settledBy: 'section 2',
    },
    {
      id: 'errors.deleted-twice',
      quote: 'Exact status and code for delete of an already deleted file: not shown.',
      says: 'A second delete: 200, and the same body.',
      settledBy: 'section 3',
    },
  ],
};
