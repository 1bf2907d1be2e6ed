import { AGE_BAND_FIRST_DAY, SMALL_OBJECT_BYTES } from '../inventory/bands.ts';
import type { ProviderName } from '../catalogue.ts';
import type { PlacementOption, Quote, Recommendation, Selector } from './answer.ts';
import type { Answer, Asker, ChangeAnswer, CleanUpAnswer, MoveAnswer } from './answers.ts';
import { weighPrefix, weighWhole, type PricedBucket, type Scales } from './bucket.ts';
import { costsOfChange, type Change } from './change.ts';
import { confidenceOf } from './confidence.ts';
import { movedOf, restoreBlockers } from './moved.ts';
import { changeQuote, moveQuote } from './quote.ts';
import type { Scenarios } from './rates.ts';
import { changeReasons, cleanUpReasons, moveReasons } from './reasons.ts';
import { breakEvenMonths, shown, shownQuote } from './rounding.ts';
import { savingsUsd, type Offer } from './weighing.ts';

/** A recommendation with the unrounded amounts that the report sums. */
export interface Advice {
  readonly recommendation: Recommendation;
  readonly answer: Answer;
  /** Null where several classes move together, and for clean-ups. */
  readonly fromClass: string | null;
  /** What is spent less per month, in each assumption about reads. */
  readonly saved: Scenarios;
  readonly onceUsd: number;
  readonly egressUsd: number;
}

const ASKS_NOTHING: Selector = {
  prefix: null,
  storageClass: null,
  minAgeDays: null,
  maxAgeDays: null,
  minSizeBytes: null,
};

/** Makes the options, quotes and words of one answer. */
export function adviceOf(scales: Scales, asker: Asker, answer: Answer): Advice {
  const confidence = confidenceOf(scales, answer);
  switch (answer.kind) {
    case 'move':
      return adviceToMove(scales, asker, answer, confidence);
    case 'change_class':
      return adviceToChange(scales, asker, answer, confidence);
    case 'abort_multipart_uploads':
    case 'expire_old_versions':
      return adviceToCleanUp(answer, confidence);
  }
}

function adviceToMove(
  scales: Scales,
  asker: Asker,
  answer: MoveAnswer,
  confidence: number,
): Advice {
  const { weighing, horizonMonths } = scales;
  const { bucket, prefix } = answer;
  if (prefix < 0) weighWhole(scales, bucket);
  else weighPrefix(scales, bucket, prefix, null);
  const { stay, offers } = weighing;
  const taken = offers[answer.target];
  if (!taken) throw new Error(`no target ${answer.target} in ${bucket.table.bucket.name}`);
  const quote = moveQuote(weighing, taken);
  const moved = movedOf(bucket, prefix);
  const [onlyClass = null, ...otherClasses] = moved.classes;
  return {
    answer,
    fromClass: otherClasses.length === 0 ? onlyClass : null,
    saved: difference(stay, taken.monthly),
    onceUsd: quote.totalUsd,
    egressUsd: quote.egressUsd,
    recommendation: {
      ...figuresOf(answer, stay.none),
      selector: { ...ASKS_NOTHING, prefix: prefixName(bucket, prefix) },
      recommendedProvider: taken.target.provider,
      recommendedStorageClass: taken.target.storageClass,
      options: moveOptions(scales, asker),
      confidence,
      reasons: moveReasons({ asker, taken, stay, quote, horizonMonths, moved }),
      blockers: restoreBlockers(moved),
    },
  };
}

/** What was weighed last, at every target: the least total over the horizon as expected first. */
function moveOptions({ weighing, horizonMonths }: Scales, asker: Asker): PlacementOption[] {
  const total = ({ monthly, totalUsd }: Offer) => monthly.expected * horizonMonths + totalUsd;
  return weighing.offers
    .toSorted((a, b) => total(a) - total(b))
    .map((offer) =>
      optionOf({
        asker,
        provider: offer.target.provider,
        storageClass: offer.target.storageClass,
        monthlyCostUsd: offer.monthly.none,
        savings: savingsUsd(weighing.stay, offer.monthly),
        quote: moveQuote(weighing, offer),
      }),
    );
}

function adviceToChange(
  scales: Scales,
  asker: Asker,
  answer: ChangeAnswer,
  confidence: number,
): Advice {
  const { bucket, change } = answer;
  const { stay, placed, transitionUsd } = costsOfChange(bucket, change);
  const quote = changeQuote(transitionUsd);
  const { storageClass } = change.to;
  const fromClass = bucket.table.classes[change.storageClass] ?? null;
  const option = optionOf({
    asker,
    provider: asker.source,
    storageClass,
    monthlyCostUsd: placed.none,
    savings: answer.savingsUsd,
    quote,
  });
  return {
    answer,
    fromClass,
    saved: difference(stay, placed),
    onceUsd: transitionUsd,
    egressUsd: 0,
    recommendation: {
      ...figuresOf(answer, stay.none),
      selector: changeSelector(bucket, change),
      recommendedProvider: asker.source,
      recommendedStorageClass: storageClass,
      options: [option],
      confidence,
      reasons: changeReasons({
        storageClass,
        stay,
        placed,
        transitionUsd,
        horizonMonths: scales.horizonMonths,
      }),
      blockers: [],
    },
  };
}

function adviceToCleanUp(answer: CleanUpAnswer, confidence: number): Advice {
  const saved = answer.savingsUsd;
  return {
    answer,
    fromClass: null,
    saved: { none: saved, expected: saved, heavy: saved },
    onceUsd: 0,
    egressUsd: 0,
    recommendation: {
      ...figuresOf(answer, saved),
      selector: ASKS_NOTHING,
      recommendedProvider: null,
      recommendedStorageClass: null,
      options: [],
      confidence,
      reasons: cleanUpReasons(answer),
      blockers: [],
    },
  };
}

/** What is said of every kind of recommendation alike. */
function figuresOf(answer: Answer, currentUsd: number) {
  const { name: bucket, region } = answer.bucket.table.bucket;
  return {
    kind: answer.kind,
    bucket,
    region,
    objects: answer.objects,
    bytes: answer.bytes,
    currentMonthlyCostUsd: shown(currentUsd),
    optimalMonthlyCostUsd: shown(currentUsd - answer.savingsUsd),
    monthlySavingsUsd: shown(answer.savingsUsd),
  };
}

interface OptionTerms {
  readonly asker: Asker;
  readonly provider: ProviderName;
  readonly storageClass: string;
  readonly monthlyCostUsd: number;
  readonly savings: number;
  readonly quote: Quote;
}

function optionOf(terms: OptionTerms): PlacementOption {
  const { asker, provider, storageClass, savings, quote } = terms;
  return {
    provider,
    storageClass,
    configured: asker.configured.includes(provider),
    monthlyCostUsd: shown(terms.monthlyCostUsd),
    monthlySavingsUsd: shown(savings),
    quote: shownQuote(quote),
    breakEvenMonths: breakEvenMonths(quote.totalUsd, savings),
    breakEvenMonthsWithExitWaiver: breakEvenMonths(quote.totalWithExitWaiverUsd, savings),
  };
}

function changeSelector(bucket: PricedBucket, change: Change): Selector {
  return {
    prefix: prefixName(bucket, change.prefix),
    storageClass: bucket.table.classes[change.storageClass] ?? null,
    minAgeDays: AGE_BAND_FIRST_DAY[change.firstBand] || null,
    maxAgeDays: AGE_BAND_FIRST_DAY[change.lastBand + 1] ?? null,
    minSizeBytes: SMALL_OBJECT_BYTES,
  };
}

function prefixName({ table }: PricedBucket, prefix: number): string | null {
  return table.prefixes[prefix] ?? null;
}

function difference(a: Scenarios, b: Scenarios): Scenarios {
  return { none: a.none - b.none, expected: a.expected - b.expected, heavy: a.heavy - b.heavy };
}
