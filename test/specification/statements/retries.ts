import type { Section } from '../statement.ts';

export const RETRIES: Section = {
  heading: 'Idempotency and retries',
  statements: [
    {
      id: 'retries.no-idempotency-key',
      quote: 'The service does not accept an `Idempotency-Key` header.',
      says: 'An `Idempotency-Key` header changes nothing.',
    },
    {
      id: 'retries.init',
      quote: '| `POST /v1/upload/init` | not idempotent; each call creates a new `fileId`',
      says: 'Each init creates a new `fileId` and pending record.',
    },
    {
      id: 'retries.put',
      quote: "| provider PUT | depends on the provider's overwrite semantics |",
      says: 'The PUT may be repeated, as the provider overwrites.',
    },
    {
      id: 'retries.complete',
      quote: '| effectively idempotent once the file is active;',
      says: 'Complete is idempotent once the file is active.',
    },
    {
      id: 'retries.one-complete-per-init',
      quote: 'one complete per init is intended',
      says: 'One complete per init is enough.',
    },
    {
      id: 'retries.file-get',
      quote: '| `GET /v1/file/{fileId}` | idempotent; safe to retry |',
      says: 'Get is idempotent, and safe to retry.',
    },
    {
      id: 'retries.file-delete',
      quote: '| `DELETE /v1/file/{fileId}` | idempotent after the delete;',
      says: 'Delete is idempotent.',
    },
    {
      id: 'retries.file-deleted-already',
      quote: 'may answer with already-deleted semantics',
      says: 'A repeated delete answers with the first `deletedAt`.',
    },
    {
      id: 'retries.scan',
      quote: '| guarded; a concurrent scan may be refused with `scan_already_running` |',
      says: 'A concurrent scan is refused with `scan_already_running`.',
    },
    {
      id: 'retries.rotate',
      quote: '| `POST /v1/keys/rotate` | not idempotent; each call issues a new key |',
      says: 'Each rotation issues a new key.',
    },
    {
      id: 'retries.client-repeats-gets',
      quote: 'The client library retries safe GETs and transient control-plane failures.',
      says: 'The client library retries safe GETs and transient failures.',
    },
    {
      id: 'retries.client-never-repeats-put',
      quote: 'It does not retry the provider PUT.',
      says: 'It does not retry the PUT.',
    },
    {
      id: 'retries.client-completes-after-uncertain-put',
      quote: 'After an uncertain PUT outcome, the client calls complete with the existing `fileId`',
      says: 'After an uncertain PUT it completes, and does not init again.',
    },
    {
      id: 'retries.no-listing',
      quote: 'listing of files is not offered;',
      says: 'There is no list of files.',
    },
    {
      id: 'retries.by-file-id-only',
      quote: 'files are reached by `fileId` only',
      says: 'Files are reached by `fileId` only.',
    },
  ],
};
