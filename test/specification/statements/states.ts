import { acceptance, integration, type Section } from '../statement.ts';

const FILE_PENDING =
  'A file that waits for its bytes is pending, with nulls where there is nothing yet';
const WATCHED =
  'A migration is watched to its end, never goes back, and copies what was recommended';

export const STATES: Section = {
  heading: 'States and transitions',
  statements: [
    {
      id: 'state.values',
      quote: 'File states: `pending`, `active`.',
      says: 'A file is `pending`, then `active`.',
      heldBy: acceptance(
        'file',
        FILE_PENDING,
        'A file that is active has a URL for an hour, made anew for each call',
      ),
    },
    {
      id: 'state.none-pending',
      quote: '| (none) | `POST /v1/upload/init` | authenticated',
      says: 'Init, authenticated: a file comes to be, `pending`.',
      heldBy: acceptance('file', FILE_PENDING),
    },
    {
      id: 'state.none-pending-plan',
      quote: 'plan allows, at least one provider configured',
      says: 'Only where the plan allows and a provider is configured.',
      heldBy: acceptance(
        'refusal-order',
        'The order of refusals with stores puts the plan before a size that no store takes',
        'The order of refusals without any store says of an init that fits that no store is configured',
      ),
    },
    {
      id: 'state.none-pending-file-id',
      quote: 'new `fileId`;',
      says: 'A new `fileId`.',
      heldBy: acceptance(
        'init-validation',
        'Upload init makes another file of every call, equal as they may be',
      ),
    },
    {
      id: 'state.none-pending-decision',
      quote: 'routing decision stored',
      says: 'The routing decision is stored.',
      heldBy: acceptance('routing', 'Routing with aws, r2, b2 sends cold files to b2'),
    },
    {
      id: 'state.none-pending-url',
      quote: 'presigned PUT URL minted',
      says: 'A presigned PUT URL is minted.',
      heldBy: acceptance('put', 'A PUT to the store as it was told is taken, …'),
    },
    {
      id: 'state.pending-active',
      quote: '| object found on the provider at the expected key and size | `active` |',
      says: 'Complete, object found at the expected key and size: `active`.',
      heldBy: acceptance(
        'complete',
        'Upload complete makes the file active, and says so',
        'Upload complete does not take an object under another key for the right one',
        'Upload complete refuses an object of too few bytes, and takes the right one afterwards',
      ),
    },
    {
      id: 'state.pending-active-usage',
      quote: 'usage record of gigabytes routed is written',
      says: 'The usage record is written.',
      heldBy: [
        ...acceptance(
          'complete',
          'Upload complete counts in exact bytes, booked at init and routed at complete',
        ),
        ...integration(
          'service/worker-death',
          'the death of a worker costs no record, and makes no second one',
        ),
      ],
    },
    {
      id: 'state.pending-missing',
      quote: '| object missing on the provider | error `file_not_on_provider` |',
      says: 'Complete, object missing: `file_not_on_provider`, and nothing else happens.',
      heldBy: acceptance(
        'complete',
        'Upload complete says before the PUT that the object is not there, as often as it is asked',
      ),
    },
    {
      id: 'state.after-failed-complete',
      quote: 'State of the file after a failed complete: not shown.',
      says: 'After a failed complete the file is `pending`, and complete may be called again.',
      settledBy: 'section 3',
      heldBy: acceptance(
        'complete',
        'Upload complete finds the object after it has said that it is not there',
      ),
    },
    {
      id: 'state.after-delete',
      quote: 'State of the file after delete: not shown.',
      says: 'After a delete the file is `deleted`; get and complete answer 410.',
      settledBy: 'section 3',
      heldBy: acceptance('delete', 'A delete leaves nothing to get or to complete'),
    },
    {
      id: 'state.scan',
      quote: 'Scan states and transitions: not shown',
      says: 'A scan is queued, running, then completed or failed; clients poll.',
      settledBy: 'section 6',
      heldBy: [
        ...acceptance(
          'scanner',
          'The scanner starts one scan of three that are asked for at once, and brings it to its end',
        ),
        ...integration(
          'scan/scan',
          'a scan shows itself live while it runs, with empty lists, and from the database afterwards',
          'a scan fails, and says why, where the role is taken away in the middle',
        ),
      ],
    },
    {
      id: 'state.migration',
      quote: 'Migration states and transitions: not shown.',
      says: 'A migration is queued, planning, copying, verifying, and then at one of its ends.',
      settledBy: 'section 7',
      heldBy: [
        ...acceptance('migration', WATCHED),
        ...integration(
          'migration/move',
          'a migration can be watched, and cancelled: what was copied stays',
        ),
      ],
    },
  ],
};
