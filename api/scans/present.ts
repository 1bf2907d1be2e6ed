import { Type } from 'typebox';
import { groupBy } from '../../domain/common/sums.ts';
import type { ScanChanges } from '../../domain/scans/changes.ts';
import type {
  ScannedBucket,
  ScanRecord,
  ScanRevision,
  ScanSummary,
} from '../../domain/scans/scan.ts';
import { AGE_BANDS, REST_PREFIX, SIZE_BANDS } from '../../domain/inventory/bands.ts';
import type { Count, Group } from '../../domain/inventory/inventory.ts';
import { roundUsd } from '../../domain/pricing/money.ts';
import { compareKeys } from '../../domain/inventory/key-order.ts';
import type { ScanLine } from '../../adapters/mongo/scans/scans.ts';
import type { ShownBucket } from '../../messages/scan.ts';
import type { ScanSnapshot } from '../../operations/scans/scans.ts';
import { toView, type View } from '../http/route.ts';
import {
  BucketView,
  LatestBucketView,
  RevisionView,
  ScanChangesView,
  ScanLineView,
  ScanResult,
  ScanStarted,
} from './schemas.ts';
import { presentRecommendation } from '../recommendations/present.ts';

/** The summary of a scan that has not completed. */
const NO_SUMMARY: ScanSummary = {
  buckets: 0,
  objects: 0,
  bytes: 0,
  currentMonthlyCostUsd: 0,
  optimalMonthlyCostUsd: 0,
  monthlySavingsUsd: 0,
  workloadProfile: 'mixed',
  findings: [],
  coverage: [],
  bill: null,
};

export function presentScanStarted(
  scan: Pick<ScanRecord, 'scanId' | 'connectionId' | 'startedAt'>,
): View<typeof ScanStarted> {
  return toView(ScanStarted, { ...scan, status: 'queued' });
}

/**
 * The JSON of a scan, piece by piece: one bucket, or one recommendation, is in memory at a time.
 */
export async function* presentScan(snapshot: ScanSnapshot): AsyncGenerator<string> {
  const { buckets, recommendations, scan } = snapshot;
  yield `${JSON.stringify(presentHead(snapshot)).slice(0, -1)},"buckets":[`;
  yield* jsonItems(buckets, presentBucket);
  yield '],"recommendations":[';
  yield* jsonItems(recommendations, presentRecommendation);
  const report: View<typeof ScanResult>['decisionReport'] = scan.decisionReport;
  yield `],"decisionReport":${JSON.stringify(report)}`;
  yield `,"revisions":${JSON.stringify(scan.revisions.map(presentRevision))}}`;
}

function presentRevision(revision: ScanRevision): View<typeof RevisionView> {
  return toView(RevisionView, revision);
}

export function presentChanges(changes: ScanChanges): View<typeof ScanChangesView> {
  const { since } = changes;
  return toView(ScanChangesView, {
    ...changes,
    since: since && {
      scanId: since.scanId,
      at: since.at.toISOString(),
      priceBook: since.priceBook,
    },
  });
}

async function* jsonItems<T>(
  items: AsyncIterable<T>,
  present: (item: T) => object,
): AsyncGenerator<string> {
  let separator = '';
  for await (const item of items) {
    yield separator + JSON.stringify(present(item));
    separator = ',';
  }
}

/** What of the answer stands before its lists. */
const HEAD = Type.Omit(ScanResult, ['buckets', 'recommendations', 'decisionReport', 'revisions']);

function presentHead({ scan, source }: ScanSnapshot): View<typeof HEAD> {
  const { progress, requests, summary } = scan;
  const { bucketsDone, bucketsTotal } = progress;
  return toView(HEAD, {
    ...scan,
    source,
    progress: { ...progress, percent: percentDone(bucketsDone, bucketsTotal, scan.status) },
    requests: { ...requests, costUsd: roundUsd(requests.costUsd) },
    summary: { ...(summary ?? NO_SUMMARY), bill: summary?.bill ?? null },
  });
}

export function presentLatestBucket(bucket: ShownBucket): View<typeof LatestBucketView> {
  return toView(LatestBucketView, bucket);
}

export function presentScanLine(scan: ScanLine): View<typeof ScanLineView> {
  const { objects, bytes } = scan.progress;
  return toView(ScanLineView, { ...scan, objects, bytes });
}

/** An account without a bucket is all done once its scan is. */
function percentDone(done: number, total: number, status: ScanRecord['status']): number {
  if (total === 0) return status === 'completed' ? 100 : 0;
  return Math.floor((100 * done) / total);
}

function presentBucket({ inventory, decision }: ScannedBucket): View<typeof BucketView> {
  const { groups, bySize, byContent } = inventory;
  return toView(BucketView, {
    ...inventory,
    ...decision,
    ...sum(groups),
    byStorageClass: sumBy(groups, ({ storageClass }) => storageClass).map(
      ([storageClass, count]) => ({ storageClass, objects: count.objects, bytes: count.bytes }),
    ),
    byAge: AGE_BANDS.map((band, index) =>
      banded(band, sum(groups.filter(({ ageBand }) => ageBand === index))),
    ),
    bySize: SIZE_BANDS.map((band, index) => banded(band, sum(bySize.slice(index, index + 1)))),
    byContent: byContent.filter((content) => content.objects > 0),
    byPrefix: restLast(sumBy(groups, ({ prefix }) => prefix)).map(([prefix, count]) => ({
      prefix,
      objects: count.objects,
      bytes: count.bytes,
    })),
    reads: decision.reads ?? null,
  });
}

function banded<Band extends string>(band: Band, { objects, bytes }: Count) {
  return { band, objects, bytes };
}

/** Sums by a name, the largest first. */
function sumBy(groups: readonly Group[], nameOf: (group: Group) => string): [string, Count][] {
  return [...groupBy(groups, nameOf)]
    .map(([name, members]): [string, Count] => [name, sum(members)])
    .sort(([a, x], [b, y]) => y.bytes - x.bytes || compareKeys(a, b));
}

function restLast(prefixes: [string, Count][]): [string, Count][] {
  const isRest = ([prefix]: [string, Count]) => prefix === REST_PREFIX;
  return [...prefixes.filter((each) => !isRest(each)), ...prefixes.filter(isRest)];
}

function sum(counts: readonly Count[]): Count {
  let objects = 0;
  let bytes = 0;
  for (const count of counts) {
    objects += count.objects;
    bytes += count.bytes;
  }
  return { objects, bytes };
}
