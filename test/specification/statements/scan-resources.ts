import type { Statement } from '../statement.ts';

export const SCAN_RESOURCES: readonly Statement[] = [
  {
    id: 'connection.fields',
    quote: '| Scanner connection | `roleArn`',
    says: 'A connection has `roleArn`, `externalId` and the array `regions`.',
  },
  {
    id: 'connection.id',
    quote: 'Referenced later by `connectionId`.',
    says: 'It is referenced by `connectionId`.',
  },
  {
    id: 'scan.id',
    quote: '| Scan | Identified by `scanId`; created by the start-scan call;',
    says: 'A scan is identified by `scanId`, and created by the start call.',
  },
  {
    id: 'scan.yields',
    quote: 'yields scan results, buckets and recommendations',
    says: 'It yields results, buckets and recommendations.',
  },
  {
    id: 'recommendation.id',
    quote: '| Recommendation | Identified by a UUID',
    says: 'A recommendation is identified by a UUID.',
  },
  {
    id: 'recommendation.target-provider',
    quote: 'approved with `targetProvider`',
    says: 'It is approved with `targetProvider`, a provider identifier.',
  },
  {
    id: 'migration.id',
    quote: '| Migration | Identified by a migration UUID; created on approval;',
    says: 'A migration is identified by a UUID, created on approval.',
  },
  {
    id: 'migration.queried',
    quote: 'queried for status',
    says: 'It can be queried for its status.',
  },
  {
    id: 'decision-report.by-a-scan',
    quote: '| Decision report | Produced by a scan when the feature is enabled.',
    says: 'A scan produces the decision report when the feature is enabled.',
  },
  {
    id: 'usage-record.one-per-upload',
    quote: 'One per completed upload',
    says: 'A completed upload has one usage record.',
  },
  {
    id: 'usage-record.gigabytes',
    quote: 'records gigabytes routed',
    says: 'It records gigabytes routed.',
  },
  {
    id: 'paged-list.fields',
    quote: '| Paged list (routing history) |',
    says: 'The routing history has `items`, `total`, `limit`, `offset`.',
  },
  {
    id: 'error-body.fields',
    quote: '| Error body | `error` (string, human-readable), `code`',
    says: 'An error has `error` for people and `code` for machines.',
  },
  {
    id: 'file.further-fields',
    quote: 'Fields of the file record beyond those listed: not shown.',
    says: 'A file shows twelve fields, and no others.',
    settledBy: 'section 3',
  },
  {
    id: 'scan.further-fields',
    quote: 'Fields of scan results, buckets, recommendations, migrations',
    says: 'Scans, migrations and usage have the fields of the published description.',
    settledBy: 'sections 4, 6 and 7',
  },
  {
    id: 'api-key.shown-masked',
    quote: '| API key | Format',
    says: 'Once issued, a key is shown masked only.',
    settledBy: 'section 4',
  },
];
