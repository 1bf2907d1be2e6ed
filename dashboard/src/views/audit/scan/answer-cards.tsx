import type { Recommendation, ScanResult } from '@storage-routing/client';
import { Link } from 'wouter';
import { useProviderTitle } from '../../../data/providers.ts';
import { confidenceWords, formatPayback } from '../../../format/audit.ts';
import { formatBytes, formatCount, formatUsd } from '../../../format/values.ts';
import {
  actionTitle,
  formatSelector,
  onceUsd,
  paybackMonths,
} from '../../../format/recommendations.ts';
import { wordsFromCode } from '../../../format/words.ts';
import { Card } from '../../../parts/card.tsx';
import type { Column } from '../../../parts/data-table.tsx';
import { LongTable } from '../long-table.tsx';
import { groupAnswers } from './answers.ts';

/** What to do, by what it takes; and what stays. */
export function AnswerCards({ scan }: { readonly scan: ScanResult }) {
  const { atOnce, payingBack, staying, restMonthlyUsd } = groupAnswers(scan);
  return (
    <>
      <Card title="1. Costs next to nothing, and needs no move">
        <Recommendations rows={atOnce} caption="Saves from the first month" />
      </Card>
      <Card title="2. Pays back">
        <Recommendations rows={payingBack} caption="The shortest payback first" />
      </Card>
      <Card title="3. Stays, and why">
        {staying.length === 0 ? (
          <p>No bucket stays as it is.</p>
        ) : (
          <LongTable
            caption="Buckets for which nothing is recommended"
            rows={staying}
            rowKey={({ bucket }) => bucket.name}
            columns={[
              { title: 'Bucket', cell: ({ bucket }) => <code>{bucket.name}</code> },
              { title: 'Why', cell: ({ reason }) => <span className="prose">{reason}</span> },
              { title: 'Size', isNumber: true, cell: ({ bucket }) => formatBytes(bucket.bytes) },
              {
                title: 'Costs a month',
                isNumber: true,
                cell: ({ bucket }) => formatUsd(bucket.currentMonthlyCostUsd),
              },
            ]}
          />
        )}
        {scan.recommendations.length > 0 ? (
          <p>
            The other buckets count as {formatUsd(restMonthlyUsd)} a month afterwards: what they
            cost today, less what is saved.
          </p>
        ) : null}
      </Card>
    </>
  );
}

const COLUMNS: readonly Column<Recommendation>[] = [
  { title: 'What', cell: (recommendation) => <Action recommendation={recommendation} /> },
  {
    title: 'Saves a month',
    isNumber: true,
    cell: ({ monthlySavingsUsd }) => formatUsd(monthlySavingsUsd),
  },
  {
    title: 'Costs once',
    isNumber: true,
    cell: (recommendation) => (
      <>
        {formatUsd(onceUsd(recommendation))}
        <span className="quiet small">
          pays back {formatPayback(paybackMonths(recommendation))}
        </span>
      </>
    ),
  },
  {
    title: 'Objects',
    isNumber: true,
    cell: ({ objects, bytes }) => (
      <>
        {formatCount(objects)}
        <span className="quiet small">{formatBytes(bytes)}</span>
      </>
    ),
  },
  {
    title: 'Confidence',
    cell: ({ confidence }) => {
      const { level, basis } = confidenceWords(confidence);
      return <span title={basis}>{level}</span>;
    },
  },
];

function Action({ recommendation }: { readonly recommendation: Recommendation }) {
  const providerTitle = useProviderTitle();
  const { recommendationId, bucket, selector, status, blockers } = recommendation;
  return (
    <span className="prose">
      <Link href={`/recommendations/${recommendationId}`}>
        {actionTitle(recommendation, providerTitle)}
      </Link>
      <span className="quiet small">
        <code>{bucket}</code>: {formatSelector(selector)}
      </span>
      {status === 'open' ? null : <span className="quiet small">{wordsFromCode(status)}</span>}
      {blockers.length > 0 ? (
        <span className="quiet small">{blockers.map(({ message }) => message).join(' ')}</span>
      ) : null}
    </span>
  );
}

interface RecommendationsProps {
  readonly caption: string;
  readonly rows: readonly Recommendation[];
}

function Recommendations({ caption, rows }: RecommendationsProps) {
  if (rows.length === 0) return <p>Nothing.</p>;
  const savesUsd = rows.reduce((sum, { monthlySavingsUsd }) => sum + monthlySavingsUsd, 0);
  return (
    <>
      <LongTable
        caption={caption}
        rows={rows}
        rowKey={({ recommendationId }) => recommendationId}
        columns={COLUMNS}
      />
      <p>Together: {formatUsd(savesUsd)} a month.</p>
    </>
  );
}
