import type { Statement } from '../statement.ts';

export const DASHBOARD_ENDPOINTS: readonly Statement[] = [
  {
    id: 'endpoint.scanner-connect',
    quote: '| POST | `/v1/scanner/connect` |',
    says: 'Connect takes `roleArn`, `externalId`, `regions`.',
    settledBy: 'section 6',
  },
  {
    id: 'endpoint.scanner-scan',
    quote: '| POST | `/v1/scanner/scan` |',
    says: 'Scan takes a `connectionId`.',
    settledBy: 'section 6',
  },
  {
    id: 'endpoint.scanner-results',
    quote: '| GET | `/v1/scanner/results/{scanId}` |',
    says: 'Results of a scan.',
    settledBy: 'section 6',
  },
  {
    id: 'endpoint.scanner-history',
    quote:
      '| GET | `/v1/scanner/history` | JWT | none | list over a fixed recent window (no paging parameters); item fields not shown |',
    says: 'History over a fixed recent window, without paging parameters.',
    settledBy: 'section 6',
  },
  {
    id: 'endpoint.recommendation-approve',
    quote: '| POST | `/v1/scanner/recommendations/{recommendationId}/approve` |',
    says: 'Approve takes a `targetProvider`.',
    settledBy: 'section 7',
  },
  {
    id: 'endpoint.migration',
    quote: '| GET | `/v1/scanner/migration/{migrationId}` |',
    says: 'Status of a migration.',
    settledBy: 'section 7',
  },
  {
    id: 'endpoint.providers-save',
    quote: '| POST | `/v1/providers` |',
    says: 'Save a store: six fields, the secret never shown.',
    settledBy: 'section 5',
  },
  {
    id: 'endpoint.providers-test',
    quote: '| POST | `/v1/providers/test` |',
    says: 'Test a store: write, head, read, delete.',
    settledBy: 'section 5',
  },
  {
    id: 'endpoint.api-key',
    quote: '| GET | `/v1/providers/api-key` |',
    says: 'The API key, masked.',
    settledBy: 'section 4',
  },
  {
    id: 'endpoint.api-key-regenerate',
    quote: '| POST | `/v1/providers/api-key/regenerate` |',
    says: 'Regenerate takes an empty object.',
    settledBy: 'section 4',
  },
  {
    id: 'endpoint.keys-rotate',
    quote: '| POST | `/v1/keys/rotate` |',
    says: 'Rotate takes an empty object, and answers `newApiKey`, `rotatedAt`.',
  },
];
