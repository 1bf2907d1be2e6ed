import type { PlacementOption, RecommendationDetail } from '@storage-routing/client';
import { useState } from 'react';
import { formatMonths, formatUsd } from '../../format/values.ts';
import { formatPayback, readsWords } from '../../format/audit.ts';
import { Card } from '../../parts/card.tsx';
import { Choice } from '../../parts/choice.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Plot } from '../../parts/plot.tsx';
import { breakEvenPlot, monthlyCosts, type ReadsMonth } from './break-even.ts';
import { optionKey } from '../../format/recommendations.ts';
import { useOptionTitle } from './use-options.ts';

interface BreakEvenProps {
  readonly recommendation: RecommendationDetail;
  readonly recommended: PlacementOption;
}

/** If the service makes no decision report. */
const DEFAULT_HORIZON_MONTHS = 12;

/** When the one-time cost is earned back, in each scenario of reads. */
export function BreakEven({ recommendation, recommended }: BreakEvenProps) {
  const optionTitle = useOptionTitle();
  const { options } = recommendation;
  const horizonMonths = recommendation.horizonMonths ?? DEFAULT_HORIZON_MONTHS;
  const [chosen, setChosen] = useState(optionKey(recommended));
  const [reads, setReads] = useState<ReadsMonth['reads']>('expected');
  const option = options.find((each) => optionKey(each) === chosen) ?? recommended;
  const months = monthlyCosts(recommendation, option);
  const month = months.find((each) => each.reads === reads);
  return (
    <Card title="When it pays back">
      {options.length > 1 ? (
        <div className="filters">
          <Choice
            label="Store"
            value={chosen}
            options={options.map((each) => ({ value: optionKey(each), title: optionTitle(each) }))}
            onChange={setChosen}
          />
        </div>
      ) : null}
      <p>{paybackText(option, horizonMonths)}</p>
      <ScenarioTable months={months} />
      <div className="filters">
        <Choice
          label="Scenario of the plot"
          value={reads}
          options={months.map((each) => ({
            value: each.reads,
            title: readsWords(each.reads).title,
          }))}
          onChange={setReads}
        />
      </div>
      <p className="quiet">{readsWords(reads).assumption}</p>
      {month ? (
        <Plot
          caption={`Cost since the start over ${formatMonths(horizonMonths)}, in USD`}
          kind="lines"
          pointTitle="Month"
          {...breakEvenPlot(recommendation, option, month, horizonMonths)}
          format={formatUsd}
        />
      ) : null}
    </Card>
  );
}

function ScenarioTable({ months }: { readonly months: readonly ReadsMonth[] }) {
  return (
    <DataTable
      caption="Storage and reads of a month, by how often the objects are read"
      rows={months}
      rowKey={({ reads }) => reads}
      columns={[
        { title: 'Reads', cell: ({ reads }) => readsWords(reads).title },
        { title: 'Staying', isNumber: true, cell: ({ stayUsd }) => formatUsd(stayUsd) },
        { title: 'Afterwards', isNumber: true, cell: ({ placedUsd }) => formatUsd(placedUsd) },
        {
          title: 'Saves',
          isNumber: true,
          cell: ({ stayUsd, placedUsd }) => formatUsd(stayUsd - placedUsd),
        },
        {
          title: 'Pays back',
          isNumber: true,
          cell: ({ paybackMonths }) =>
            formatPayback(paybackMonths === null ? null : Math.ceil(paybackMonths * 10) / 10),
        },
      ]}
    />
  );
}

function paybackText(option: PlacementOption, horizonMonths: number): string {
  const { breakEvenMonths, breakEvenMonthsWithExitWaiver: waived, quote } = option;
  if (breakEvenMonths === null) return 'It never pays back: it saves nothing.';
  const hasWaiver = quote.totalWithExitWaiverUsd < quote.totalUsd && waived !== null;
  const months =
    'With the smaller savings of no reads and the expected ones, ' +
    `${formatUsd(quote.totalUsd)} once is earned back after ${formatMonths(breakEvenMonths)}`;
  const beyond =
    breakEvenMonths > horizonMonths ? `, beyond the ${formatMonths(horizonMonths)} shown` : '';
  return `${months}${beyond}${hasWaiver ? `; with egress waived after ${formatMonths(waived)}` : ''}.`;
}
