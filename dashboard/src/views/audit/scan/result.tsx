import type { ScanResult } from '@storage-routing/client';
import { formatCount, formatUsd } from '../../../format/values.ts';
import { Card } from '../../../parts/card.tsx';
import { Buckets } from './buckets.tsx';
import { Findings } from './findings.tsx';
import { AnswerCards } from './answer-cards.tsx';
import { ExitScenario, ReadScenarios } from './scenarios.tsx';
import { Verdict } from './verdict.tsx';

/** What a completed scan found: the verdict first. */
export function Result({ scan }: { readonly scan: ScanResult }) {
  const { decisionReport: report, requests } = scan;
  return (
    <>
      <Verdict scan={scan} />
      <AnswerCards scan={scan} />
      {report ? <ReadScenarios report={report} /> : null}
      {report?.exitScenario ? <ExitScenario exit={report.exitScenario} /> : null}
      <Buckets scan={scan} />
      <Findings scan={scan} />
      <Coverage scan={scan} />
      {report ? (
        <Card title="What this rests on">
          <Lines title="Risks" lines={report.risks} />
          <Lines title="Assumptions" lines={report.assumptions} />
          <p className="quiet">
            Prices: {report.priceBook}. Horizon: {report.horizonMonths} months. This scan made{' '}
            {formatCount(requests.list + requests.other)} requests, for{' '}
            {formatUsd(requests.costUsd)} on your AWS bill.
          </p>
        </Card>
      ) : null}
    </>
  );
}

function Lines({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <details>
      <summary>
        {title} ({formatCount(lines.length)})
      </summary>
      <ul className="lines">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </details>
  );
}

/** What the role did not permit to see. */
function Coverage({ scan: { summary, buckets } }: { readonly scan: ScanResult }) {
  const unread = buckets.filter(({ error }) => error !== null);
  return (
    <Card title="What was not seen">
      {unread.length === 0 && summary.coverage.length === 0 ? (
        <p>Nothing: every bucket was read in full.</p>
      ) : (
        <ul className="lines">
          {unread.map(({ name, error }) => (
            <li key={name}>
              <code>{name}</code> could not be read: {error?.message}
            </li>
          ))}
          {summary.coverage.map(({ bucket, missing, effect }) => (
            <li key={`${bucket} ${missing}`}>
              <code>{bucket}</code>: {effect}. The role does not allow <code>{missing}</code>.
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
