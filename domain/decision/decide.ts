import { sumBy } from '../common/sums.ts';
import { toScenarios, type Scenarios } from '../reads/scenarios.ts';
import { readsByBucket } from '../reads/known-reads.ts';
import { NO_USAGE } from '../bill/bill.ts';
import { paidInternetRate, priceFactors, type PriceFactors } from '../bill/price-factors.ts';
import type { Remainder } from '../inventory/finding.ts';
import { requireSheet, type PriceBook } from '../pricing/price-book.ts';
import { shown } from './amounts.ts';
import { compareBill } from './bill-summary.ts';
import { inOrder, priceBucket } from './bucket.ts';
import { cleanUps, prefixOptions } from './candidates.ts';
import { computeConfidence, confidenceOfStaying, lessSure } from './confidence.ts';
import { currentCost, currentUsd, shownReads, sumCosts } from './costs.ts';
import { exitScenario } from './exit.ts';
import { bucketFindings, scanFindings } from './findings.ts';
import { isYoung } from './left-alone-rules.ts';
import { mergeChanges, mergeMoves } from './merge.ts';
import { selectCandidates, sumRemainder, type Minimums, type Selection } from './minimum.ts';
import type {
  BucketCost,
  Candidate,
  DecisionContext,
  PrefixOptions,
  PricedBucket,
  PricedRecommendation,
  SurePrices,
} from './model.ts';
import { atOwnPrices, withSurePrices } from './own-prices.ts';
import { recommend } from './recommendations.ts';
import { ratesByRegion, targetsFor, type RegionRates } from './region-rates.ts';
import { buildReport } from './report.ts';
import { monthlyByStore, shareFreeEgress, storesBelowFloor } from './selection.ts';
import { tierFactor } from './tiers.ts';
import type { BucketDecision, Decision, DecisionRequest } from './types.ts';

/**
 * Decides what to do with everything that a scan found: stay, change classes in place, move, clean
 * up. The same buckets in any order, with their groups in any order, give the same decision to the
 * bit.
 *
 * @throws Error if an inventory names a group twice, or the price book lacks a sheet that it must
 * have: defects, not answers.
 */
export function decide(request: DecisionRequest): Decision {
  const { priceBook, source, configured, horizonMonths, startedAt } = request;
  const { usage = NO_USAGE, decidedAt = startedAt } = request;
  const factors = priceFactors(usage.bill, priceBook.billRegions);
  const buckets = priceBuckets(request, priceBook, factors);
  const bill = usage.bill && compareBill(usage.bill, factors, buckets, priceBook.billRegions);
  const open: DecisionContext = {
    catalogue: priceBook.catalogue,
    source,
    configured,
    horizonMonths,
    startedAt,
    decidedAt,
    minMoveMonthlySavingsUsd: request.minMoveMonthlySavingsUsd,
    targets: targetsFor(request),
    switchingChargeBan: priceBook.switchingChargeBan(source),
    priceFactors: factors,
    isLittleExplained: bill?.isLittleExplained ?? false,
    leftOut: new Set(),
    sure: surePrices(request, factors),
  };
  const { context, answers, selection } = answerBuckets(open, buckets, request);
  const { listed, belowMinimum, more } = selection;
  const scope = { ...context, storeUsd: monthlyByStore(listed), listed };
  const optionsOf = new Map(answers.map(({ bucket, options }) => [bucket, options]));
  const recommendations = shareFreeEgress(listed).map((candidate) => {
    const options = optionsOf.get(candidate.bucket) ?? [];
    return recommend(scope, candidate, computeConfidence(context, candidate, options));
  });

  const all = answers.map(({ cost }) => monthlyUsd(cost));
  const stay = toScenarios((reads) => sumBy(all, (amount) => amount[reads]));
  const now = sumBy(answers, ({ cost }) => currentUsd(cost));
  const savingsUsd = sumBy(listed, (candidate) => candidate.savingsUsd);
  return {
    currentMonthlyCostUsd: shown(now),
    optimalMonthlyCostUsd: shown(now - savingsUsd, now),
    monthlySavingsUsd: shown(savingsUsd, now),
    buckets: answers.map((answer) => bucketDecision(context, answer, listed)),
    findings: scanFindings(belowMinimum, more, request),
    bill: bill?.summary ?? null,
    recommendations: recommendations.map(({ recommendation }) => recommendation),
    report: buildReport({
      context,
      priceBook: priceBook.version,
      buckets,
      bill: bill?.summary ?? null,
      recommendations,
      stay,
      currentUsd: now,
      savingsUsd,
      copied: sumCosts(answers.map(({ cost }) => cost.copied)),
      confidence: overallConfidence(context, answers, recommendations),
      exitScenario: exitScenario(context, buckets),
    }),
  };
}

/** What each bucket costs a month, by name: as the decision of the same request says. */
export function currentCosts(request: DecisionRequest): ReadonlyMap<string, number> {
  const { usage = NO_USAGE, priceBook } = request;
  const buckets = priceBuckets(request, priceBook, priceFactors(usage.bill, priceBook.billRegions));
  return new Map(
    buckets.map((bucket) => [bucket.inventory.name, shown(currentUsd(currentCost(bucket)))]),
  );
}

/** The buckets at the customer's own prices of a book, each with its known or assumed reads. */
function priceBuckets(
  request: DecisionRequest,
  priceBook: PriceBook,
  factors: PriceFactors,
): readonly PricedBucket[] {
  const { source, usage = NO_USAGE, patterns, startedAt } = request;
  const inventories = inOrder(request.buckets);
  const own = atOwnPrices(priceBook, source, factors);
  const { billRegions } = priceBook;
  const reads = readsByBucket(inventories, {
    usage,
    billRegions,
    isArchived: (region, storageClass) =>
      priceBook.classSheet(source, region, storageClass)?.archived ?? false,
    isCloud: priceBook.insideReadPerGb(source).value > 0,
    isYoung: (inventory) => isYoung(inventory, startedAt),
  });
  const rates = ratesByRegion({ buckets: inventories, priceBook: own, source });
  return inventories.map((inventory) => {
    const region = rates.get(inventory.region);
    const ofBucket = reads.get(inventory.name);
    if (!region || !ofBucket) throw new Error(`no rates for ${inventory.name}`);
    return priceBucket(inventory, {
      region,
      reads: ofBucket,
      internetPerGb: internetPerGb(request, region),
      tierFactor: tierFactor(inventory, usage, own, source),
      patterns,
      startedAt,
    });
  });
}

/** What each GB to the internet costs: as it was paid, where the bill says it. */
function internetPerGb(
  { priceBook, source, usage = NO_USAGE }: DecisionRequest,
  { region, egressPerGb }: RegionRates,
): number {
  const { bill } = usage;
  const paid = bill && paidInternetRate(bill, priceBook.billRegions, region);
  if (paid === null) return egressPerGb[0].usd;
  const listed = requireSheet(priceBook, source, region, priceBook.baseClass(source));
  return Math.min(paid, listed.egressPerGb.value[0].usd);
}

/** The same buckets at the sure prices alone, priced when they are first asked for. */
function surePrices(request: DecisionRequest, factors: PriceFactors): SurePrices {
  const book = withSurePrices(request.priceBook);
  let priced: ReadonlyMap<string, PricedBucket> | undefined;
  return {
    targets: targetsFor({ ...request, priceBook: book }),
    bucket(name) {
      priced ??= new Map(
        priceBuckets(request, book, factors).map((bucket) => [bucket.inventory.name, bucket]),
      );
      const bucket = priced.get(name);
      if (!bucket) throw new Error(`no bucket ${name}`);
      return bucket;
    },
  };
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
  /** With the stores that are left out. */
  readonly context: DecisionContext;
  readonly answers: readonly BucketAnswer[];
  readonly selection: Selection;
}

/**
 * The answers of all buckets. Stores whose recommended moves together stay below their floor are
 * left out at once, and all is decided again, until there is none.
 */
function answerBuckets(
  context: DecisionContext,
  buckets: readonly PricedBucket[],
  minimums: Minimums,
): Answers {
  const answers = buckets.map((bucket) => answerBucket(context, bucket));
  const candidates = answers.flatMap((answer) => answer.candidates);
  const selection = selectCandidates(candidates, minimums);
  const below = storesBelowFloor(selection.listed);
  if (below.length === 0) return { context, answers, selection };
  const leftOut = new Set([...context.leftOut, ...below]);
  return answerBuckets({ ...context, leftOut }, buckets, minimums);
}

/** The candidates of one bucket; none if it could not be read in full. */
function answerBucket(context: DecisionContext, bucket: PricedBucket): BucketAnswer {
  const cost = currentCost(bucket);
  if (bucket.inventory.error) {
    return { bucket, cost, options: [], candidates: [], withoutSelector: sumRemainder([]) };
  }
  const options = prefixOptions(context, bucket);
  const moves = mergeMoves(context, bucket, options);
  const changes = mergeChanges(
    bucket,
    moves.staying.flatMap((option) => option.changes),
  );
  return {
    bucket,
    cost,
    options,
    candidates: [...moves.candidates, ...changes.candidates, ...cleanUps(bucket)],
    withoutSelector: sumRemainder([...moves.withoutSelector, ...changes.withoutSelector]),
  };
}

function bucketDecision(
  context: DecisionContext,
  { bucket, cost, options, withoutSelector }: BucketAnswer,
  listed: readonly Candidate[],
): BucketDecision {
  const { name, error } = bucket.inventory;
  const now = currentUsd(cost);
  const savedUsd = sumBy(
    listed.filter((candidate) => candidate.bucket === bucket),
    (candidate) => candidate.savingsUsd,
  );
  return {
    name,
    currentMonthlyCostUsd: shown(now),
    optimalMonthlyCostUsd: shown(now - savedUsd, now),
    findings: error ? [] : bucketFindings(context, bucket, cost, options, withoutSelector),
    reads: error ? null : shownReads(bucket),
  };
}

/** Old versions and parts of uploads are not read. */
function monthlyUsd({ current, oldVersions, incompleteUploads }: BucketCost): Scenarios {
  const unreadUsd = oldVersions.monthlyCostUsd + incompleteUploads.monthlyCostUsd;
  return toScenarios((reads) => current.monthly[reads] + unreadUsd);
}

/**
 * The lowest of the recommendations; without any, the confidence of staying. Less where a bucket
 * could not be read; null where none could.
 */
function overallConfidence(
  context: DecisionContext,
  answers: readonly BucketAnswer[],
  recommendations: readonly PricedRecommendation[],
): number | null {
  const unread = answers.filter(({ bucket }) => bucket.inventory.error).length;
  if (unread > 0 && unread === answers.length) return null;
  const confidence =
    recommendations.length > 0
      ? Math.min(...recommendations.map(({ recommendation }) => recommendation.confidence))
      : confidenceOfStaying(context, answers);
  return unread > 0 ? lessSure(confidence) : confidence;
}
