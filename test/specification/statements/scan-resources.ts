import { acceptance, integration, unit, type Statement } from '../statement.ts';

const FILE_PENDING =
  'A file that waits for its bytes is pending, with nulls where there is nothing yet';
const SHOWN_KEY = 'API keys are shown by their first twelve and last four characters only';
const WATCHED =
  'A migration is watched to its end, never goes back, and copies what was recommended';

export const SCAN_RESOURCES: readonly Statement[] = [
  {
    id: 'connection.fields',
    quote: '| Scanner connection | `roleArn`',
    says: 'A connection has `roleArn`, `externalId` and the array `regions`.',
    heldBy: [
      ...acceptance(
        'scanner',
        'The scanner connects an account by its role, and keeps the connection when it is connected again',
      ),
      ...integration('scan/connect', 'connecting a cloud account refuses …'),
    ],
  },
  {
    id: 'connection.id',
    quote: 'Referenced later by `connectionId`.',
    says: 'It is referenced by `connectionId`.',
    heldBy: acceptance(
      'scanner',
      'The scanner starts one scan of three that are asked for at once, and brings it to its end',
    ),
  },
  {
    id: 'scan.id',
    quote: '| Scan | Identified by `scanId`; created by the start-scan call;',
    says: 'A scan is identified by `scanId`, and created by the start call.',
    heldBy: acceptance(
      'scanner',
      'The scanner starts one scan of three that are asked for at once, and brings it to its end',
    ),
  },
  {
    id: 'scan.yields',
    quote: 'yields scan results, buckets and recommendations',
    says: 'It yields results, buckets and recommendations.',
    heldBy: acceptance('scanner', 'The scanner has sums that agree with one another'),
  },
  {
    id: 'recommendation.id',
    quote: '| Recommendation | Identified by a UUID',
    says: 'A recommendation is identified by a UUID.',
    heldBy: unit(
      'domain/recommendation-id',
      'the id of a recommendation is a UUID of version 5',
      'the id of a recommendation differs where anything of what it says differs',
    ),
  },
  {
    id: 'recommendation.target-provider',
    quote: 'approved with `targetProvider`',
    says: 'It is approved with `targetProvider`, a provider identifier.',
    heldBy: acceptance(
      'migration',
      'A migration is approved with 202, and by five at once as by one',
    ),
  },
  {
    id: 'migration.id',
    quote: '| Migration | Identified by a migration UUID; created on approval;',
    says: 'A migration is identified by a UUID, created on approval.',
    heldBy: acceptance(
      'migration',
      'A migration is approved with 202, and by five at once as by one',
    ),
  },
  {
    id: 'migration.queried',
    quote: 'queried for status',
    says: 'It can be queried for its status.',
    heldBy: acceptance('migration', WATCHED),
  },
  {
    id: 'decision-report.by-a-scan',
    quote: '| Decision report | Produced by a scan when the feature is enabled.',
    says: 'A scan produces the decision report when the feature is enabled.',
    heldBy: [
      ...acceptance('scanner', 'The scanner has sums that agree with one another'),
      ...unit(
        'activities/scan-conclusion',
        'the conclusion of a scan without the decision report says all the rest',
      ),
    ],
  },
  {
    id: 'usage-record.one-per-upload',
    quote: 'One per completed upload',
    says: 'A completed upload has one usage record.',
    heldBy: [
      ...acceptance(
        'complete',
        'Upload complete called 30 times at once answers all alike, and makes one usage record',
        'Upload complete of many files at once makes one usage record each',
      ),
      ...integration(
        'adapters/records',
        'the records of quota, usage and accounts usage holds one record of an upload, however often and however fast it is written',
      ),
    ],
  },
  {
    id: 'usage-record.gigabytes',
    quote: 'records gigabytes routed',
    says: 'It records gigabytes routed.',
    heldBy: acceptance(
      'complete',
      'Upload complete counts in exact bytes, booked at init and routed at complete',
    ),
  },
  {
    id: 'paged-list.fields',
    quote: '| Paged list (routing history) |',
    says: 'The routing history has `items`, `total`, `limit`, `offset`.',
    heldBy: acceptance(
      'analytics',
      'Analytics list where files went, the newest first, and a page is a part of the list',
    ),
  },
  {
    id: 'error-body.fields',
    quote: '| Error body | `error` (string, human-readable), `code`',
    says: 'An error has `error` for people and `code` for machines.',
    heldBy: [
      ...acceptance(
        'client-library',
        'The client library passes on status, code, details and the request id of a refusal',
      ),
      ...unit(
        'domain/rules',
        'the table of errors gives every code a status of the 4xx or 5xx range and a sentence',
      ),
    ],
  },
  {
    id: 'file.further-fields',
    quote: 'Fields of the file record beyond those listed: not shown.',
    says: 'A file shows twelve fields, and no others.',
    settledBy: 'section 3',
    heldBy: acceptance('file', FILE_PENDING),
  },
  {
    id: 'scan.further-fields',
    quote: 'Fields of scan results, buckets, recommendations, migrations',
    says: 'Scans, migrations and usage have the fields of the published description.',
    settledBy: 'sections 4, 6 and 7',
    heldBy: [
      ...acceptance(
        'examples',
        'The examples of the description are all carried out, and each answer has the shape that is shown',
      ),
      ...acceptance('account', 'Who am I has exactly the fields that are written down'),
    ],
  },
  {
    id: 'api-key.shown-masked',
    quote: '| API key | Format',
    says: 'Once issued, a key is shown masked only.',
    settledBy: 'section 4',
    heldBy: acceptance('keys', SHOWN_KEY),
  },
];
