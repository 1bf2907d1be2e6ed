import type { PlacementOption, Recommendation } from '@storage-routing/client';
import { useState } from 'react';
import { formatMonths } from '../../format/durations.ts';
import { formatUsd } from '../../format/numbers.ts';
import { Card } from '../../parts/card.tsx';
import { Choice } from '../../parts/choice.tsx';
import { Plot } from '../../parts/plot.tsx';
import { breakEvenPlot } from './break-even.ts';
import { titleOf } from './options.ts';

interface BreakEvenProps {
  readonly recommendation: Recommendation;
  readonly recommended: PlacementOption;
  readonly horizonMonths: number;
}

/** When the one-time cost is earned back. */
export function BreakEven({ recommendation, recommended, horizonMonths }: BreakEvenProps) {
  const { options } = recommendation;
  const [chosen, setChosen] = useState(titleOf(recommended));
  const option = options.find((each) => titleOf(each) === chosen) ?? recommended;
  return (
    <Card title="When it pays back">
      {options.length > 1 ? (
        <div className="filters">
          <Choice
            label="Store"
            value={chosen}
            options={options.map((each) => ({ value: titleOf(each), title: titleOf(each) }))}
            onChange={setChosen}
          />
        </div>
      ) : null}
      <p>{inWords(option, horizonMonths)}</p>
      <Plot
        caption={`Cost since the start over ${formatMonths(horizonMonths)}, in USD`}
        kind="lines"
        pointTitle="Month"
        {...breakEvenPlot(recommendation, option, horizonMonths)}
        format={formatUsd}
      />
      <p className="quiet">
        One scenario of reads: storage, less the smaller of the savings without reads and with the
        expected reads. The audit has the figures of the three scenarios only for all of its
        recommendations together.
      </p>
    </Card>
  );
}

function inWords(option: PlacementOption, horizonMonths: number): string {
  const { breakEvenMonths, breakEvenMonthsWithExitWaiver: waived, quote } = option;
  if (breakEvenMonths === null) return 'It never pays back: it saves nothing.';
  const hasWaiver = quote.totalWithExitWaiverUsd < quote.totalUsd && waived !== null;
  const months = `${formatUsd(quote.totalUsd)} once is earned back after ${formatMonths(breakEvenMonths)}`;
  const beyond =
    breakEvenMonths > horizonMonths ? `, beyond the ${formatMonths(horizonMonths)} shown` : '';
  return `${months}${beyond}${hasWaiver ? `; with egress waived after ${formatMonths(waived)}` : ''}.`;
}
