import type { MigrationError } from '../migrations/migration.ts';
import { sumBy } from '../common/sums.ts';
import { compareKeys } from '../inventory/key-order.ts';
import { isMigrated, type LedgerLine, type ObjectFailure } from '../migrations/object-ledger.ts';
import { growTree, rootOf, toReleased, type ReleasedObject } from '../migrations/release.ts';
import { roundUsd } from '../pricing/money.ts';
import type { ProviderName, StoreLocation } from '../providers/catalogue.ts';
import type { NamedPlace, RelocationStop } from '../relocations/relocation.ts';
import type { Stratum } from './sample.ts';

/**
 * The life of an exit drill:
 *
 *     sampling ─→ copying ─→ reading ─→ removing ─→ completed, failed, cancelled
 *     sampling, copying, reading ─→ removing, once it is to stop
 */
export const DRILL_STATUSES = [
  'sampling',
  'copying',
  'reading',
  'removing',
  'completed',
  'failed',
  'cancelled',
] as const;
export type DrillStatus = (typeof DRILL_STATUSES)[number];

/** How many files, or files of how many bytes, are tried. */
export type SampleSize = { readonly files: number } | { readonly bytes: number };
export const MAX_SAMPLE_FILES = 10_000;
/** Files of a sample that are planned, copied and read back together. */
export const PAGE_FILES = 250;

/** What is to be sampled: files at a place, or objects in a bucket of a connection. */
export interface DrillRequest {
  readonly from: NamedPlace | { readonly connectionId: string; readonly bucketName: string };
  readonly to: ProviderName;
  readonly sample: SampleSize;
  readonly maxTotalUsd?: number;
}

/** All failures are counted; this many are listed. */
const MAX_FAILURES = 100;

/** How long the removal of what a drill has written is tried; then it says what is left. */
export const REMOVE_SECONDS = 3600;

/** The objects that no drill tries, by the reason. */
export interface LeftOut {
  readonly archived: number;
  readonly unpriced: number;
  readonly tooLarge: number;
  /** Objects that are always tried, for which the sample has no room. */
  readonly withoutRoom: number;
}

/** What was sampled, and of what. */
export interface Sampled {
  /** The manifest of the draw that counts: a worker that dies leaves pages of another one. */
  readonly manifestId: string;
  readonly pages: number;
  readonly files: number;
  readonly bytes: number;
  readonly strata: readonly Stratum[];
  readonly leftOut: LeftOut;
  readonly bytesUsd: BytesUsd;
  readonly whole: {
    readonly files: number;
    readonly bytes: number;
    readonly onceUsd: number;
    readonly monthlyUsd: number;
  };
}

/** What the bytes of all files of a sample cost. */
export interface BytesUsd {
  readonly read: number;
  readonly readBack: number;
  /** The shortest time for which the target bills what it stores. */
  readonly kept: number;
}

/** What a drill has sent to its stores. */
export interface DrillUse {
  readonly requests: number;
  /** For the requests, and for the retrieval of what was read. */
  readonly usd: number;
  readonly bytesRead: number;
  readonly bytesReadBack: number;
}
export const NO_USE: DrillUse = { requests: 0, usd: 0, bytesRead: 0, bytesReadBack: 0 };

export function addUse(a: DrillUse, b: DrillUse): DrillUse {
  return {
    requests: a.requests + b.requests,
    usd: a.usd + b.usd,
    bytesRead: a.bytesRead + b.bytesRead,
    bytesReadBack: a.bytesReadBack + b.bytesReadBack,
  };
}

export interface DrillFailure {
  readonly key: string;
  readonly code: ObjectFailure;
}

/** What the ledger of a drill says at one moment. */
export interface DrillResults {
  readonly copied: number;
  readonly readBack: number;
  readonly equal: number;
  /** Not copied, or not the same when read back. */
  readonly failed: number;
  /** All are counted; these are the first. */
  readonly failures: readonly DrillFailure[];
  /** All of them, by their codes. */
  readonly byCode: readonly { readonly code: ObjectFailure; readonly files: number }[];
  readonly bytesCopied: number;
  readonly bytesPerSecond: number;
  readonly requests: number;
  readonly retries: number;
  /** Over the objects that were the same when read back. */
  readonly rootHash: string | null;
}

/** A trial move of a sample of the objects of a place, which leaves nothing at the target. */
export interface DrillRecord {
  readonly drillId: string;
  readonly accountId: string;
  readonly status: DrillStatus;
  readonly from: StoreLocation;
  /** Whose bucket it is; null: the files of the service are sampled. */
  readonly connectionId: string | null;
  /** Whose credentials read it. */
  readonly place: StoreLocation;
  readonly to: StoreLocation;
  readonly seed: string;
  readonly size: SampleSize;
  /** Files in the sample, at most. */
  readonly sampleFiles: number;
  readonly maxTotalUsd: number;
  /** The `sub` of the person. */
  readonly startedBy: string;
  readonly startedByName: string;
  readonly requestId: string;
  /** Ages are those of this moment, and later objects are left out. */
  readonly startedAt: Date;
  readonly sampled: Sampled | null;
  /** Pages before it are copied, or read back. */
  readonly page: number;
  readonly copyMs: number;
  readonly used: DrillUse;
  /** Why it goes no further. */
  readonly stopping: RelocationStop | null;
  readonly removingSince: Date | null;
  /** Whether nothing of it is left at the target. */
  readonly removed: boolean;
  /** Keys that the target has not deleted, the first ones. */
  readonly left: readonly string[];
  readonly results: DrillResults | null;
  readonly completedAt: Date | null;
  readonly error: MigrationError | null;
  /** Its certificate as JSON but for the objects, which the ledger has. */
  readonly certificateHead: string | null;
  readonly certificateSha256: string | null;
}

/** What its keys at the target begin with. */
export function drillPrefix({ drillId }: Pick<DrillRecord, 'drillId'>): string {
  return `drill/${drillId}/`;
}

export function hasEnded({ completedAt }: Pick<DrillRecord, 'completedAt'>): boolean {
  return completedAt !== null;
}

/** An object that was the same when read back: a leaf of the tree under `rootHash`. */
export function provenObject(line: LedgerLine): ReleasedObject | undefined {
  return line.readBack === 'equal' ? toReleased(line) : undefined;
}

/** What only the cut-over itself shows. */
const NEVER_TRIED = [
  'the keys themselves at the target: the copies of a drill are numbered there',
  'the cut-over of your application: what reads and writes at the source now, and how it is switched',
  'the permissions of those who read: bucket policies, ACLs, roles and signed links at the target',
  'older versions of objects, and delete markers',
  'events and notifications of the bucket, its life-cycle rules, replication and inventory',
  'the load of all objects at once: limits of the target that only a long copy meets',
] as const;

/** What a drill has not tried, as its certificate says it. */
export function notTried({ sampled }: Pick<DrillRecord, 'sampled'>): readonly string[] {
  if (!sampled) return NEVER_TRIED;
  const { files, whole, leftOut } = sampled;
  const { archived, unpriced, tooLarge, withoutRoom } = leftOut;
  const left: readonly (readonly [count: number, why: string])[] = [
    [whole.files - files, 'not in the sample'],
    [withoutRoom, 'of those that are always tried, for which the sample has no room'],
    [archived, 'in archived classes, which must be restored before they can be read'],
    [unpriced, 'in storage classes without a price'],
    [tooLarge, 'larger than the target stores'],
  ];
  return [
    ...left
      .filter(([count]) => count > 0)
      .map(([count, why]) => `${count} object${count === 1 ? '' : 's'} ${why}`),
    ...NEVER_TRIED,
  ];
}

/** What the drill has cost so far: the requests that it has sent, and the bytes that it has read. */
export function costOf(
  { sampled, used }: Pick<DrillRecord, 'sampled' | 'used'>,
  { bytesCopied }: Pick<DrillResults, 'bytesCopied'>,
): number {
  if (!sampled || sampled.bytes === 0) return roundUsd(used.usd);
  const { read, readBack, kept } = sampled.bytesUsd;
  const ofBytes = read * used.bytesRead + readBack * used.bytesReadBack + kept * bytesCopied;
  return roundUsd(used.usd + ofBytes / sampled.bytes);
}

/** What the lines of its ledger say. */
export function summarize(
  lines: readonly LedgerLine[],
  { copyMs, used }: Pick<DrillRecord, 'copyMs' | 'used'>,
): DrillResults {
  const copied = lines.filter(isMigrated);
  const failures = lines.flatMap(({ key, code, readBack = 'equal' }): DrillFailure[] => {
    if (code) return [{ key, code }];
    return readBack === 'equal' ? [] : [{ key, code: readBack }];
  });
  const byCode = new Map<ObjectFailure, number>();
  for (const { code } of failures) byCode.set(code, (byCode.get(code) ?? 0) + 1);
  const bytesCopied = sumBy(copied, ({ bytes }) => bytes);
  const proven = lines.flatMap((line) => provenObject(line) ?? []);
  return {
    copied: copied.length,
    readBack: copied.filter(({ readBack }) => readBack !== undefined).length,
    equal: proven.length,
    failed: failures.length,
    failures: failures.slice(0, MAX_FAILURES),
    byCode: [...byCode]
      .map(([code, files]) => ({ code, files }))
      .sort((a, b) => compareKeys(a.code, b.code)),
    bytesCopied,
    bytesPerSecond: copyMs === 0 ? 0 : Math.round((bytesCopied * 1000) / copyMs),
    requests: used.requests,
    retries: sumBy(lines, ({ attempts }) => Math.max(0, attempts - 1)),
    rootHash: rootOf(growTree([], proven)),
  };
}
