import type { Write } from '../../harness/mongo-proxy.ts';
import type { ProcessName } from './story.ts';
import { UPLOAD_STORIES } from './upload-stories.ts';
import { WORK_STORIES } from './work-stories.ts';

export const STORIES = { ...UPLOAD_STORIES, ...WORK_STORIES };

/** A process is killed at one write of a story, or at a moment that the story knows. */
export interface KillPoint {
  readonly process: ProcessName;
  readonly story: keyof typeof STORIES;
  readonly at: string;
  readonly write?: Write;
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
const pointsOf = (
  process: ProcessName,
  stories: readonly KillPoint['story'][],
  steps: readonly Step[],
): KillPoint[] =>
  stories.flatMap((story) =>
    steps.map(([at, write]) => ({ process, story, at, ...(write && { write }) })),
  );

const STATUS: Step = ['after the status', after('update', 'files')];
const RECORD: Step = ['after the usage record', after('insert', 'usage')];
const TOTALS: Step = ['after the totals', after('update', 'usageTotals')];
const DELETED: Step = ['after the delete at the store', before('update', 'files', 2)];
const END: Step = ['after the end', after('update', 'files', 2)];

/** Every write of an upload, a scan and a migration, and each side of a call to a store or to Temporal. */
export const KILL_POINTS: readonly KillPoint[] = [
  ...pointsOf('api', ['complete'], [STATUS, RECORD, TOTALS, END]),
  ...pointsOf(
    'api',
    ['complete of parts'],
    [['after the assembly at the store', before('update', 'files')], STATUS],
  ),
  ...pointsOf(
    'api',
    ['delete of a pending file', 'delete of an active file'],
    [STATUS, TOTALS, DELETED, END],
  ),
  ...pointsOf('api', ['delete of parts'], [STATUS, DELETED]),
  ...pointsOf(
    'api',
    ['init of parts'],
    [
      ['after the insert', after('insert', 'files')],
      ['after the creation at the store', before('update', 'files')],
      STATUS,
    ],
  ),
  ...pointsOf(
    'uploads',
    ['expiry'],
    [['after the look', before('update', 'files')], STATUS, TOTALS, END],
  ),
  ...pointsOf(
    'uploads',
    ['expiry of parts'],
    [['after the look', before('update', 'files')], STATUS],
  ),
  ...pointsOf('uploads', ['end of the window with bytes'], [STATUS, RECORD, TOTALS, END]),
  ...pointsOf(
    'uploads',
    ['delete that the store refused', 'late PUT after a delete'],
    [['after the delete at the store', before('update', 'files')], STATUS],
  ),
  ...pointsOf('api', ['connect'], [['after the insert', after('insert', 'connections')]]),
  ...pointsOf('api', ['repeated connect'], [['after the update', after('update', 'connections')]]),
  ...pointsOf(
    'api',
    ['start of a scan'],
    [
      ['after the start of the workflow', before('insert', 'scans')],
      ['after the insert', after('insert', 'scans')],
    ],
  ),
  ...pointsOf(
    'scans',
    ['scan'],
    [
      ['after its opening', after('insert', 'scans')],
      ['after the list of buckets at the account', before('update', 'scans')],
      ['after the list of buckets', after('update', 'scans')],
      ['after the opening of a bucket', after('insert', 'scanBuckets')],
      ['after a slice at the account', before('update', 'scanBuckets')],
      ['after a slice', after('update', 'scanBuckets')],
      ['after the decision', after('update', 'scanBuckets', 2)],
      ['after a recommendation', after('insert', 'recommendations')],
      ['after the end of older recommendations', after('update', 'recommendations')],
      ['after the start of the workflows', before('update', 'scans', 2)],
      ['after the end', after('update', 'scans', 2)],
    ],
  ),
  ...pointsOf(
    'api',
    ['approval', 'cancellation'],
    [
      ['after the reads', before('update', 'recommendations')],
      ['after the write', after('update', 'recommendations')],
    ],
  ),
  ...pointsOf(
    'migrations',
    ['migration'],
    [
      ['after its opening', after('insert', 'migrations')],
      ['after the trial of the stores', before('update', 'migrations')],
      ['after the note of the trial', after('update', 'migrations')],
      ['after the listing of a page', before('insert', 'manifestPages')],
      ['after a page of the manifest', after('insert', 'manifestPages')],
      ['after the second write of the planning', after('update', 'migrations', 2)],
      ['after the begin of a page', after('insert', 'manifestCounts')],
      ['after the copies, before their lines', before('insert', 'ledger')],
      ['after the lines', after('insert', 'ledger')],
      ['after the counts of a page', after('update', 'manifestCounts')],
      ['after the begin of the verification', after('update', 'migrations', 3)],
      ['after the reason of the end', after('update', 'migrations', 4)],
      ['after the end', after('update', 'migrations', 5)],
    ],
  ),
  ...pointsOf(
    'migrations',
    ['release after a migration'],
    [['after the write', after('update', 'recommendations')]],
  ),
  ...pointsOf(
    'api',
    ['start of a round'],
    [
      ['after the reads', before('update', 'recommendations')],
      ['after the write', after('update', 'recommendations')],
    ],
  ),
  ...pointsOf(
    'migrations',
    ['round'],
    [
      ['after its opening', after('update', 'migrations')],
      ['after the comparison of a page', before('insert', 'manifestPages')],
      ['after a page of the manifest', after('insert', 'manifestPages')],
      ['after the copies, before their lines', before('insert', 'ledger')],
      ['after the lines', after('insert', 'ledger')],
      ['after the removals, before their lines', before('insert', 'ledger', 2)],
      ['after the reason of the end', after('update', 'migrations', 6)],
      ['after the end', after('update', 'migrations', 7)],
    ],
  ),
  ...pointsOf(
    'api',
    ['start of a release check'],
    [['after the write', after('update', 'releases')]],
  ),
  ...pointsOf(
    'migrations',
    ['release check'],
    [
      ['after the comparison of a page', before('update', 'releasePages')],
      ['after a page', after('update', 'releasePages')],
      ['after the progress', after('update', 'releases')],
      ['after the end', after('update', 'releases', 2)],
    ],
  ),
  ...pointsOf(
    'migrations',
    ['migration that tries its target', 'migration that is cancelled meanwhile'],
    [['between the write and the delete of its test object']],
  ),
];
