import {
  confidenceLevel,
  describeBill,
  describePayback,
  formatBytes,
  formatCount,
  formatMoney,
  type ScanResult,
} from '@storage-routing/client';
import { useProviderTitle } from '../../../data/providers.ts';
import { profileTitle, scanHeadline } from '../../../format/audit.ts';
import { formatMonth } from '../../../format/values.ts';
import { Figure, Figures } from '../../../parts/figure.tsx';

/** The answer as a person would say it, and the figures that belong to it. */
export function Verdict({ scan }: { readonly scan: ScanResult }) {
  const { summary, decisionReport: report } = scan;
  const { currentMonthlyCostUsd: now, optimalMonthlyCostUsd: then, monthlySavingsUsd } = summary;
  const providerTitle = useProviderTitle();
  return (
    <>
      <section className="card verdict" aria-labelledby="verdict">
        {summary.bill ? (
          <p>{describeBill(summary.bill, formatMonth(summary.bill.period))}</p>
        ) : null}
        <h2 id="verdict">{scanHeadline(scan, providerTitle)}</h2>
        <p>
          {formatCount(summary.objects, 'object')}, {formatBytes(summary.bytes)} in{' '}
          {formatCount(summary.buckets, 'bucket')}: {profileTitle(summary.workloadProfile)}.
          {report?.confidence ? ` ${confidenceLevel(report.confidence)} confidence.` : null}
        </p>
        {report && report.reasons.length > 0 ? (
          <details>
            <summary>Why</summary>
            <ul className="lines">
              {report.reasons.map((reason) => (
                <li key={reason}>{reason}</li>
              ))}
            </ul>
          </details>
        ) : null}
      </section>
      <Figures>
        <Figure
          label="Now"
          value={formatMoney(now)}
          basis={
            summary.bill
              ? 'a month, at your prices, with the reads that the bill shows'
              : 'a month, at list prices, without reads'
          }
        />
        <Figure label="After" value={formatMoney(then)} basis="a month, once every step is taken" />
        <Figure
          label="You save"
          value={formatMoney(monthlySavingsUsd)}
          basis="a month: a conservative estimate"
        />
        {report ? (
          <Figure
            label="Costs once"
            value={formatMoney(report.oneOffCostUsd)}
            basis={`${describePayback(report.breakEvenMonths)}; ${formatMoney(report.savings12MonthsUsd)} saved in ${report.horizonMonths} months`}
          />
        ) : null}
      </Figures>
    </>
  );
}
