import type { Long } from 'mongodb';
import { UsageTotals } from '../../../adapters/mongo/uploads/usage.ts';
import type { MonthlyTotals } from '../../../domain/uploads/usage-totals.ts';
import { uploadWorkflowId } from '../../../messages/names.ts';
import { areRunning, violationOf, type Evidence, type Violation } from './invariant.ts';

/** A file as stored; a tombstone is one whose init failed after the insert. */
export interface StoredFile {
  readonly _id: string;
  readonly accountId: string;
  readonly status: string;
  readonly month: string;
  readonly sizeBytes: number | Long;
  readonly savedVsAws: number;
  readonly objectKey: string;
  readonly fileName: string;
  readonly location: { readonly provider: string; readonly bucketName: string };
  readonly routing: { readonly provider: string };
  readonly oldObjects?: readonly unknown[];
  readonly deadline: Date;
  readonly nextAttemptAt?: Date;
  readonly completedAt?: Date;
  readonly expiredAt?: Date;
  readonly deleteStoppedAt?: Date;
  readonly lookAgainAt?: Date;
  readonly tombstone?: true;
}

type StoredUsage = Pick<StoredFile, '_id' | 'accountId' | 'month' | 'sizeBytes' | 'savedVsAws'> & {
  readonly provider: string;
};

type StoredBookings = Pick<StoredFile, 'accountId' | 'month'> &
  Readonly<Record<'bytes' | 'uploads', number | Long>>;

/** The files of the accounts that count, tombstones included. */
export async function readFiles({ db, leftOut }: Evidence): Promise<StoredFile[]> {
  const files = await db.collection<StoredFile>('files').find().toArray();
  return files.filter(({ accountId }) => !leftOut.has(accountId));
}

/** `workflow`, `settled`. @param asOf what was due then is to be done */
export async function checkLives(
  { temporal }: Evidence,
  files: readonly StoredFile[],
  asOf: Date,
): Promise<Violation[]> {
  const waiting = files.filter(({ status, deadline }) => status === 'pending' && deadline >= asOf);
  const isRunning = await areRunning(
    temporal,
    waiting.map(({ _id }) => uploadWorkflowId(_id)),
  );
  const unsettled = files.filter(
    ({ status, deadline, nextAttemptAt }) =>
      (status === 'pending' && deadline < asOf) ||
      (nextAttemptAt !== undefined && nextAttemptAt <= asOf),
  );
  return [
    ...violationOf('workflow', idsOf(waiting.filter((_, index) => isRunning[index] !== true))),
    ...violationOf('settled', idsOf(unsettled)),
  ];
}

/** `usage`, `totals`, `quota`: each figure is computed from the files. */
export async function checkFigures(
  { db, leftOut }: Evidence,
  all: readonly StoredFile[],
): Promise<Violation[]> {
  const files = all.filter(({ tombstone }) => tombstone === undefined);
  const counts = <T extends { readonly accountId: string }>(found: readonly T[]) =>
    found.filter(({ accountId }) => !leftOut.has(accountId));
  const usage = counts(await db.collection<StoredUsage>('usage').find().toArray());
  const bookings = counts(await db.collection<StoredBookings>('quota').find().toArray());

  const routed = files.filter(({ completedAt }) => completedAt !== undefined);
  const expected = new Map(
    routed.map((file) => [file._id, routingOf({ ...file, provider: file.routing.provider })]),
  );
  const recorded = new Map(usage.map((record) => [record._id, routingOf(record)]));
  return [
    ...violationOf('usage', differences(expected, recorded)),
    ...violationOf('totals', await findWrongTotals(db, files, usage)),
    ...violationOf('quota', findWrongBookings(files, bookings)),
  ];
}

async function findWrongTotals(
  db: Evidence['db'],
  files: readonly StoredFile[],
  usage: readonly StoredUsage[],
): Promise<string[]> {
  const expected = new Map<string, Record<string, bigint>>();
  const add = (month: { accountId: string; month: string }, name: string, amount: number) => {
    const sums = expected.get(periodOf(month)) ?? {};
    expected.set(periodOf(month), { ...sums, [name]: (sums[name] ?? 0n) + BigInt(amount) });
  };
  for (const record of usage) {
    add(record, `${record.provider}.uploads`, 1);
    add(record, `${record.provider}.bytes`, Number(record.sizeBytes));
    add(record, `${record.provider}.savedMicroUsd`, record.savedVsAws);
  }
  for (const file of files) {
    const isDeleted = file.status === 'deleting' || file.status === 'deleted';
    // An expired file that became active is counted as active only.
    const isExpired = file.expiredAt !== undefined && !file.completedAt;
    if (isExpired) add(file, 'expired', 1);
    if (isDeleted) add(file, 'deleted', 1);
    if (isDeleted && file.completedAt) add(file, 'deletedActive', 1);
    if (isDeleted && isExpired) add(file, 'deletedExpired', 1);
    if (!file.completedAt && (isDeleted || isExpired)) {
      add(file, 'releasedUploads', 1);
      add(file, 'releasedBytes', Number(file.sizeBytes));
    }
  }
  const periods = new Set([...files, ...usage].map(periodOf));
  const totals = new UsageTotals(db);
  const wrong: string[] = [];
  for (const period of periods) {
    const [accountId = '', month = ''] = period.split('|');
    const stored = (await totals.read(accountId, [month as never])).get(month as never) ?? {};
    if (textOf(flatten(stored)) !== textOf(expected.get(period) ?? {})) wrong.push(period);
  }
  return wrong;
}

function findWrongBookings(
  files: readonly StoredFile[],
  bookings: readonly StoredBookings[],
): string[] {
  const expected = new Map<string, { uploads: number; bytes: number }>();
  for (const file of files) {
    const { uploads, bytes } = expected.get(periodOf(file)) ?? { uploads: 0, bytes: 0 };
    expected.set(periodOf(file), { uploads: uploads + 1, bytes: bytes + Number(file.sizeBytes) });
  }
  const stored = bookings
    .map(
      (one) => [periodOf(one), { uploads: Number(one.uploads), bytes: Number(one.bytes) }] as const,
    )
    .filter(([period, { uploads, bytes }]) => uploads > 0 || bytes > 0 || expected.has(period));
  const show = (of: Iterable<readonly [string, { uploads: number; bytes: number }]>) =>
    new Map([...of].map(([period, { uploads, bytes }]) => [period, `${uploads}, ${bytes}`]));
  return differences(show(expected), show(stored));
}

/** The keys whose values differ, or that one side lacks. */
function differences(
  expected: ReadonlyMap<string, string>,
  found: ReadonlyMap<string, string>,
): string[] {
  return [...new Set([...expected.keys(), ...found.keys()])].filter(
    (key) => expected.get(key) !== found.get(key),
  );
}

function routingOf(record: Omit<StoredUsage, '_id'>): string {
  const { accountId, month, provider, sizeBytes, savedVsAws } = record;
  return [accountId, month, provider, Number(sizeBytes), savedVsAws].join('|');
}

function periodOf({ accountId, month }: { accountId: string; month: string }): string {
  return `${accountId}|${month}`;
}

/** The amounts by their last two names, such as `r2.bytes` or `expired`. */
function flatten({ byProvider = {}, ...rest }: MonthlyTotals): Record<string, bigint> {
  const routed = Object.entries(byProvider).flatMap(([provider, sums]) =>
    Object.entries(sums).map(([name, amount]) => [`${provider}.${name}`, amount] as const),
  );
  return Object.fromEntries([...Object.entries(rest), ...routed]);
}

function textOf(sums: Readonly<Record<string, bigint>>): string {
  return Object.entries(sums)
    .filter(([, amount]) => amount !== 0n)
    .map(([name, amount]) => `${name}=${amount}`)
    .sort()
    .join();
}

export function idsOf(documents: readonly { readonly _id: string }[]): string[] {
  return documents.map(({ _id }) => _id);
}
