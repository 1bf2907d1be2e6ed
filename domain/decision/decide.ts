import { NO_USAGE, type AccountUsage } from '../bill/bill.ts';
import { priceFactors, type PriceFactors } from '../bill/price-factors.ts';
import type { Remainder } from '../inventory/finding.ts';
import { compareBill } from './bill-summary.ts';
import { inOrder, movableGroups, priceBucket } from './bucket.ts';
import { cleanUps, inPlaceChanges, prefixOptions } from './candidates.ts';
import { computeConfidence, confidenceOfStaying } from './confidence.ts';
import { billedUsd, currentCost, sumCosts } from './costs.ts';
import { exitScenario } from './exit.ts';
import { bucketFindings, scanFindings } from './findings.ts';
import { mergeChanges, mergeMoves } from './merge.ts';
import { selectCandidates, sumRemainder, type Selection } from './minimum.ts';
import type {
  BucketCost,
  Candidate,
  DecisionContext,
  PrefixOptions,
  PricedBucket,
  PricedRecommendation,
} from './model.ts';
import { recommend } from './recommendations.ts';
import { atOwnPrices } from './own-prices.ts';
import { ASSUMED, readsByBucket, shownReads } from './reads.ts';
import { ratesByBucket, targetsFor } from './region-rates.ts';
import { buildReport } from './report.ts';
import { monthlyByStore, shareFreeEgress, storesBelowFloor } from './selection.ts';
import { tierFactors } from './tiers.ts';
import { shown, sumBy, sumScenarios, toScenarios } from './amounts.ts';
import type { Scenarios, BucketDecision, Decision, DecisionRequest } from './types.ts';

/**
 * Decides what to do with everything that a scan found: stay, change classes in place, move, clean up.
 * The same buckets in any order, with their groups in any order, give the same decision to the bit.
 *
 * @throws Error if an inventory names a group twice, or the price book lacks a sheet that it must
 * have: defects, not answers.
 */
export function decide(request: DecisionRequest): Decision {
  const { priceBook, source, configured, horizonMonths, minMonthlySavingsUsd, startedAt } = request;
  const { usage = NO_USAGE, decidedAt = startedAt } = request;
  const factors = priceFactors(usage.bill);
  const buckets = priceBuckets(request, usage, factors);
  const bill = usage.bill && compareBill(usage.bill, factors, buckets);
  const context: DecisionContext = {
    catalogue: priceBook.catalogue,
    source,
    configured,
    horizonMonths,
    startedAt,
    decidedAt,
    switchingChargeBan: priceBook.switchingChargeBan(source),
    priceFactors: factors,
    isLittleExplained: bill?.isLittleExplained ?? false,
    leftOut: new Set(),
  };
  const { answers, selection } = answerBuckets(context, buckets, minMonthlySavingsUsd);
  const { listed, belowMinimum, more } = selection;
  const storeUsd = monthlyByStore(listed);
  const recommendations = shareFreeEgress(listed).map((candidate) =>
    recommend({ ...context, storeUsd }, candidate, computeConfidence(context, candidate)),
  );

  const stay = sumScenarios(answers.map(({ cost }) => monthlyUsd(cost)));
  const savingsUsd = sumBy(listed, (candidate) => candidate.savingsUsd);
  return {
    currentMonthlyCostUsd: shown(stay.none),
    optimalMonthlyCostUsd: shown(stay.none - savingsUsd, stay.none),
    monthlySavingsUsd: shown(savingsUsd, stay.expected),
    buckets: answers.map((answer) => bucketDecision(answer, listed)),
    findings: scanFindings(belowMinimum, more, minMonthlySavingsUsd),
    bill: bill?.summary ?? null,
    recommendations: recommendations.map(({ recommendation }) => recommendation),
    report: buildReport({
      context,
      priceBook: priceBook.version,
      buckets,
      targets: targetsFor(request, ASSUMED),
      bill: bill?.summary ?? null,
      recommendations,
      stay,
      savingsUsd,
      copied: sumCosts(answers.map(({ cost }) => cost.copied)),
      confidence: overallConfidence(context, answers, recommendations),
      exitScenario: exitScenario(context, buckets),
    }),
  };
}

/** What each bucket costs a month, by name: as the decision of the same request says. */
export function currentCosts(request: DecisionRequest): ReadonlyMap<string, number> {
  const { usage = NO_USAGE } = request;
  const buckets = priceBuckets(request, usage, priceFactors(usage.bill));
  return new Map(
    buckets.map((bucket) => [bucket.inventory.name, shown(billedUsd(currentCost(bucket)))]),
  );
}

/** The buckets at the customer's own prices, each with the reads that are known or assumed of it. */
function priceBuckets(
  request: DecisionRequest,
  usage: AccountUsage,
  factors: PriceFactors,
): readonly PricedBucket[] {
  const { priceBook, source } = request;
  const inventories = inOrder(request.buckets);
  const own = atOwnPrices(priceBook, source, factors);
  const isArchived = (region: string, storageClass: string) =>
    priceBook.classSheet(source, region, storageClass)?.archived ?? false;
  const reads = readsByBucket(inventories, usage, isArchived);
  const rates = ratesByBucket({
    source,
    configured: request.configured,
    buckets: inventories,
    priceBook: own,
    reads,
    tierFactors: tierFactors(inventories, usage, priceBook, source),
  });
  return inventories.map((inventory) =>
    priceBucket(inventory, rates, reads.get(inventory.name) ?? ASSUMED),
  );
}

interface BucketAnswer {
  readonly bucket: PricedBucket;
  readonly cost: BucketCost;
  readonly options: readonly PrefixOptions[];
  readonly candidates: readonly Candidate[];
  /** Candidates of `*` alone, which no selector can name. */
  readonly withoutSelector: Remainder;
}

interface Answers {
  readonly answers: readonly BucketAnswer[];
  readonly selection: Selection;
}

/**
 * The answers of all buckets. Stores whose recommended moves together stay below their floor are left out at once, and
 * all is decided again, until there is none.
 */
function answerBuckets(
  context: DecisionContext,
  buckets: readonly PricedBucket[],
  minMonthlySavingsUsd: number,
): Answers {
  const answers = buckets.map((bucket) => answerBucket(context, bucket));
  const candidates = answers.flatMap((answer) => answer.candidates);
  const selection = selectCandidates(candidates, minMonthlySavingsUsd);
  const below = storesBelowFloor(selection.listed);
  if (below.length === 0) return { answers, selection };
  const leftOut = new Set([...context.leftOut, ...below]);
  return answerBuckets({ ...context, leftOut }, buckets, minMonthlySavingsUsd);
}

/** The candidates of one bucket; none if it could not be read in full. */
function answerBucket(context: DecisionContext, bucket: PricedBucket): BucketAnswer {
  const cost = currentCost(bucket);
  if (bucket.inventory.error) {
    return { bucket, cost, options: [], candidates: [], withoutSelector: sumRemainder([]) };
  }
  const groups = movableGroups(bucket);
  const inPlace = inPlaceChanges(groups, context.horizonMonths);
  const options = prefixOptions(context, bucket, groups, inPlace);
  const moves = mergeMoves(bucket, options);
  const changes = mergeChanges(
    bucket,
    moves.staying.flatMap((option) => option.changes),
  );
  return {
    bucket,
    cost,
    options,
    candidates: [...moves.candidates, ...changes.candidates, ...cleanUps(bucket, cost)],
    withoutSelector: sumRemainder([...moves.withoutSelector, ...changes.withoutSelector]),
  };
}

function bucketDecision(
  { bucket, cost, withoutSelector }: BucketAnswer,
  listed: readonly Candidate[],
): BucketDecision {
  const { name, error } = bucket.inventory;
  const currentUsd = billedUsd(cost);
  const savedUsd = sumBy(
    listed.filter((candidate) => candidate.bucket === bucket),
    (candidate) => candidate.savingsUsd,
  );
  return {
    name,
    currentMonthlyCostUsd: shown(currentUsd),
    optimalMonthlyCostUsd: shown(currentUsd - savedUsd, currentUsd),
    findings: error ? [] : bucketFindings(bucket, cost, withoutSelector),
    reads: error ? null : shownReads(bucket),
  };
}

/** Old versions and parts of uploads are not read. */
function monthlyUsd({ current, oldVersions, incompleteUploads }: BucketCost): Scenarios {
  const unreadUsd = oldVersions.monthlyCostUsd + incompleteUploads.monthlyCostUsd;
  return toScenarios((reads) => current[reads] + unreadUsd);
}

/** The lowest of the recommendations; without any, the confidence of staying. */
function overallConfidence(
  context: DecisionContext,
  answers: readonly BucketAnswer[],
  recommendations: readonly PricedRecommendation[],
): number {
  if (recommendations.length > 0) {
    return Math.min(...recommendations.map(({ recommendation }) => recommendation.confidence));
  }
  const options = answers.flatMap(({ bucket, options: ofBucket }) =>
    ofBucket.map((prefix) => ({ region: bucket.region, prefix })),
  );
  return confidenceOfStaying(context, options).value;
}
