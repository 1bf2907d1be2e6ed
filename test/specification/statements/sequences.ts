import { acceptance, integration, unit, type Section } from '../statement.ts';

const CONNECTED =
  'connecting a cloud account assumes the role, counts the buckets of its regions, and says so';
const LIVE =
  'a scan shows itself live while it runs, with empty lists, and from the database afterwards';
const FIGURES =
  'the figures of a scan are the ones that a second reckoning makes of the listing, to the micro-dollar';

export const UPLOAD_SEQUENCE: Section = {
  heading: 'Upload sequence',
  statements: [
    {
      id: 'upload-sequence.order',
      quote: 'The service authenticates the key, checks the plan, loads the providers',
      says: 'Init asks for the key, then the plan, then the providers.',
      heldBy: acceptance(
        'refusal-order',
        'The order of refusals puts missing credentials before …',
        'The order of refusals without any store puts the plan before the missing stores',
        'The order of refusals without any store puts the missing stores before a size that no store takes',
      ),
    },
    {
      id: 'upload-sequence.decrypts-and-signs',
      quote: 'decrypts their credentials, runs the routing engine, mints the presigned PUT URL',
      says: "It signs the URL of the customer's bucket with the stored credentials.",
      heldBy: [
        ...acceptance(
          'presigned-url',
          'The presigned URL of an upload is signed for the region with the key that was stored, and never shows the secret',
          'The presigned URL of an upload leads to the bucket of the store that was chosen',
        ),
        ...unit('adapters/presigned-urls', 'presigned URLs, held against the official SDK …'),
      ],
    },
    {
      id: 'upload-sequence.inserts',
      quote: 'inserts a `pending` file with its routing decision, and returns the result',
      says: 'It inserts a `pending` file with its routing decision.',
      heldBy: acceptance(
        'file',
        'A file that waits for its bytes is pending, with nulls where there is nothing yet',
      ),
    },
    {
      id: 'upload-sequence.init',
      quote: '1. Client calls init.',
      says: 'A client calls init, puts, and completes.',
      heldBy: [
        ...acceptance('whole-upload', 'A whole upload by plain curl works: …'),
        ...unit(
          'sdk/uploads',
          'upload asks, puts, completes, and gives back what the service said',
        ),
      ],
    },
    {
      id: 'upload-sequence.put',
      quote: '2. Client sends the bytes with an HTTP PUT directly to `presignedUrl`.',
      says: 'The bytes go by an HTTP PUT to `presignedUrl`.',
      heldBy: [
        ...acceptance('put', 'A PUT to the store as it was told is taken, …'),
        ...unit(
          'sdk/uploads',
          'upload sends the store the required headers, the length, and nothing about the service',
        ),
      ],
    },
    {
      id: 'upload-sequence.never-receives',
      quote: 'The service never receives them.',
      says: 'The service never receives the bytes.',
      heldBy: acceptance(
        'presigned-url',
        'The presigned URL of an upload leads to the bucket of the store that was chosen',
      ),
    },
    {
      id: 'upload-sequence.complete',
      quote: '3. Client calls complete with `fileId`.',
      says: 'Complete is called with the `fileId`.',
      heldBy: acceptance(
        'complete',
        'Upload complete does not know an id that was never given out',
      ),
    },
    {
      id: 'upload-sequence.verifies',
      quote:
        'The service verifies the object on the provider (existence at the expected key and size)',
      says: 'It verifies existence, key and size.',
      heldBy: acceptance(
        'complete',
        'Upload complete does not take an object under another key for the right one',
        'Upload complete refuses an object of …',
        'Upload complete refuses bytes where none were announced',
      ),
    },
    {
      id: 'upload-sequence.records',
      quote: 'sets the file to `active`, and records the usage',
      says: 'It sets the file to `active` and records the usage.',
      heldBy: acceptance(
        'complete',
        'Upload complete gives the same body again, and records nothing twice',
      ),
    },
  ],
};

export const SCANNER_SEQUENCE: Section = {
  heading: 'Scanner sequence',
  statements: [
    {
      id: 'scanner-sequence.connect',
      quote: '1. Connect: the service tests assuming the role and lists buckets.',
      says: 'Connect assumes the role and lists buckets.',
      heldBy: integration(
        'scan/connect',
        CONNECTED,
        'connecting a cloud account tells a role that does not trust the service from one that may do too little',
      ),
    },
    {
      id: 'scanner-sequence.background-job',
      quote: '2. Scan: the service queues a background job.',
      says: 'A scan is a background job.',
      heldBy: [
        ...acceptance(
          'scanner',
          'The scanner starts one scan of three that are asked for at once, and brings it to its end',
        ),
        ...integration(
          'scan/worker-death',
          'the death of a worker in the middle of a scan is not there yet: the scan is queued, says the database',
        ),
      ],
    },
    {
      id: 'scanner-sequence.job',
      quote: 'The job assumes the role, lists buckets and objects, classifies them',
      says: 'The job assumes the role, lists, classifies, compares, and writes its results.',
      heldBy: [
        ...integration(
          'scan/scan',
          'a scan assumes the role again where its session ends in the middle',
          LIVE,
        ),
        ...integration('scan/figures', FIGURES),
      ],
    },
    {
      id: 'scanner-sequence.decision-report',
      quote: 'When enabled, it also writes a decision report.',
      says: 'When enabled, it also writes a decision report.',
      heldBy: [
        ...integration('scan/figures', FIGURES),
        ...unit(
          'activities/scan-conclusion',
          'the conclusion of a scan without the decision report says all the rest',
        ),
      ],
    },
    {
      id: 'scanner-sequence.poll',
      quote: '3. Clients poll the results endpoint until the scan is complete.',
      says: 'Clients poll the results until the scan is complete.',
      heldBy: [
        ...acceptance(
          'scanner',
          'The scanner starts one scan of three that are asked for at once, and brings it to its end',
        ),
        ...unit('sdk/calls', 'each call of a scan is repeated until it has ended'),
      ],
    },
    {
      id: 'scanner-sequence.approve',
      quote: '4. Approve: queues a migration job only after this call.',
      says: 'A migration job is queued by the approval only.',
      heldBy: [
        ...acceptance('migration', 'A migration does not begin without an approval'),
        ...integration(
          'migration/approval',
          'the approval of a move given ten times at once is one approval, and one migration',
        ),
      ],
    },
    {
      id: 'scanner-sequence.copies',
      quote: "The job copies using the customer's router credentials.",
      says: "It copies by the customer's router credentials.",
      heldBy: [
        ...acceptance(
          'migration',
          'A migration leaves the same bytes at the target, and the source as it was',
        ),
        ...integration(
          'migration/approval',
          'the approval of a move needs both stores, and they stay as they are until the migration has ended',
        ),
      ],
    },
    {
      id: 'scanner-sequence.status',
      quote: 'Status is read from the migration endpoint.',
      says: 'Its status is read from the migration endpoint.',
      heldBy: acceptance(
        'migration',
        'A migration is watched to its end, never goes back, and copies what was recommended',
      ),
    },
  ],
};
