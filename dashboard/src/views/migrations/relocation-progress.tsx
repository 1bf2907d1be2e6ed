import {
  formatBytes,
  formatMoney,
  formatNumber,
  formatPercent,
  type Relocation,
} from '@storage-routing/client';
import type { ComponentProps } from 'react';
import { isRelocationRunning } from '../../data/relocations.ts';
import { Card } from '../../parts/card.tsx';
import { Figure, Figures } from '../../parts/figure.tsx';
import { Progress } from '../../parts/progress.tsx';
import { Remaining } from './migration-progress.tsx';

/** How far it is, what was left out, and what it has cost so far. */
export function RelocationProgress({ relocation }: { readonly relocation: Relocation }) {
  const { progress, costUsd, quote } = relocation;
  const { filesMoved, filesTotal, filesSkipped, filesFailed } = progress;
  return (
    <>
      <Card title="Progress">
        <Progress {...progressProps(relocation)} />
      </Card>
      <Figures>
        <Figure
          label="Files moved"
          value={formatNumber(filesMoved)}
          basis={`of ${formatNumber(filesTotal)}`}
        />
        <Figure
          label="Files skipped"
          value={formatNumber(filesSkipped)}
          basis={filesSkipped > 0 ? 'the report says why' : 'such as files deleted meanwhile'}
        />
        <Figure
          label="Files failed"
          value={formatNumber(filesFailed)}
          basis={filesFailed > 0 ? 'what to do is below' : 'none needs you'}
        />
        <Figure
          label="Cost"
          value={formatMoney(costUsd)}
          basis={`of ${formatMoney(quote.totalUsd)} estimated`}
        />
        {isRelocationRunning(relocation) ? <Remaining progress={progress} /> : null}
      </Figures>
    </>
  );
}

/** Unknown until all files are listed. */
export function progressProps({ status, progress }: Relocation): ComponentProps<typeof Progress> {
  const { percent, bytesMoved, bytesTotal } = progress;
  if (status === 'planning')
    return { label: 'Listing the files', percent: null, text: 'not counted yet' };
  const bytes = `${formatBytes(bytesMoved)} of ${formatBytes(bytesTotal)}`;
  return { label: 'Done', percent, text: `${formatPercent(percent / 100)}: ${bytes} moved` };
}
