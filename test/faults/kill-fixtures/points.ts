import type { Write } from '../../harness/mongo-proxy.ts';
import { DRILL_STORIES } from './drill-stories.ts';
import { PLACE_STORIES } from './place-stories.ts';
import type { ProcessName } from './story.ts';
import { UPLOAD_STORIES } from './upload-stories.ts';
import { WORK_STORIES } from './work-stories.ts';

export const STORIES = { ...UPLOAD_STORIES, ...PLACE_STORIES, ...DRILL_STORIES, ...WORK_STORIES };

/** A process is killed at one write of a story, or at a moment that the story knows. */
export interface KillPoint {
  readonly process: ProcessName;
  readonly story: keyof typeof STORIES;
  readonly at: string;
  readonly write: Write | undefined;
}

type Step = readonly [at: string, write?: Write];

const after = (command: Write['command'], collection: string, nth = 1): Write => ({
  command,
  collection,
  nth,
  when: 'after',
});
const before = (command: Write['command'], collection: string, nth = 1): Write => ({
  ...after(command, collection, nth),
  when: 'before',
});
const of = (process: ProcessName, story: KillPoint['story'], ...steps: Step[]): KillPoint[] =>
  steps.map(([at, write]) => ({ process, story, at, write }));

const STATUS: Step = ['after the status', after('update', 'files')];
const RECORD: Step = ['after the usage record', after('insert', 'usage')];
const TOTALS: Step = ['after the totals', after('update', 'usageTotals')];
const DELETED: Step = ['after the delete at the store', before('update', 'files', 2)];
const END: Step = ['after the end', after('update', 'files', 2)];
const BEFORE_STATUS = before('update', 'files');
const APPROVED: Step[] = [
  ['after the reads', before('update', 'recommendations')],
  ['after the write', after('update', 'recommendations')],
];
const REMOVED: Step = ['after the removal', after('update', 'accounts')];
const TESTED: Step = ['between the write and the delete of its test object'];

/**
 * Every write of an upload, a scan and a migration, and each side of a call to a store or to Temporal: by the kill that
 * they share. They are few enough that a worker has room for all of a kill while they stand still.
 */
export const KILLS: readonly (readonly KillPoint[])[] = [
  [
    ...of('api', 'complete', STATUS, RECORD, TOTALS, END),
    ...of('api', 'complete of parts', ['after the assembly at the store', BEFORE_STATUS], STATUS),
    ...of('api', 'delete of parts', STATUS, DELETED),
  ],
  [
    ...of('api', 'delete of a pending file', STATUS, TOTALS, DELETED, END),
    ...of('api', 'delete of an active file', STATUS, TOTALS, DELETED, END),
  ],
  [
    ...of(
      'api',
      'init',
      ['between the booking and the insert', before('insert', 'files')],
      ['between the insert and the start', after('insert', 'files')],
    ),
    ...of(
      'api',
      'change of place',
      ['after the place until then is kept', before('update', 'accounts')],
      ['after the change', after('update', 'accounts')],
    ),
    ...of('api', 'removal of a store', REMOVED, [
      'after the former places are forgotten',
      after('update', 'formerPlaces'),
    ]),
    ...of('api', 'removal of a store that is repeated', REMOVED),
    ...of(
      'api',
      'new keys of a former place',
      ['after the keys', after('update', 'formerPlaces')],
      ['after the end of the refusals', after('update', 'accounts')],
    ),
  ],
  // Until the insert nothing tells them from others.
  of('api', 'init of parts', ['after the insert', after('insert', 'files')]),
  of('api', 'init of parts', ['after the creation at the store', BEFORE_STATUS]),
  of('api', 'init of parts', STATUS),
  [
    ...of('uploads', 'expiry', ['after the look', BEFORE_STATUS], STATUS, TOTALS, END),
    ...of('uploads', 'expiry of parts', ['after the look', BEFORE_STATUS], STATUS),
    ...of('uploads', 'end of the window with bytes', STATUS, RECORD, TOTALS, END),
  ],
  of(
    'uploads',
    'delete that the store refused',
    ['after the delete at the store', BEFORE_STATUS],
    STATUS,
  ),
  of(
    'uploads',
    'late PUT after a delete',
    ['after the delete at the store', BEFORE_STATUS],
    STATUS,
  ),
  of('uploads', 'former place that nothing needs', [
    'after the note of the look',
    after('update', 'formerPlaces'),
  ]),
  of('uploads', 'former place that nothing needs', [
    'after the credentials are gone',
    after('update', 'formerPlaces', 2),
  ]),
  [
    ...of('api', 'connect', ['after the insert', after('insert', 'connections')]),
    ...of('api', 'repeated connect', ['after the update', after('update', 'connections')]),
    ...of(
      'api',
      'start of a scan',
      ['after the start of the workflow', before('insert', 'scans')],
      ['after the insert', after('insert', 'scans')],
    ),
    ...of('api', 'approval', ...APPROVED),
    ...of('api', 'cancellation', ...APPROVED),
    ...of('api', 'start of a round', ...APPROVED),
    ...of('api', 'start of a release check', ['after the insert', after('insert', 'releases')]),
    ...of('api', 'start of a drill', ['after the insert', after('insert', 'drills')]),
  ],
  of(
    'scans',
    'scan',
    ['after its opening', after('insert', 'scans')],
    ['after the list of buckets at the account', before('update', 'scans')],
    ['after the list of buckets', after('update', 'scans')],
    ['after the opening of a bucket', after('insert', 'scanBuckets')],
    ['after a slice at the account', before('update', 'scanBuckets')],
    ['after a slice', after('update', 'scanBuckets')],
  ),
  of(
    'scans',
    'scan',
    ['after the decision', after('update', 'scanBuckets', 2)],
    ['after a recommendation', after('insert', 'recommendations')],
    ['after the end of older recommendations', after('update', 'recommendations')],
    ['after the start of the workflows', before('update', 'scans', 2)],
    ['after the end', after('update', 'scans', 2)],
  ),
  of(
    'migrations',
    'migration',
    ['after its opening', after('insert', 'migrations')],
    ['after the trial of the stores', before('update', 'migrations')],
    ['after the note of the trial', after('update', 'migrations')],
    ['after the listing of a page', before('insert', 'manifestPages')],
    ['after a page of the manifest', after('insert', 'manifestPages')],
    ['after the second write of the planning', after('update', 'migrations', 2)],
    ['after the begin of a page', after('insert', 'manifestCounts')],
  ),
  [
    ...of(
      'migrations',
      'migration',
      ['after the naming of the places', after('insert', 'ledger')],
      ['after the copies, before their lines', before('insert', 'ledger', 2)],
      ['after the lines', after('insert', 'ledger', 2)],
      ['after the counts of a page', after('update', 'manifestCounts')],
      ['after the begin of the verification', after('update', 'migrations', 3)],
      ['after the reason of the end', after('update', 'migrations', 4)],
      ['after the end', after('update', 'migrations', 5)],
    ),
    ...of('migrations', 'release after a migration', [
      'after the write',
      after('update', 'recommendations'),
    ]),
  ],
  of(
    'migrations',
    'round',
    ['after its opening', after('update', 'migrations')],
    ['after the comparison of a page', before('insert', 'manifestPages')],
    ['after a page of the manifest', after('insert', 'manifestPages')],
    ['after the naming of the places', after('insert', 'ledger')],
    ['after the copies, before their lines', before('insert', 'ledger', 2)],
    ['after the lines', after('insert', 'ledger', 2)],
    ['after the removals, before their lines', before('insert', 'ledger', 3)],
    ['after the reason of the end', after('update', 'migrations', 6)],
    ['after the end', after('update', 'migrations', 7)],
  ),
  [
    ...of(
      'migrations',
      'release check',
      ['after the comparison of a page', before('insert', 'releasePages')],
      ['after a page', after('insert', 'releasePages')],
      ['after the progress', after('update', 'releases')],
      ['after the note of what is released', before('update', 'releases', 2)],
      ['after the end', after('update', 'releases', 2)],
    ),
    ...of('migrations', 'migration that tries its target', TESTED),
    ...of('migrations', 'migration that is cancelled meanwhile', TESTED),
  ],
  of(
    'migrations',
    'move of a file',
    ['after a page of the plan', after('insert', 'manifestPages')],
    ['after the copy, before the move', before('update', 'files')],
    ['after the move, before its line', after('update', 'files')],
    ['after its line', after('insert', 'ledger')],
    ['after the begin of the delete', after('update', 'files', 2)],
    ['after the delete, before its entry is removed', before('update', 'files', 3)],
    ['after its entry is removed', after('update', 'files', 3)],
    ['after the line of the delete', after('insert', 'ledger', 2)],
  ),
  of(
    'migrations',
    'relocation',
    ['after the plan', after('update', 'relocations', 2)],
    ['after the naming of the places', after('insert', 'ledger')],
    ['after the progress', after('update', 'relocations', 3)],
    ['after the copying', after('update', 'relocations', 4)],
    ['after the end', after('update', 'relocations', 5)],
  ),
  [
    ...of(
      'migrations',
      'drill',
      ['after the draw, before its pages', before('insert', 'manifestPages')],
      ['after a page of the sample', after('insert', 'manifestPages')],
      ['after the sample', after('update', 'drills')],
      ['after the naming of the places', after('insert', 'ledger')],
      ['after the copies, before their lines', before('insert', 'ledger', 2)],
      ['after the lines', after('insert', 'ledger', 2)],
      ['after the progress', after('update', 'drills', 2)],
    ),
    ...of('migrations', 'drill whose source changes meanwhile', [
      'between two pages of the sample',
      after('insert', 'manifestPages'),
    ]),
  ],
  [
    ...of(
      'migrations',
      'drill',
      ['after the reads, before their lines', before('insert', 'ledger', 3)],
      ['after the lines of the reads', after('insert', 'ledger', 3)],
      ['after the begin of the removal', after('update', 'drills', 6)],
      ['after the removal, before the end', before('update', 'drills', 7)],
      ['after the end', after('update', 'drills', 7)],
    ),
    ...of('migrations', 'drill that removes', ['between two deletes']),
  ],
];
