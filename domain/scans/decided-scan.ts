import { NO_USAGE } from '../bill/bill.ts';
import { factorsOfRegion, priceFactors } from '../bill/price-factors.ts';
import { addSeconds } from '../common/time.ts';
import { currentCosts, decide } from '../decision/decide.ts';
import type {
  ConfiguredStore,
  Decision,
  DecisionRequest,
  DecisionSettings,
} from '../decision/types.ts';
import type { BucketInventory } from '../inventory/inventory.ts';
import { compareKeys } from '../inventory/key-order.ts';
import type { LeftAlonePatterns } from '../inventory/key-marks.ts';
import type { PriceBook } from '../pricing/price-book.ts';
import type { ProviderName } from '../providers/catalogue.ts';
import {
  deriveRecommendationId,
  type RecommendationRecord,
} from '../recommendations/recommendation.ts';
import { compareStandings, NO_CHANGES, type Standing } from './changes.ts';
import type { DecisionKey, ScanGap, ScanRecord, ScanRevise, ScanSummary } from './scan.ts';
import { toAccountUsage, type UsageWork } from './usage-work.ts';

/** What a scan has read, and what else its decision depends on: values, wherever they were kept. */
export interface ScanReading {
  readonly key: DecisionKey;
  /** The store that was read. */
  readonly provider: ProviderName;
  readonly startedAt: Date;
  readonly decidedAt: Date;
  /** In any order. */
  readonly buckets: readonly BucketInventory[];
  /** Undefined if the bill and the metrics were not asked for. */
  readonly usage: UsageWork | undefined;
  readonly configured: readonly ConfiguredStore[];
}

/** By what a scan is decided. */
export interface DecisionTerms {
  readonly priceBook: PriceBook;
  readonly leftAlone: LeftAlonePatterns;
  readonly decision: DecisionSettings;
}

export interface DecidedScan extends Pick<ScanReading, 'key' | 'decidedAt' | 'usage'> {
  readonly request: DecisionRequest;
  readonly decision: Decision;
}

export type RecommendationOwner = Pick<
  RecommendationRecord,
  'accountId' | 'connectionId' | 'cloudAccountId'
>;

export function decideReading(
  { priceBook, leftAlone, decision: settings }: DecisionTerms,
  { key, provider, startedAt, decidedAt, buckets, usage, configured }: ScanReading,
): DecidedScan {
  const request: DecisionRequest = {
    buckets: buckets.toSorted((a, b) => compareKeys(a.name, b.name)),
    source: provider,
    priceBook,
    usage: usage ? toAccountUsage(usage) : NO_USAGE,
    startedAt,
    ...(key.revision === 0 ? {} : { decidedAt }),
    configured,
    horizonMonths: settings.horizonMonths,
    minMonthlySavingsUsd: settings.minMonthlySavingsUsd,
    minMoveMonthlySavingsUsd: settings.minMoveMonthlySavingsUsd,
    patterns: leftAlone,
  };
  return { key, decidedAt, usage, request, decision: decide(request) };
}

/** The recommendations of a decision as records of their owner. */
export function toRecords(
  { decision: settings }: Pick<DecisionTerms, 'decision'>,
  owner: RecommendationOwner,
  { key, decidedAt, decision, request }: DecidedScan,
): RecommendationRecord[] {
  const { scanId, revision } = key;
  const { bill } = request.usage ?? NO_USAGE;
  const factors = priceFactors(bill, request.priceBook.billRegions);
  return decision.recommendations.map((recommendation) => ({
    ...recommendation,
    recommendationId: deriveRecommendationId(scanId, recommendation, revision),
    ...owner,
    source: request.source,
    scanId,
    revision,
    priceFactors: factorsOfRegion(factors, recommendation.region),
    status: 'open',
    expiresAt: addSeconds(decidedAt, settings.recommendationSeconds),
    approval: null,
  }));
}

export interface PreviousDecision {
  readonly standing: Standing;
  readonly usage: UsageWork | undefined;
}

/** What the scan says from this decision on, and what is different from the one before. */
export function describeDecision(
  { priceBook, decision: settings }: DecisionTerms,
  scan: Pick<ScanRecord, 'revisions'>,
  decided: DecidedScan,
  previous: PreviousDecision | undefined,
): { readonly outcome: ScanRevise; readonly standing: Standing } {
  const { decision, decidedAt, key, request, usage } = decided;
  const { currentMonthlyCostUsd, monthlySavingsUsd } = decision;
  const revision = {
    at: decidedAt,
    priceBook: priceBook.version,
    verdict: settings.withReport ? decision.report.verdict : null,
    currentMonthlyCostUsd,
    monthlySavingsUsd,
  };
  const standing = {
    ...revision,
    scanId: key.scanId,
    buckets: new Map(decision.buckets.map((each) => [each.name, each.currentMonthlyCostUsd])),
    recommendations: decision.recommendations.map((each) => ({
      ...each,
      recommendationId: deriveRecommendationId(key.scanId, each, key.revision),
    })),
  };
  const outcome = {
    summary: summarise(request.buckets, decision, usage?.gaps ?? []),
    decisionReport: settings.withReport ? decision.report : null,
    revisions: [...scan.revisions, revision],
    changes: previous
      ? compareStandings(previous.standing, standing, stepsFrom(previous, decided))
      : NO_CHANGES,
    edition: priceBook.editionAt(decidedAt),
  };
  return { outcome, standing };
}

function summarise(
  buckets: readonly BucketInventory[],
  decision: Decision,
  usageGaps: readonly ScanGap[],
): ScanSummary {
  const groups = buckets.flatMap((bucket) => bucket.groups);
  const { currentMonthlyCostUsd, optimalMonthlyCostUsd, monthlySavingsUsd, findings } = decision;
  return {
    buckets: buckets.length,
    objects: groups.reduce((sum, { objects }) => sum + objects, 0),
    bytes: groups.reduce((sum, { bytes }) => sum + bytes, 0),
    currentMonthlyCostUsd,
    optimalMonthlyCostUsd,
    monthlySavingsUsd,
    workloadProfile: decision.report.workloadProfile,
    findings,
    coverage: [
      ...buckets.flatMap(({ name, coverage }) => coverage.map((gap) => ({ bucket: name, ...gap }))),
      ...usageGaps,
    ],
    bill: decision.bill,
  };
}

/** The prices that apply are the book's and those of the customer's own bill. */
function stepsFrom({ standing, usage }: PreviousDecision, { key, request, decision }: DecidedScan) {
  if (standing.scanId === key.scanId) {
    return { objects: standing.buckets, reads: standing.buckets };
  }
  const then = usage ? toAccountUsage(usage) : NO_USAGE;
  const { metrics } = request.usage ?? NO_USAGE;
  if (decision.buckets.length === 0) return { objects: new Map(), reads: new Map() };
  return {
    objects: currentCosts({ ...request, usage: then }),
    reads: currentCosts({ ...request, usage: { bill: then.bill, metrics } }),
  };
}
