import type { Section } from '../statement.ts';

export const SCANNER_SEQUENCE: Section = {
  heading: 'Scanner sequence',
  statements: [
    {
      id: 'scanner-sequence.connect',
      quote: '1. Connect: the service tests assuming the role and lists buckets.',
      says: 'Connect assumes the role and lists buckets.',
    },
    {
      id: 'scanner-sequence.background-job',
      quote: '2. Scan: the service queues a background job.',
      says: 'A scan is a background job.',
    },
    {
      id: 'scanner-sequence.job',
      quote: 'The job assumes the role, lists buckets and objects, classifies them',
      says: 'The job assumes the role, lists, classifies, compares, and writes its results.',
    },
    {
      id: 'scanner-sequence.decision-report',
      quote: 'When enabled, it also writes a decision report.',
      says: 'When enabled, it also writes a decision report.',
    },
    {
      id: 'scanner-sequence.poll',
      quote: '3. Clients poll the results endpoint until the scan is complete.',
      says: 'Clients poll the results until the scan is complete.',
    },
    {
      id: 'scanner-sequence.approve',
      quote: '4. Approve: queues a migration job only after this call.',
      says: 'A migration job is queued by the approval only.',
    },
    {
      id: 'scanner-sequence.copies',
      quote: "The job copies using the customer's router credentials.",
      says: "It copies by the customer's router credentials.",
    },
    {
      id: 'scanner-sequence.status',
      quote: 'Status is read from the migration endpoint.',
      says: 'Its status is read from the migration endpoint.',
    },
  ],
};

export const UPLOAD_SEQUENCE: Section = {
  heading: 'Upload sequence',
  statements: [
    {
      id: 'upload-sequence.order',
      quote: 'The service authenticates the key, checks the plan, loads the providers',
      says: 'Init asks for the key, then the plan, then the providers.',
    },
    {
      id: 'upload-sequence.decrypts-and-signs',
      quote: 'decrypts their credentials, runs the routing engine, mints the presigned PUT URL',
      says: "It signs the URL of the customer's bucket with the stored credentials.",
    },
    {
      id: 'upload-sequence.inserts',
      quote: 'inserts a `pending` file with its routing decision, and returns the result',
      says: 'It inserts a `pending` file with its routing decision.',
    },
    {
      id: 'upload-sequence.init',
      quote: '1. Client calls init.',
      says: 'A client calls init, puts, and completes.',
    },
    {
      id: 'upload-sequence.put',
      quote: '2. Client sends the bytes with an HTTP PUT directly to `presignedUrl`.',
      says: 'The bytes go by an HTTP PUT to `presignedUrl`.',
    },
    {
      id: 'upload-sequence.never-receives',
      quote: 'The service never receives them.',
      says: 'The service never receives the bytes.',
    },
    {
      id: 'upload-sequence.complete',
      quote: '3. Client calls complete with `fileId`.',
      says: 'Complete is called with the `fileId`.',
    },
    {
      id: 'upload-sequence.verifies',
      quote:
        'The service verifies the object on the provider (existence at the expected key and size)',
      says: 'It verifies existence, key and size.',
    },
    {
      id: 'upload-sequence.records',
      quote: 'sets the file to `active`, and records the usage',
      says: 'It sets the file to `active` and records the usage.',
    },
  ],
};
