import { acceptance, integration, type Statement } from '../statement.ts';
import { everywhere } from './everywhere.ts';

const SCANNED =
  'The scanner starts one scan of three that are asked for at once, and brings it to its end';

export const DASHBOARD_ENDPOINTS: readonly Statement[] = [
  {
    id: 'endpoint.scanner-connect',
    quote: '| POST | `/v1/scanner/connect` |',
    says: 'Connect takes `roleArn`, `externalId`, `regions`.',
    settledBy: 'section 6',
    heldBy: [
      ...acceptance(
        'scanner',
        'The scanner connects an account by its role, and keeps the connection when it is connected again',
        'The scanner does not let another account near it',
      ),
      ...everywhere('POST /v1/scanner/connect'),
    ],
  },
  {
    id: 'endpoint.scanner-scan',
    quote: '| POST | `/v1/scanner/scan` |',
    says: 'Scan takes a `connectionId`.',
    settledBy: 'section 6',
    heldBy: [...acceptance('scanner', SCANNED), ...everywhere('POST /v1/scanner/scan')],
  },
  {
    id: 'endpoint.scanner-results',
    quote: '| GET | `/v1/scanner/results/{scanId}` |',
    says: 'Results of a scan.',
    settledBy: 'section 6',
    heldBy: [
      ...acceptance('scanner', SCANNED, 'The scanner has sums that agree with one another'),
      ...everywhere('GET /v1/scanner/results/{scanId}'),
    ],
  },
  {
    id: 'endpoint.scanner-history',
    quote:
      '| GET | `/v1/scanner/history` | JWT | none | list over a fixed recent window (no paging parameters); item fields not shown |',
    says: 'History over a fixed recent window, without paging parameters.',
    settledBy: 'section 6',
    heldBy: [
      ...acceptance('scanner', 'The scanner is in the history, of this account only'),
      ...acceptance(
        'requests',
        'Requests GET /v1/scanner/history refuses what is not in its form refuses unknown query parameters',
      ),
      ...integration(
        'adapters/scans',
        'the records of connections and scans scans are listed newest first, of one account, of the time that is asked for',
      ),
      ...everywhere('GET /v1/scanner/history'),
    ],
  },
  {
    id: 'endpoint.recommendation-approve',
    quote: '| POST | `/v1/scanner/recommendations/{recommendationId}/approve` |',
    says: 'Approve takes a `targetProvider`.',
    settledBy: 'section 7',
    heldBy: [
      ...acceptance(
        'migration',
        'A migration is approved with 202, and by five at once as by one',
        'A migration answers the same approval with the same body, and another one with a refusal',
      ),
      ...everywhere('POST /v1/scanner/recommendations/{recommendationId}/approve'),
    ],
  },
  {
    id: 'endpoint.migration',
    quote: '| GET | `/v1/scanner/migration/{migrationId}` |',
    says: 'Status of a migration.',
    settledBy: 'section 7',
    heldBy: [
      ...acceptance(
        'migration',
        'A migration is watched to its end, never goes back, and copies what was recommended',
        'A migration is known to its own account only',
      ),
      ...everywhere('GET /v1/scanner/migration/{migrationId}'),
    ],
  },
  {
    id: 'endpoint.providers-save',
    quote: '| POST | `/v1/providers` |',
    says: 'Save a store: six fields, the secret never shown.',
    settledBy: 'section 5',
    heldBy: [
      ...acceptance(
        'providers',
        'Providers are shown as they were configured, but for the secrets: …',
        'Providers keep the moment of their creation when they are replaced',
      ),
      ...everywhere('POST /v1/providers'),
    ],
  },
  {
    id: 'endpoint.providers-test',
    quote: '| POST | `/v1/providers/test` |',
    says: 'Test a store: write, head, read, delete.',
    settledBy: 'section 5',
    heldBy: [
      ...acceptance('providers', 'A test of a provider …'),
      ...everywhere('POST /v1/providers/test'),
    ],
  },
  {
    id: 'endpoint.api-key',
    quote: '| GET | `/v1/providers/api-key` |',
    says: 'The API key, masked.',
    settledBy: 'section 4',
    heldBy: [
      ...acceptance(
        'keys',
        'API keys are shown by their first twelve and last four characters only',
        'API keys tell when they were last used, and nothing before the first use',
      ),
      ...everywhere('GET /v1/providers/api-key'),
    ],
  },
  {
    id: 'endpoint.api-key-regenerate',
    quote: '| POST | `/v1/providers/api-key/regenerate` |',
    says: 'Regenerate takes an empty object.',
    settledBy: 'section 4',
    heldBy: [
      ...acceptance(
        'keys',
        'API keys are issued for an empty object and for no body at all',
        'API keys stop working with the answer to a regeneration, however often they are tried',
      ),
      ...everywhere('POST /v1/providers/api-key/regenerate'),
    ],
  },
  {
    id: 'endpoint.keys-rotate',
    quote: '| POST | `/v1/keys/rotate` |',
    says: 'Rotate takes an empty object, and answers `newApiKey`, `rotatedAt`.',
    heldBy: [
      ...acceptance(
        'keys',
        'API keys are issued for an empty object and for no body at all',
        'API keys stop working with the answer to a rotation, however often they are tried',
      ),
      ...everywhere('POST /v1/keys/rotate'),
    ],
  },
];
