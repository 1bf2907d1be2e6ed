import { formatMoney, formatNumber, knowsReads, type ScanResult } from '@storage-routing/client';
import { useProviderTitle } from '../../../data/providers.ts';
import { Card } from '../../../parts/card.tsx';
import { StepCards } from './step-cards.tsx';
import { Buckets } from './buckets.tsx';
import { Changes } from './changes.tsx';
import { Findings } from './findings.tsx';
import { NotTouched } from './not-touched.tsx';
import { ExitScenario, ReadScenarios } from './scenarios.tsx';
import { ToKnow } from './to-know.tsx';
import { Verdict } from './verdict.tsx';

/** What a completed scan found: the money first, what it rests on last. */
export function Result({ scan }: { readonly scan: ScanResult }) {
  const { decisionReport: report } = scan;
  return (
    <>
      <ToKnow scan={scan} />
      <Changes scan={scan} />
      <Verdict scan={scan} />
      <StepCards scan={scan} />
      <Buckets scan={scan} />
      {report ? <ReadScenarios report={report} knowsReads={knowsReads(scan.buckets)} /> : null}
      <Findings scan={scan} />
      {report ? <NotTouched report={report} /> : null}
      {report?.exitScenario ? (
        <ExitScenario exit={report.exitScenario} source={scan.provider} />
      ) : null}
      <Appendix scan={scan} />
    </>
  );
}

/** What the figures cover, and what they assume. */
function Appendix({ scan }: { readonly scan: ScanResult }) {
  const { decisionReport: report, provider, requests } = scan;
  const providerTitle = useProviderTitle();
  return (
    <Card title="Appendix">
      <Coverage scan={scan} />
      {report ? (
        <>
          <Lines title="Risks" lines={report.risks} />
          <Lines title="Assumptions" lines={report.assumptions} />
          <p className="quiet">
            Prices of {report.priceBook}, over {report.horizonMonths} months. The audit sent{' '}
            {formatNumber(requests.list + requests.other)} requests, which cost{' '}
            {formatMoney(requests.costUsd)} on your bill of {providerTitle(provider)}.
          </p>
        </>
      ) : null}
    </Card>
  );
}

function Lines({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <details>
      <summary>
        {title} ({formatNumber(lines.length)})
      </summary>
      <ul className="lines">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </details>
  );
}

/** What the role or the keys did not permit to see. */
function Coverage({ scan: { summary, buckets } }: { readonly scan: ScanResult }) {
  const unread = buckets.filter(({ error }) => error !== null);
  if (unread.length === 0 && summary.coverage.length === 0)
    return <p>Every bucket was read in full.</p>;
  return (
    <div>
      <h3>What was not seen</h3>
      <ul className="lines">
        {unread.map(({ name, error }) => (
          <li key={name}>
            <code>{name}</code> could not be read: {error?.message}
          </li>
        ))}
        {summary.coverage.map(({ bucket, missing, effect }) => (
          <li key={`${bucket} ${missing}`}>
            {bucket === null ? 'The whole account' : <code>{bucket}</code>}: {effect}. Missing:{' '}
            <code>{missing}</code>.
          </li>
        ))}
      </ul>
    </div>
  );
}
