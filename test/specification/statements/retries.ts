import { acceptance, integration, unit, type Section } from '../statement.ts';

const GONE_AFTER_DELETE = 'A delete gives the same answer again, with the first moment';

export const RETRIES: Section = {
  heading: 'Idempotency and retries',
  statements: [
    {
      id: 'retries.no-idempotency-key',
      quote: 'The service does not accept an `Idempotency-Key` header.',
      says: 'An `Idempotency-Key` header changes nothing.',
      heldBy: acceptance('repeats', 'A repeated …'),
    },
    {
      id: 'retries.init',
      quote: '| `POST /v1/upload/init` | not idempotent; each call creates a new `fileId`',
      says: 'Each init creates a new `fileId` and pending record.',
      heldBy: acceptance(
        'repeats',
        'A repeated init makes a new pending file each time, whatever Idempotency-Key it carries',
      ),
    },
    {
      id: 'retries.put',
      quote: "| provider PUT | depends on the provider's overwrite semantics |",
      says: 'The PUT may be repeated, as the provider overwrites.',
      heldBy: acceptance('put', 'A PUT to the store may be sent again while the URL lives'),
    },
    {
      id: 'retries.complete',
      quote: '| effectively idempotent once the file is active;',
      says: 'Complete is idempotent once the file is active.',
      heldBy: acceptance(
        'complete',
        'Upload complete gives the same body again, and records nothing twice',
        'Upload complete called 10 times at once answers all alike, and makes one usage record',
      ),
    },
    {
      id: 'retries.one-complete-per-init',
      quote: 'one complete per init is intended',
      says: 'One complete per init is enough.',
      heldBy: unit(
        'sdk/uploads',
        'upload asks, puts, completes, and gives back what the service said',
      ),
    },
    {
      id: 'retries.file-get',
      quote: '| `GET /v1/file/{fileId}` | idempotent; safe to retry |',
      says: 'Get is idempotent, and safe to retry.',
      heldBy: [
        ...acceptance('repeats', 'A repeated get gives the same file, and changes nothing'),
        ...unit('sdk/retries', 'what is sent again getFile is, …'),
      ],
    },
    {
      id: 'retries.file-delete',
      quote: '| `DELETE /v1/file/{fileId}` | idempotent after the delete;',
      says: 'Delete is idempotent.',
      heldBy: acceptance('delete', GONE_AFTER_DELETE),
    },
    {
      id: 'retries.file-deleted-already',
      quote: 'may answer with already-deleted semantics',
      says: 'A repeated delete answers with the first `deletedAt`.',
      heldBy: acceptance('delete', GONE_AFTER_DELETE),
    },
    {
      id: 'retries.scan',
      quote: '| guarded; a concurrent scan may be refused with `scan_already_running` |',
      says: 'A concurrent scan is refused with `scan_already_running`.',
      heldBy: [
        ...acceptance(
          'scanner',
          'The scanner starts one scan of three that are asked for at once, and brings it to its end',
        ),
        ...integration(
          'scan/scan',
          'a scan is the only one of its connection, also where ten are asked for at once',
          'a scan runs beside the scan of another connection',
        ),
      ],
    },
    {
      id: 'retries.rotate',
      quote: '| `POST /v1/keys/rotate` | not idempotent; each call issues a new key |',
      says: 'Each rotation issues a new key.',
      heldBy: acceptance(
        'repeats',
        'A repeated rotation issues a new key each time, whatever Idempotency-Key it carries',
      ),
    },
    {
      id: 'retries.client-repeats-gets',
      quote: 'The client library retries safe GETs and transient control-plane failures.',
      says: 'The client library retries safe GETs and transient failures.',
      heldBy: unit(
        'sdk/retries',
        'what is sent again me is, …',
        'what is sent again getFile is, …',
        'what is sent again complete is, …',
        'what is sent again init is not, …',
      ),
    },
    {
      id: 'retries.client-never-repeats-put',
      quote: 'It does not retry the provider PUT.',
      says: 'It does not retry the PUT.',
      heldBy: unit(
        'sdk/uploads',
        'a PUT that was refused with 403 raises upload_to_provider_failed, without a second PUT or a complete',
        'a PUT whose outcome is uncertain after a broken connection is a success where complete finds the object',
      ),
    },
    {
      id: 'retries.client-completes-after-uncertain-put',
      quote: 'After an uncertain PUT outcome, the client calls complete with the existing `fileId`',
      says: 'After an uncertain PUT it completes, and does not init again.',
      heldBy: unit('sdk/uploads', 'a PUT whose outcome is uncertain …'),
    },
    {
      id: 'retries.no-listing',
      quote: 'listing of files is not offered;',
      says: 'There is no list of files.',
      heldBy: acceptance(
        'requests',
        'Requests for a list of files are not found, for a file is reached by its id only',
      ),
    },
    {
      id: 'retries.by-file-id-only',
      quote: 'files are reached by `fileId` only',
      says: 'Files are reached by `fileId` only.',
      heldBy: acceptance(
        'openapi',
        'The description at /openapi.json describes the endpoints that there are, and no others',
      ),
    },
  ],
};
