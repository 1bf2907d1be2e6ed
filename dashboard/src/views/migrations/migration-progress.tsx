import { formatBytes, formatNumber, formatPercent, type Migration } from '@storage-routing/client';
import { isMigrationRunning } from '../../data/migrations.ts';
import { formatSeconds } from '../../format/values.ts';
import { Card } from '../../parts/card.tsx';
import { Figure, Figures } from '../../parts/figure.tsx';
import { Progress } from '../../parts/progress.tsx';

/** How far it is, how fast, and how long it still takes. */
export function MigrationProgress({ migration }: { readonly migration: Migration }) {
  const { progress } = migration;
  const { percent, bytesCopied, bytesTotal } = progress;
  const isRunning = isMigrationRunning(migration);
  return (
    <>
      {percent === null && !isRunning ? null : (
        <Card title="Progress">
          <Progress
            label={percent === null ? 'Listing the objects' : 'Done'}
            percent={percent}
            text={
              percent === null
                ? 'not counted yet'
                : `${formatPercent(percent / 100)}: ${formatBytes(bytesCopied)} of ${formatBytes(bytesTotal)} copied`
            }
          />
        </Card>
      )}
      <Figures>
        <Figure
          label="Objects copied"
          value={formatNumber(progress.objectsCopied)}
          basis={`of ${formatNumber(progress.objectsTotal)}${skippedText(progress)}`}
        />
        <Figure
          label="Objects failed"
          value={formatNumber(progress.objectsFailed)}
          basis={progress.objectsFailed > 0 ? 'what to do is below' : 'none needs you'}
        />
        {isRunning ? <Remaining progress={progress} /> : <Duration migration={migration} />}
      </Figures>
    </>
  );
}

function skippedText({ objectsSkipped }: Migration['progress']): string {
  if (objectsSkipped === 0) return '';
  return `, ${formatNumber(objectsSkipped)} were there before`;
}

interface RemainingProps {
  readonly progress: Pick<Migration['progress'], 'bytesPerSecond' | 'etaSeconds'>;
}

/** The same places from the first second on, so that nothing moves. */
export function Remaining({ progress: { bytesPerSecond, etaSeconds } }: RemainingProps) {
  return (
    <>
      <Figure
        label="Rate"
        value={bytesPerSecond > 0 ? `${formatBytes(bytesPerSecond)}/s` : '–'}
        basis="the last 30 seconds"
      />
      <Figure
        label="Time left"
        value={etaSeconds === null ? '–' : formatSeconds(etaSeconds)}
        basis="at this rate"
      />
    </>
  );
}

function Duration({ migration }: { readonly migration: Migration }) {
  const { rounds, progress } = migration;
  const { startedAt = null, completedAt = null } = rounds.at(-1) ?? {};
  if (startedAt === null || completedAt === null) return null;
  const seconds = (Date.parse(completedAt) - Date.parse(startedAt)) / 1000;
  return (
    <Figure
      label="Took"
      value={formatSeconds(seconds)}
      basis={`${formatBytes(progress.bytesCopied)} copied`}
    />
  );
}
