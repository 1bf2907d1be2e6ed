import type { PlacementOption, Recommendation } from '@storage-routing/client';
import type { PlotPoint, PlotSeries } from '../../parts/plot-props.ts';

interface BreakEvenPlot {
  readonly points: readonly PlotPoint[];
  readonly series: readonly PlotSeries[];
}

/**
 * The cumulated cost of staying against that of an option, month by month. The result of a scan has the read
 * scenarios only for all recommendations together; the savings of one are the smaller of those without reads
 * and with the expected ones, so the lines cross where `breakEvenMonths` says.
 */
export function breakEvenPlot(
  { kind, currentMonthlyCostUsd }: Recommendation,
  { monthlySavingsUsd, quote }: PlacementOption,
  horizonMonths: number,
): BreakEvenPlot {
  const months = Array.from({ length: horizonMonths + 1 }, (_, month) => month);
  const placedUsd = currentMonthlyCostUsd - monthlySavingsUsd;
  const moved = (onceUsd: number) => months.map((month) => onceUsd + month * placedUsd);
  const name = kind === 'move' ? 'Move' : 'Change';
  const hasWaiver = quote.totalWithExitWaiverUsd < quote.totalUsd;
  return {
    points: months.map((month) => ({ label: `Month\u00a0${month}`, tick: String(month) })),
    series: [
      { label: 'Stay', values: months.map((month) => month * currentMonthlyCostUsd) },
      { label: name, values: moved(quote.totalUsd) },
      ...(hasWaiver
        ? [
            {
              label: 'Egress waived',
              values: moved(quote.totalWithExitWaiverUsd),
              isDashed: true,
            },
          ]
        : []),
    ],
  };
}
