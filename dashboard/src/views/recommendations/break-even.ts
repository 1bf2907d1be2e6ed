import type { PlacementOption, RecommendationDetail } from '@storage-routing/client';
import type { PlotProps } from '../../parts/plot-props.ts';

/** What an option costs a month in one scenario of reads and writes. */
export interface ReadsMonth {
  readonly reads: RecommendationDetail['readScenarios'][number]['reads'];
  /** What it asks, as a sentence. */
  readonly title: string;
  readonly stayUsd: number;
  readonly placedUsd: number;
  /** Until the savings of this scenario have paid the one-time cost; null if nothing is saved. */
  readonly paybackMonths: number | null;
  /**
   * Whether its savings are those that are counted: the smaller of no reads and the expected ones.
   */
  readonly isCounted: boolean;
}

/** The months of an option, scenario by scenario. */
export function monthlyCosts(
  { readScenarios, scenarios }: RecommendationDetail,
  { provider, storageClass, quote }: PlacementOption,
): readonly ReadsMonth[] {
  const months = readScenarios.flatMap(({ reads, stayMonthlyUsd: stayUsd, options }) => {
    const placed = options.find(
      (each) => each.provider === provider && each.storageClass === storageClass,
    );
    const { title = '' } = scenarios.find(({ scenario }) => scenario === reads) ?? {};
    return placed ? [{ reads, title, stayUsd, placedUsd: placed.monthlyUsd }] : [];
  });
  const savings = ({ stayUsd, placedUsd }: (typeof months)[number]) => stayUsd - placedUsd;
  const [counted] = months
    .filter(({ reads }) => reads === 'none' || reads === 'expected')
    .toSorted((a, b) => savings(a) - savings(b));
  return months.map((month) => {
    const { reads, title, stayUsd, placedUsd } = month;
    const paybackMonths = savings(month) > 0 ? quote.totalUsd / savings(month) : null;
    return { reads, title, stayUsd, placedUsd, paybackMonths, isCounted: month === counted };
  });
}

/** The cumulative cost of staying against that of an option, month by month. */
export function breakEvenPlot(
  { kind }: RecommendationDetail,
  { quote }: PlacementOption,
  { stayUsd, placedUsd }: ReadsMonth,
  horizonMonths: number,
): Pick<PlotProps, 'points' | 'series'> {
  const months = Array.from({ length: horizonMonths + 1 }, (_, month) => month);
  const placed = (onceUsd: number) => months.map((month) => onceUsd + month * placedUsd);
  const hasWaiver = quote.totalWithExitWaiverUsd < quote.totalUsd;
  return {
    points: months.map((month) => ({ label: `Month\u00a0${month}`, tick: String(month) })),
    series: [
      { label: 'Stay', values: months.map((month) => month * stayUsd) },
      { label: kind === 'move' ? 'Move' : 'Change', values: placed(quote.totalUsd) },
      ...(hasWaiver
        ? [
            {
              label: 'Egress waived',
              values: placed(quote.totalWithExitWaiverUsd),
              isDashed: true,
            },
          ]
        : []),
    ],
  };
}
