import type { Section } from '../statement.ts';

export const STATES: Section = {
  heading: 'States and transitions',
  statements: [
    {
      id: 'state.values',
      quote: 'File states: `pending`, `active`.',
      says: 'A file is `pending`, then `active`.',
    },
    {
      id: 'state.none-pending',
      quote: '| (none) | `POST /v1/upload/init` | authenticated',
      says: 'Init, authenticated: a file comes to be, `pending`.',
    },
    {
      id: 'state.none-pending-plan',
      quote: 'plan allows, at least one provider configured',
      says: 'Only where the plan allows and a provider is configured.',
    },
    { id: 'state.none-pending-file-id', quote: 'new `fileId`;', says: 'A new `fileId`.' },
    {
      id: 'state.none-pending-decision',
      quote: 'routing decision stored',
      says: 'The routing decision is stored.',
    },
    {
      id: 'state.none-pending-url',
      quote: 'presigned PUT URL minted',
      says: 'A presigned PUT URL is minted.',
    },
    {
      id: 'state.pending-active',
      quote: '| object found on the provider at the expected key and size | `active` |',
      says: 'Complete, object found at the expected key and size: `active`.',
    },
    {
      id: 'state.pending-active-usage',
      quote: 'usage record of gigabytes routed is written',
      says: 'The usage record is written.',
    },
    {
      id: 'state.pending-missing',
      quote: '| object missing on the provider | error `file_not_on_provider` |',
      says: 'Complete, object missing: `file_not_on_provider`, and nothing else happens.',
    },
    {
      id: 'state.after-failed-complete',
      quote: 'State of the file after a failed complete: not shown.',
      says: 'After a failed complete the file is `pending`, and complete may be called again.',
      settledBy: 'section 3',
    },
    {
      id: 'state.after-delete',
      quote: 'State of the file after delete: not shown.',
      says: 'After a delete the file is `deleted`; get and complete answer 410.',
      settledBy: 'section 3',
    },
    {
      id: 'state.scan',
      quote: 'Scan states and transitions: not shown',
      says: 'A scan is queued, running, then completed or failed; clients poll.',
      settledBy: 'section 6',
    },
    {
      id: 'state.migration',
      quote: 'Migration states and transitions: not shown.',
      says: 'A migration is queued, planning, copying, verifying, and then at one of its ends.',
      settledBy: 'section 7',
    },
  ],
};
