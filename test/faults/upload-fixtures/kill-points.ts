import type { Write } from '../../harness/mongo-proxy.ts';
import type { STORIES } from './stories.ts';

/** The figures of a customer with one upload, when nothing is left to do. */
export interface End {
  readonly status: 'active' | 'deleted' | 'expired';
  readonly recorded: 0 | 1;
  readonly booked: 0 | 1;
}

const ACTIVE: End = { status: 'active', recorded: 1, booked: 1 };
const DELETED_ACTIVE: End = { status: 'deleted', recorded: 1, booked: 1 };
const DELETED_PENDING: End = { status: 'deleted', recorded: 0, booked: 0 };
const EXPIRED: End = { status: 'expired', recorded: 0, booked: 0 };

/** A process is killed at one write of a case. */
export interface KillPoint {
  readonly story: keyof typeof STORIES;
  readonly process: 'api' | 'worker';
  readonly after: string;
  readonly write: Write;
  readonly end: End;
}

const file = (nth: number, when: Write['when'] = 'after'): Write => ({
  command: 'update',
  collection: 'files',
  nth,
  when,
});
const insertOf = (collection: string): Write => ({ command: 'insert', collection, when: 'after' });
const TOTALS: Write = { command: 'update', collection: 'usageTotals', when: 'after' };

/** Every write of every transition, and every call to a store between two writes. */
export const KILL_POINTS: readonly KillPoint[] = [
  ...(['complete', 'complete of parts'] as const).flatMap((story): KillPoint[] => [
    { story, process: 'api', after: 'the status', write: file(1), end: ACTIVE },
    { story, process: 'api', after: 'the usage record', write: insertOf('usage'), end: ACTIVE },
    { story, process: 'api', after: 'the totals', write: TOTALS, end: ACTIVE },
    { story, process: 'api', after: 'the end of the count', write: file(2), end: ACTIVE },
  ]),
  {
    story: 'complete of parts',
    process: 'api',
    after: 'the assembly at the store',
    write: file(1, 'before'),
    end: ACTIVE,
  },
  ...(
    [
      ['delete of a pending file', DELETED_PENDING],
      ['delete of an active file', DELETED_ACTIVE],
      ['delete of parts', DELETED_PENDING],
    ] as const
  ).flatMap(([story, end]): KillPoint[] => [
    { story, process: 'api', after: 'the status', write: file(1), end },
    { story, process: 'api', after: 'the totals', write: TOTALS, end },
    { story, process: 'api', after: 'the delete at the store', write: file(2, 'before'), end },
    { story, process: 'api', after: 'the end', write: file(2), end },
  ]),
  {
    story: 'init of parts',
    process: 'api',
    after: 'the insert',
    write: insertOf('files'),
    end: EXPIRED,
  },
  {
    story: 'init of parts',
    process: 'api',
    after: 'the creation at the store',
    write: file(1, 'before'),
    end: EXPIRED,
  },
  { story: 'init of parts', process: 'api', after: 'the end', write: file(1), end: EXPIRED },
  ...(['expiry', 'expiry of parts'] as const).flatMap((story): KillPoint[] => [
    { story, process: 'worker', after: 'the look', write: file(1, 'before'), end: EXPIRED },
    { story, process: 'worker', after: 'the status', write: file(1), end: EXPIRED },
    { story, process: 'worker', after: 'the totals', write: TOTALS, end: EXPIRED },
    { story, process: 'worker', after: 'the end of the count', write: file(2), end: EXPIRED },
  ]),
  ...(
    [
      ['the status', file(1)],
      ['the usage record', insertOf('usage')],
      ['the totals', TOTALS],
      ['the end of the count', file(2)],
    ] as const
  ).map(([after, write]): KillPoint => ({
    story: 'bytes without a complete',
    process: 'worker',
    after,
    write,
    end: ACTIVE,
  })),
  ...(
    [
      ['the delete at the store', file(1, 'before')],
      ['the end', file(1)],
    ] as const
  ).flatMap(([after, write]): KillPoint[] => [
    {
      story: 'delete that the store refused',
      process: 'worker',
      after,
      write,
      end: DELETED_ACTIVE,
    },
    {
      story: 'late PUT after a delete',
      process: 'worker',
      after,
      write,
      end: DELETED_PENDING,
    },
  ]),
];
