import { formatMoney, formatNumber, formatPercent, type Drill } from '@storage-routing/client';
import type { ComponentProps } from 'react';
import { isDrillRunning } from '../../data/drills.ts';
import { Card } from '../../parts/card.tsx';
import { Figure, Figures } from '../../parts/figure.tsx';
import { Progress } from '../../parts/progress.tsx';

/** How far it is, and what it has cost so far. */
export function DrillProgress({ drill }: { readonly drill: Drill }) {
  const { sample, results, costUsd } = drill;
  const { copied, readBack, equal, failed } = results;
  return (
    <>
      {isDrillRunning(drill) ? (
        <Card title="Progress">
          <Progress {...progressProps(drill)} />
        </Card>
      ) : null}
      <Figures>
        <Figure
          label="Copied"
          value={formatNumber(copied)}
          basis={`of ${formatNumber(sample.files)} in the sample`}
        />
        <Figure
          label="Read back"
          value={formatNumber(readBack)}
          basis="with the credentials of the target alone"
        />
        <Figure label="Equal" value={formatNumber(equal)} basis="by SHA-256" />
        <Figure
          label="Failed"
          value={formatNumber(failed)}
          basis={failed > 0 ? 'what to do is below' : 'none needs you'}
        />
        <Figure label="Cost" value={formatMoney(costUsd)} basis="billed by the stores" />
      </Figures>
    </>
  );
}

/** Copies and reading back are half of it each. Unknown until the sample is chosen. */
export function progressProps({ sample, results }: Drill): ComponentProps<typeof Progress> {
  const { files } = sample;
  const { copied, readBack, failed } = results;
  if (files === 0) return { label: 'Choosing the sample', percent: null, text: 'not counted yet' };
  const percent = Math.min(100, (50 * (copied + failed + readBack)) / files);
  const text = `${formatPercent(percent / 100)}: ${formatNumber(copied)} of ${formatNumber(files)} copied, ${formatNumber(readBack)} read back`;
  return { label: 'Done', percent, text };
}
