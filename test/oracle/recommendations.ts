import type {
  PlacementOption,
  Recommendation,
  RiskCode,
  ScenarioFigures,
} from '../../domain/decision/types.ts';
import { scenariosOf, type Answer, type Option } from './answers.ts';
import { breakEven, type Cost } from './placements.ts';
import { quoteTotal } from './quote.ts';
import { Fraction } from './fraction.ts';
import type { Listing } from './listing.ts';
import { AWS, floorUsd } from './prices.ts';

/** An answer as a scan shows it: every figure rounded by itself. */

interface ExpectedBlocker {
  readonly code: string;
  readonly objects: number;
}

export type ExpectedRecommendation = Omit<
  Recommendation,
  | 'reasons'
  | 'blockers'
  | 'howTo'
  | 'options'
  | 'risks'
  | 'scenarios'
  | 'freeEgressGb'
  | 'nestedKeys'
> & {
  readonly risks: readonly { readonly code: RiskCode }[];
  readonly scenarios: readonly Omit<ScenarioFigures, 'title'>[];
  readonly blockers: readonly ExpectedBlocker[];
  readonly options: readonly (Omit<PlacementOption, 'blockers'> & {
    readonly blockers: readonly ExpectedBlocker[];
  })[];
};

/** Section 11: midnight UTC of the day from which AWS may not charge for switching within the Union. */
const NO_CHARGE_FROM = Date.UTC(2027, 0, 12);
const UNION_REGIONS = 'eu-central-1 eu-west-1 eu-west-3 eu-north-1 eu-south-1 eu-south-2'.split(
  ' ',
);

function shownWaiting(
  { kind, region }: Answer,
  egress: Fraction,
  savings: Fraction,
  { startedAt, source = AWS }: Listing,
) {
  const ms = NO_CHARGE_FROM - startedAt.getTime();
  if (source !== AWS || kind !== 'move' || !UNION_REGIONS.includes(region) || ms <= 0) return null;
  const months = Fraction.of(ms).dividedBy(Fraction.of(30 * 86_400_000));
  const saves = egress.minus(savings.times(months));
  const savesUsd = saves.toUsd();
  return savesUsd > 0 ? { until: '2027-01-12', savesUsd } : null;
}

const shownMonth = ({ monthly: { none, expected, heavy, inside } }: Cost) => ({
  none: none.usd.toUsd(),
  expected: expected.usd.toUsd(),
  heavy: heavy.usd.toUsd(),
  inside: inside.usd.toUsd(),
});

/** The least that a store charges is above what would be there: the option, and the other moves recommended to it. */
function isBelowFloor({ provider, cost }: Option, answer: Answer, all: readonly Answer[]): boolean {
  const others = all.filter((one) => one !== answer && one.kind === 'move');
  const there = others.flatMap(({ taken }) => (taken?.provider === provider ? [taken.cost] : []));
  const month = Fraction.sum([cost, ...there].map(({ shown }) => shown.usd));
  return month.isBelow(floorUsd(provider));
}

const shownBlockers = (blocked: Answer['blocked']): readonly ExpectedBlocker[] =>
  blocked.flatMap(([code, left]) => (left > 0 ? [{ code, objects: left }] : []));

function shownOption(option: Option, answer: Answer, listing: Listing, all: readonly Answer[]) {
  const { provider, storageClass, cost, blocked } = option;
  const { savings } = option;
  const { quote } = cost;
  const total = quoteTotal(quote).usd;
  const withWaiver = total.minus(quote.egress.usd);
  return {
    provider,
    storageClass,
    configured: listing.configured.includes(provider),
    monthlyCostUsd: cost.shown.usd.toUsd(),
    monthlySavingsUsd: savings.toUsd(),
    placedMonthlyUsd: shownMonth(cost),
    quote: {
      egressUsd: quote.egress.usd.toUsd(),
      sourceRequestsUsd: quote.sourceRequests.usd.toUsd(),
      retrievalUsd: quote.retrieval.usd.toUsd(),
      earlyDeletionUsd: quote.earlyDeletion.usd.toUsd(),
      destinationRequestsUsd: quote.destinationRequests.usd.toUsd(),
      transitionUsd: quote.transition.usd.toUsd(),
      totalUsd: total.toUsd(),
      totalWithExitWaiverUsd: withWaiver.toUsd(),
    },
    breakEvenMonths: breakEven(total, savings),
    breakEvenMonthsWithExitWaiver: breakEven(withWaiver, savings),
    waiting: shownWaiting(answer, quote.egress.usd, savings, listing),
    blockers: shownBlockers([
      ...blocked,
      [
        'below_floor',
        answer.kind === 'move' && isBelowFloor(option, answer, all) ? answer.objects : 0,
      ],
    ]),
  };
}

/** A recommendation as it is shown, among all. */
export function shownRecommendation(
  answer: Answer,
  listing: Listing,
  all: readonly Answer[],
): ExpectedRecommendation {
  const { kind, bucket, region, selector, objects, bytes, staying, taken, savings } = answer;
  const current = staying.shown.usd;
  return {
    kind,
    bucket,
    region,
    selector,
    objects,
    bytes,
    currentMonthlyCostUsd: current.toUsd(),
    optimalMonthlyCostUsd: current.minus(savings).toUsd(),
    monthlySavingsUsd: savings.toUsd(),
    scenarios: scenariosOf(answer),
    arrivals: answer.arrivals && {
      objectsPerMonth: answer.arrivals.objects,
      bytesPerMonth: answer.arrivals.bytes,
    },
    oneOffUsd: answer.once?.toUsd() ?? null,
    risks: answer.risks.map((code) => ({ code })),
    recommendedProvider: taken?.provider ?? null,
    recommendedStorageClass: taken?.storageClass ?? null,
    options: answer.options.map((option) => shownOption(option, answer, listing, all)),
    confidence: answer.confidenceTenths / 10,
    blockers: shownBlockers(answer.blocked),
  };
}
