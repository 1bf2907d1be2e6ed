import type { ScanResult } from '@storage-routing/client';
import {
  confidenceWords,
  formatPayback,
  profileTitle,
  verdictTitle,
} from '../../../format/audit.ts';
import { formatBytes, formatUsd, formatCounted } from '../../../format/values.ts';
import { Figure, Figures } from '../../../parts/figure.tsx';

/** The answer in one sentence, and the figures that belong to it. */
export function Verdict({ scan: { summary, decisionReport: report } }: { scan: ScanResult }) {
  const { currentMonthlyCostUsd: now, optimalMonthlyCostUsd: then, monthlySavingsUsd } = summary;
  const confidence = report ? confidenceWords(report.confidence) : undefined;
  return (
    <>
      <section className="card verdict" aria-labelledby="verdict">
        <h2 id="verdict">{answerTitle(report?.verdict, monthlySavingsUsd)}</h2>
        <p>
          {monthlySavingsUsd > 0
            ? `${formatUsd(monthlySavingsUsd)} of ${formatUsd(now)} a month can be saved.`
            : `Nothing cheaper was found. What is stored here costs ${formatUsd(now)} a month.`}
          {confidence
            ? ` Confidence: ${confidence.level.toLowerCase()} (${confidence.basis}).`
            : null}
        </p>
        {report && report.reasons.length > 0 ? (
          <ul className="lines">
            {report.reasons.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        ) : null}
      </section>
      <Figures>
        <Figure
          label="Costs now"
          value={`${formatUsd(now)} a month`}
          basis={`${formatCounted(summary.objects, 'object')}, ${formatBytes(summary.bytes)} in ${formatCounted(summary.buckets, 'bucket')}: ${profileTitle(summary.workloadProfile)}`}
        />
        <Figure
          label="Would cost"
          value={`${formatUsd(then)} a month`}
          basis={`${formatUsd(monthlySavingsUsd)} less, if all of the below is done`}
        />
        {report ? (
          <>
            <Figure
              label="Costs once"
              value={formatUsd(report.oneOffCostUsd)}
              basis={`pays back ${formatPayback(report.breakEvenMonths)}`}
            />
            <Figure
              label={`Saved in ${report.horizonMonths} months`}
              value={formatUsd(report.savings12MonthsUsd)}
              basis="after what it costs once"
            />
          </>
        ) : null}
      </Figures>
    </>
  );
}

/** Without a decision report there is no verdict, only whether something can be saved. */
function answerTitle(verdict: string | undefined, savesUsd: number): string {
  if (verdict !== undefined) return verdictTitle(verdict);
  return savesUsd > 0 ? 'There is something to save' : verdictTitle('stay');
}
