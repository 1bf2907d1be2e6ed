import { Readable } from 'node:stream';
import { setTimeout as waitFor } from 'node:timers/promises';
import { continueUsage } from '../../adapters/cloud-account/account-usage.ts';
import {
  endBucket,
  giveUpBucket,
  MAX_ATTEMPTS,
  NOT_READ,
  readSlice,
  type BucketWork,
} from '../../adapters/cloud-account/bucket-slice.ts';
import { forEachConcurrently } from '../../adapters/concurrently.ts';
import { backoff } from '../../adapters/retry.ts';
import { targetSizeLimits } from '../../domain/decision/region-rates.ts';
import type { BucketError, BucketInventory, Count } from '../../domain/inventory/inventory.ts';
import { decideReading, describeDecision, toRecords } from '../../domain/scans/decided-scan.ts';
import type { RequestMeter } from '../../domain/scans/request-meter.ts';
import type { ListedBucket, ScanGap, ScanRecord } from '../../domain/scans/scan.ts';
import { NO_USAGE_WORK, type UsageWork } from '../../domain/scans/usage-work.ts';
import type { ScanSnapshot } from '../../operations/scans/scans.ts';
import { LEFT_ALONE, PRICE_BOOK } from './data.ts';
import type { Settings } from './settings.ts';
import type { Source } from './source.ts';

/** As many as a scan of the service reads in parallel. */
const BUCKETS_AT_ONCE = 4;
/** The progress shows the objects of a slice at its end. */
const SLICE_MS = 8_000;
const pauseMs = backoff({ firstMs: 1_000 });
/** Without a service nothing has an id; the rules take one. */
const scanId = '00000000-0000-0000-0000-000000000000';
const OWNER = { accountId: scanId, connectionId: scanId };

export interface AuditDeps {
  readonly settings: Settings;
  readonly source: Source;
  readonly meter: RequestMeter;
  /** Aborted to end the reading early; its reason is a `BucketError`. */
  readonly signal: AbortSignal;
  readonly startedAt: Date;
  /** Called with the buckets that are read and the objects so far. */
  readonly onRead: (bucketsDone: number, objects: number) => void;
}

/** Why an audit ended before everything was read. */
export const INTERRUPTED: BucketError = {
  code: 'interrupted',
  message: 'The audit was interrupted before this was read to its end.',
};
export const LIMITED: BucketError = {
  code: 'max_requests',
  message:
    'The audit had sent as many requests as --max-requests allows before this was read to its end.',
};

/** The result of an audit, as a service has the result of a completed scan. */
export type Audited = Omit<ScanSnapshot, 'source'> & {
  /** Why nothing of a bucket could be read, for each of which that is so. */
  readonly unread: readonly string[];
};

/**
 * Reads buckets, bill and metrics, and decides, by the steps of a scan. What is read is held in
 * memory as aggregates: as much as a scan stores, whatever the number of keys.
 */
export async function audit(deps: AuditDeps, buckets: readonly ListedBucket[]): Promise<Audited> {
  const { settings, source, meter, signal, startedAt } = deps;
  const { provider } = settings.home;
  const works = await readBuckets(deps, buckets);
  const inventories = works.flatMap(({ inventory }) => inventory ?? []);
  const usage = await readUsage(deps, inventories);
  const completedAt = new Date();
  const terms = { priceBook: PRICE_BOOK, leftAlone: LEFT_ALONE, decision: settings.decision };
  const decided = decideReading(terms, {
    key: { scanId, revision: 0 },
    provider,
    startedAt,
    decidedAt: completedAt,
    buckets: inventories,
    usage,
    configured: [],
  });
  const { outcome } = describeDecision(terms, { revisions: [] }, decided, undefined);
  const { objects, bytes } = sumProgress(works);
  const scan: ScanRecord = {
    ...OWNER,
    ...outcome,
    scanId,
    provider,
    status: 'completed',
    startedAt,
    completedAt,
    error: null,
    progress: {
      bucketsTotal: buckets.length,
      bucketsDone: inventories.filter(({ error }) => error !== signal.reason).length,
      objects,
      bytes,
    },
    requests: meter.read(),
  };
  return {
    scan,
    now: completedAt,
    unread: inventories.flatMap(({ name, error, groups }) =>
      error && groups.length === 0 ? [`${name}: ${error.message}`] : [],
    ),
    buckets: Readable.from(
      decided.request.buckets.flatMap((inventory, at) => {
        const decision = decided.decision.buckets[at];
        return decision ? [{ inventory, decision }] : [];
      }),
    ),
    recommendations: Readable.from(
      toRecords(terms, { ...OWNER, cloudAccountId: source.account }, decided).map(
        (recommendation) => ({
          recommendation,
          supersededBy: null,
          dismissal: null,
          now: completedAt,
        }),
      ),
    ),
  };
}

async function readBuckets(
  deps: AuditDeps,
  buckets: readonly ListedBucket[],
): Promise<readonly BucketWork[]> {
  const works = buckets.map(() => NOT_READ);
  await forEachConcurrently([...buckets.entries()], BUCKETS_AT_ONCE, async ([at, bucket]) => {
    await readBucket(deps, bucket, (work) => {
      works[at] = work;
      const done = works.filter(({ inventory }) => inventory !== null);
      deps.onRead(done.length, sumProgress(works).objects);
    });
  });
  return works;
}

async function readBucket(
  { source, settings, startedAt, signal: ending }: AuditDeps,
  listed: ListedBucket,
  save: (work: BucketWork) => void,
): Promise<void> {
  const { provider } = settings.home;
  const planned = { ...listed, title: PRICE_BOOK.catalogue.titleOf(provider) };
  const basis = {
    asOf: startedAt,
    sizeLimits: targetSizeLimits(PRICE_BOOK, provider),
    minSizes: PRICE_BOOK.minBillableSizes,
  };
  const slicing = {
    maxMs: SLICE_MS,
    signal: () => ending,
    wait: (ms: number, signal?: AbortSignal) =>
      waitFor(ms, undefined, signal ? { signal } : {}).catch(() => undefined),
    marksOf: LEFT_ALONE.marksOf,
  };
  const reader = source.reader.bucket(listed);
  let work = NOT_READ;
  for (let failures = 0; work.inventory === null;) {
    if (ending.aborted) {
      work = endBucket(planned, work, ending.reason as BucketError);
    } else {
      const { work: read, failure } = await readSlice(reader, planned, work, basis, slicing);
      work = read;
      failures = failure === null ? 0 : failures + 1;
      if (failure && failures === MAX_ATTEMPTS) work = giveUpBucket(planned, work, failure);
      else if (failure) await slicing.wait(pauseMs(failures), ending);
    }
    save(work);
  }
}

/** The bill and the metrics; a line of the coverage where they are not asked for. */
async function readUsage(
  { source: { usage, reader }, startedAt, signal }: AuditDeps,
  inventories: readonly BucketInventory[],
): Promise<UsageWork | undefined> {
  if (!usage) return undefined;
  if (signal.reason === INTERRUPTED) {
    const gap: ScanGap = { bucket: null, missing: 'cost_explorer', effect: INTERRUPTED.message };
    return { ...NO_USAGE_WORK, gaps: [gap] };
  }
  const deps = {
    priceBook: PRICE_BOOK,
    startedAt,
    report: () => undefined,
    open: () => ({ account: reader, usage }),
  };
  return await continueUsage(deps, inventories, NO_USAGE_WORK, async (work) => work);
}

function sumProgress(works: readonly BucketWork[]): Count {
  let [objects, bytes] = [0, 0];
  for (const { progress } of works) {
    objects += progress.objects;
    bytes += progress.bytes;
  }
  return { objects, bytes };
}
