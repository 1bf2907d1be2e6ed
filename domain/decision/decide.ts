import type { BucketDecision, Decision, DecisionRequest } from './answer.ts';
import { createSelection, noLeftover, type Answer, type Leftover } from './answers.ts';
import { createScales, type PricedBucket, type Scales } from './bucket.ts';
import { findingsOf, leftoverFindings } from './findings.ts';
import { answersOf } from './joining.ts';
import { pricedBuckets } from './pricing.ts';
import type { Scenarios } from './rates.ts';
import { adviceOf } from './recommendations.ts';
import { reportOf } from './report.ts';
import { shown } from './rounding.ts';
import { cleanUpsOf, copiedStock, stockOf, storedUsd, type Stock } from './stock.ts';
import { targetsFrom } from './tariff.ts';
import { noMoney } from './weighing.ts';

/**
 * Decides what to do with everything that a scan found: stay, change classes in place, move, clean up.
 * The same buckets in any order, with their groups in any order, give the same decision to the bit.
 *
 * @throws Error where an inventory names a group twice, or the price book lacks a sheet that it must
 * have: defects, not answers.
 */
export function decide(request: DecisionRequest): Decision {
  const { priceBook, source, horizonMonths } = request;
  const scales = createScales(targetsFrom(priceBook, source), horizonMonths);
  const buckets = pricedBuckets(request);
  const selection = createSelection(request.minMonthlySavingsUsd);
  const weighed = buckets.map((bucket) => weighBucket(scales, bucket, selection.offer));
  const advice = selection.listed().map((answer) => adviceOf(scales, request, answer));

  const savedUsd = new Map<PricedBucket, number>();
  let savingsUsd = 0;
  for (const { answer } of advice) {
    savingsUsd += answer.savingsUsd;
    savedUsd.set(answer.bucket, (savedUsd.get(answer.bucket) ?? 0) + answer.savingsUsd);
  }
  const stay = staying(weighed.map(({ stock }) => stock));
  return {
    currentMonthlyCostUsd: shown(stay.none),
    optimalMonthlyCostUsd: shown(stay.none - savingsUsd),
    monthlySavingsUsd: shown(savingsUsd),
    buckets: weighed.map((one) => bucketDecision(one, savedUsd.get(one.bucket) ?? 0)),
    findings: leftoverFindings(
      selection.belowMinimum,
      selection.more,
      request.minMonthlySavingsUsd,
    ),
    recommendations: advice.map(({ recommendation }) => recommendation),
    report: reportOf({
      scales,
      asker: request,
      priceBook: priceBook.version,
      buckets,
      advice,
      stay,
      copied: copiedStock(weighed.map(({ stock }) => stock)),
      savingsUsd,
    }),
  };
}

interface WeighedBucket {
  readonly bucket: PricedBucket;
  readonly stock: Stock;
  readonly withoutSelector: Leftover;
}

/** A bucket that could not be read to its end is priced as far as it was, and left alone. */
function weighBucket(
  scales: Scales,
  bucket: PricedBucket,
  offer: (answer: Answer) => void,
): WeighedBucket {
  const stock = stockOf(bucket);
  if (bucket.table.bucket.error) return { bucket, stock, withoutSelector: noLeftover() };
  const { answers, withoutSelector } = answersOf(scales, bucket);
  for (const answer of answers) offer(answer);
  for (const answer of cleanUpsOf(bucket, stock)) offer(answer);
  return { bucket, stock, withoutSelector };
}

function bucketDecision(
  { bucket, stock, withoutSelector }: WeighedBucket,
  savedUsd: number,
): BucketDecision {
  const { name, error } = bucket.table.bucket;
  const currentUsd = storedUsd(stock);
  return {
    name,
    currentMonthlyCostUsd: shown(currentUsd),
    optimalMonthlyCostUsd: shown(currentUsd - savedUsd),
    findings: error ? [] : findingsOf(bucket, stock, withoutSelector),
  };
}

/** What all of it costs per month in each assumption about reads. */
function staying(stocks: readonly Stock[]): Scenarios {
  const stay = noMoney();
  for (const { current, oldVersions, incompleteUploads } of stocks) {
    const unread = oldVersions.storageUsd + incompleteUploads.storageUsd;
    stay.none += current.none + unread;
    stay.expected += current.expected + unread;
    stay.heavy += current.heavy + unread;
  }
  return stay;
}
