import {
  describePayback,
  formatCount,
  formatMoney,
  formatPayback,
  type PlacementOption,
  type RecommendationDetail,
} from '@storage-routing/client';
import { useState } from 'react';
import { Card } from '../../parts/card.tsx';
import { Choice } from '../../parts/choice.tsx';
import { numberColumn } from '../../parts/columns.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Plot } from '../../parts/plot.tsx';
import { breakEvenPlot, monthlyCosts, type ReadsMonth } from './break-even.ts';
import { Badge } from '../../parts/status-badge.tsx';
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
  const [reads, setReads] = useState<ReadsMonth['reads'] | undefined>();
  const option = options.find((each) => optionKey(each) === chosen) ?? recommended;
  const months = monthlyCosts(recommendation, option);
  const month =
    months.find((each) => each.reads === reads) ?? months.find(({ isCounted }) => isCounted);
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
      <p>{paybackText(option)}</p>
      <ScenarioTable months={months} />
      {month ? (
        <>
          <div className="filters">
            <Choice
              label="Scenario of the plot"
              value={month.reads}
              options={months.map((each) => ({
                value: each.reads,
                title: each.title,
              }))}
              onChange={setReads}
            />
          </div>
          <Plot
            caption={`Cost since the start over ${formatCount(horizonMonths, 'month')}, in US dollars`}
            kind="lines"
            pointTitle="Month"
            {...breakEvenPlot(recommendation, option, month, horizonMonths)}
            format={formatMoney}
          />
        </>
      ) : null}
    </Card>
  );
}

function ScenarioTable({ months }: { readonly months: readonly ReadsMonth[] }) {
  return (
    <DataTable
      caption="What it withstands: storage, reads and writes of a month. Counted is what saves less of the first two"
      rows={months}
      rowKey={({ reads }) => reads}
      columns={[
        {
          title: 'And if',
          cell: ({ title, isCounted }) => (
            <>
              {title} {isCounted ? <Badge tone="good">Counted</Badge> : null}
            </>
          ),
        },
        numberColumn('Now', 'stayUsd', formatMoney),
        numberColumn('After', 'placedUsd', formatMoney),
        {
          title: 'Saves',
          isNumber: true,
          cell: ({ stayUsd, placedUsd }) => formatMoney(stayUsd - placedUsd),
        },
        numberColumn('Paid back', 'paybackMonths', formatPayback),
      ]}
    />
  );
}

function paybackText(option: PlacementOption): string {
  const { breakEvenMonths, breakEvenMonthsWithExitWaiver: waived, quote } = option;
  const hasWaiver = quote.totalWithExitWaiverUsd < quote.totalUsd;
  const text = `${formatMoney(quote.totalUsd)} once, ${describePayback(breakEvenMonths)}`;
  return hasWaiver ? `${text}; with the egress waived ${describePayback(waived)}.` : `${text}.`;
}
