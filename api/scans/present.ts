import { groupBy } from '../../domain/common/sums.ts';
import type { PlacementOption } from '../../domain/decision/types.ts';
import type { ScanChanges } from '../../domain/scans/changes.ts';
import type {
  ScannedBucket,
  ScanRecord,
  ScanRevision,
  ScanSummary,
} from '../../domain/scans/scan.ts';
import { recommendationStatusAt } from '../../domain/recommendations/recommendation.ts';
import type { ShownRecommendation } from '../../operations/recommendations/recommendation-context.ts';
import type { RecommendationInScan } from '../../operations/recommendations/recommendations.ts';
import { AGE_BANDS, REST_PREFIX, SIZE_BANDS } from '../../domain/inventory/bands.ts';
import { isRole, type Connection } from '../../domain/connections/connection.ts';
import type { Schedule } from '../../domain/connections/schedule.ts';
import type { Count, Group } from '../../domain/inventory/inventory.ts';
import { roundUsd } from '../../domain/pricing/money.ts';
import { compareKeys } from '../../domain/inventory/key-order.ts';
import type { ScanLine } from '../../adapters/mongo/scans/scans.ts';
import type { ShownBucket } from '../../messages/scan.ts';
import type { ServiceIdentity } from '../../operations/connections/connections.ts';
import type { ScanSnapshot } from '../../operations/scans/scans.ts';
import type { View } from '../http/route.ts';
import type { ConnectionView, ScheduleView, ServiceIdentityView } from '../connections/schemas.ts';
import type {
  ListedRecommendation,
  OptionView,
  RecommendationDetail,
  RecommendationView,
} from '../recommendations/schemas.ts';
import type {
  BucketView,
  LatestBucketView,
  RevisionView,
  ScanChangesView,
  ScanLineView,
  ScanResult,
  ScanStarted,
} from './schemas.ts';

/** As in the result of a scan. */
function presentRecommendation({
  recommendation,
  supersededBy,
  dismissal,
  now,
}: ShownRecommendation): View<typeof RecommendationView> {
  return {
    recommendationId: recommendation.recommendationId,
    kind: recommendation.kind,
    bucket: recommendation.bucket,
    region: recommendation.region,
    selector: recommendation.selector,
    objects: recommendation.objects,
    bytes: recommendation.bytes,
    currentMonthlyCostUsd: recommendation.currentMonthlyCostUsd,
    optimalMonthlyCostUsd: recommendation.optimalMonthlyCostUsd,
    monthlySavingsUsd: recommendation.monthlySavingsUsd,
    recommendedProvider: recommendation.recommendedProvider,
    recommendedStorageClass: recommendation.recommendedStorageClass,
    options: recommendation.options.map(presentOption),
    confidence: recommendation.confidence,
    scenarios: recommendation.scenarios,
    arrivals: recommendation.arrivals,
    oneOffUsd: recommendation.oneOffUsd,
    reasons: recommendation.reasons,
    risks: recommendation.risks,
    blockers: recommendation.blockers,
    howTo: recommendation.howTo,
    status: recommendationStatusAt(recommendation, now),
    expiresAt: recommendation.expiresAt.toISOString(),
    migrationId: recommendation.approval ? recommendation.recommendationId : null,
    supersededBy,
    dismissed: dismissal && {
      until: dismissal.until.toISOString(),
      reason: dismissal.reason,
      by: dismissal.by.subject,
      byName: dismissal.by.name,
      at: dismissal.at.toISOString(),
    },
  };
}

/** As in the result of its scan, with the ids of the scan and the connection. */
export function presentListedRecommendation(
  shown: ShownRecommendation,
): View<typeof ListedRecommendation> {
  const { scanId, connectionId } = shown.recommendation;
  return { ...presentRecommendation(shown), scanId, connectionId };
}

/** With its costs in each read scenario. */
export function presentRecommendationInScan({
  shown,
  basis,
}: RecommendationInScan): View<typeof RecommendationDetail> {
  const { scenarios, options } = shown.recommendation;
  return {
    ...presentListedRecommendation(shown),
    horizonMonths: basis?.horizonMonths ?? null,
    assumptions: basis?.assumptions ?? [],
    readScenarios: scenarios.map(({ scenario: reads, stayMonthlyUsd }) => ({
      reads,
      stayMonthlyUsd,
      options: options.map(({ provider, storageClass, placedMonthlyUsd }) => ({
        provider,
        storageClass,
        monthlyUsd: placedMonthlyUsd[reads],
      })),
    })),
  };
}

function presentOption(option: PlacementOption): View<typeof OptionView> {
  return {
    provider: option.provider,
    storageClass: option.storageClass,
    configured: option.configured,
    monthlyCostUsd: option.monthlyCostUsd,
    monthlySavingsUsd: option.monthlySavingsUsd,
    quote: option.quote,
    breakEvenMonths: option.breakEvenMonths,
    breakEvenMonthsWithExitWaiver: option.breakEvenMonthsWithExitWaiver,
    waiting: option.waiting,
    blockers: option.blockers ?? [],
  };
}

const SHOWN_FROM_LENGTH = 16;

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

export function presentServiceIdentity({
  awsAccountId,
  templateUrl,
}: ServiceIdentity): View<typeof ServiceIdentityView> {
  return { awsAccountId, templateUrl: templateUrl ?? null };
}

/** @param mayChange whether it is for a person who may change something; others see the external id masked */
export function presentConnection(
  connection: Connection,
  mayChange: boolean,
): View<typeof ConnectionView> {
  const { connectionId, bucketCount, warnings } = connection;
  const createdAt = connection.createdAt.toISOString();
  const schedule = connection.schedule ? presentSchedule(connection.schedule) : null;
  const scope = presentScope(connection, mayChange);
  return { connectionId, ...scope, bucketCount, warnings, createdAt, schedule };
}

function presentScope(connection: Connection, mayChange: boolean) {
  if (!isRole(connection)) return { provider: connection.provider, buckets: connection.buckets };
  const { roleArn, regions } = connection;
  const externalId = mayChange ? connection.externalId : mask(connection.externalId);
  return { roleArn, externalId, regions };
}

/** Shows nothing of one that is short: it could be guessed from its beginning. */
function mask(externalId: string): string {
  return externalId.length < SHOWN_FROM_LENGTH ? '…' : `${externalId.slice(0, 4)}…`;
}

export function presentSchedule({
  every,
  hourUtc,
  nextAt,
  last,
}: Schedule): View<typeof ScheduleView> {
  return {
    every,
    hourUtc,
    nextAt: nextAt.toISOString(),
    last: last && { at: last.at.toISOString(), scanId: last.scanId, outcome: last.outcome },
  };
}

export function presentScanStarted({
  scanId,
  connectionId,
  startedAt,
}: Pick<ScanRecord, 'scanId' | 'connectionId' | 'startedAt'>): View<typeof ScanStarted> {
  return { scanId, connectionId, status: 'queued', startedAt: startedAt.toISOString() };
}

/** The JSON of a scan, piece by piece: one bucket, or one recommendation, is in memory at a time. */
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
  const { at, priceBook, verdict, currentMonthlyCostUsd, monthlySavingsUsd } = revision;
  return { at: at.toISOString(), priceBook, verdict, currentMonthlyCostUsd, monthlySavingsUsd };
}

export function presentChanges({
  since,
  costChangeUsd,
  causes,
  buckets,
  recommendations,
}: ScanChanges): View<typeof ScanChangesView> {
  return {
    since: since && {
      scanId: since.scanId,
      at: since.at.toISOString(),
      priceBook: since.priceBook,
    },
    costChangeUsd,
    causes,
    buckets,
    recommendations,
  };
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
type Head = Omit<
  View<typeof ScanResult>,
  'buckets' | 'recommendations' | 'decisionReport' | 'revisions'
>;

function presentHead({ scan, source }: ScanSnapshot): Head {
  const { progress, requests } = scan;
  const { bucketsDone, bucketsTotal } = progress;
  return {
    scanId: scan.scanId,
    connectionId: scan.connectionId,
    provider: scan.provider,
    status: scan.status,
    source,
    progress: { ...progress, percent: percentDone(bucketsDone, bucketsTotal, scan.status) },
    requests: { ...requests, costUsd: roundUsd(requests.costUsd) },
    startedAt: scan.startedAt.toISOString(),
    completedAt: scan.completedAt?.toISOString() ?? null,
    error: scan.error,
    summary: { ...(scan.summary ?? NO_SUMMARY), bill: scan.summary?.bill ?? null },
  };
}

export function presentLatestBucket({
  name,
  state,
  objects,
  bytes,
  error,
}: ShownBucket): View<typeof LatestBucketView> {
  return { name, state, objects, bytes, error };
}

export function presentScanLine(scan: ScanLine): View<typeof ScanLineView> {
  const { scanId, connectionId, status, progress, currentMonthlyCostUsd, monthlySavingsUsd } = scan;
  return {
    scanId,
    connectionId,
    status,
    startedAt: scan.startedAt.toISOString(),
    completedAt: scan.completedAt?.toISOString() ?? null,
    objects: progress.objects,
    bytes: progress.bytes,
    currentMonthlyCostUsd,
    monthlySavingsUsd,
    verdict: scan.verdict,
    confidence: scan.confidence,
  };
}

/** An account without a bucket is all done once its scan is. */
function percentDone(done: number, total: number, status: ScanRecord['status']): number {
  if (total === 0) return status === 'completed' ? 100 : 0;
  return Math.floor((100 * done) / total);
}

function presentBucket({ inventory, decision }: ScannedBucket): View<typeof BucketView> {
  const { name, region, groups, bySize, byContent, error } = inventory;
  const { objects, bytes } = sum(groups);
  return {
    name,
    region,
    objects,
    bytes,
    currentMonthlyCostUsd: decision.currentMonthlyCostUsd,
    optimalMonthlyCostUsd: decision.optimalMonthlyCostUsd,
    byStorageClass: sumBy(groups, ({ storageClass }) => storageClass).map(
      ([storageClass, count]) => ({ storageClass, objects: count.objects, bytes: count.bytes }),
    ),
    byAge: AGE_BANDS.map((band, index) =>
      banded(band, sum(groups.filter(({ ageBand }) => ageBand === index))),
    ),
    bySize: SIZE_BANDS.map((band, index) => banded(band, sum(bySize.slice(index, index + 1)))),
    byContent: byContent.filter(({ objects: found }) => found > 0),
    byPrefix: restLast(sumBy(groups, ({ prefix }) => prefix)).map(([prefix, count]) => ({
      prefix,
      objects: count.objects,
      bytes: count.bytes,
    })),
    findings: decision.findings,
    reads: decision.reads ?? null,
    error,
  };
}

function banded<Band extends string>(band: Band, count: Count) {
  return { band, objects: count.objects, bytes: count.bytes };
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
