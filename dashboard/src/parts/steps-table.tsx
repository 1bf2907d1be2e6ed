import {
  actionTitle,
  confidenceLevel,
  foldSmall,
  formatBytes,
  formatCents,
  formatCount,
  formatNumber,
  formatPayback,
  formatRow,
  type Recommendation,
  onceUsd,
} from '@storage-routing/client';
import { Link } from 'wouter';
import { useProviderTitle, type ProviderTitle } from '../data/providers.ts';
import { formatSelector, paybackMonths } from '../format/recommendations.ts';
import { formatDate } from '../format/values.ts';
import { formatCode } from '../format/code.ts';
import type { Column } from './data-table.tsx';
import { ListTable } from './list-table.tsx';
import type { Step } from './steps.ts';

interface StepsTableProps {
  readonly caption: string;
  readonly steps: readonly Step[];
  /** The name of the exported file, without its ending. */
  readonly fileName: string;
}

/** Steps with what they save and cost; small ones are folded into a line. */
export function StepsTable({ caption, steps, fileName }: StepsTableProps) {
  const columns = createColumns(useProviderTitle());
  const { shown, folded } = foldSmall(
    steps,
    ({ recommendation }) => recommendation.monthlySavingsUsd,
  );
  const table = (rows: readonly Step[], title: string) => (
    <ListTable
      caption={title}
      fileName={fileName}
      rows={rows}
      rowKey={({ recommendation }) => recommendation.recommendationId}
      columns={columns}
    />
  );
  if (folded.length === 0) return table(shown, caption);
  const savedCents = folded.reduce((sum, step) => sum + step.savedCents, 0);
  return (
    <>
      {table(shown, caption)}
      <details>
        <summary>
          {formatCount(folded.length, 'smaller step')}, below $1.00 a month each:{' '}
          {formatCents(savedCents)} a month together
        </summary>
        {table(folded, 'Steps below $1.00 a month')}
      </details>
    </>
  );
}

function createColumns(providerTitle: ProviderTitle): readonly Column<Step>[] {
  return [
    {
      title: 'What',
      value: ({ recommendation: one }) =>
        `${actionTitle(one, providerTitle)}: ${one.bucket}, ${formatSelector(one.selector)}`,
      cell: ({ recommendation }) => <Action recommendation={recommendation} />,
    },
    {
      title: 'Saves a month',
      isNumber: true,
      value: ({ recommendation }) => recommendation.monthlySavingsUsd,
      cell: ({ recommendation, savedCents }) =>
        formatRow(recommendation.monthlySavingsUsd, savedCents),
    },
    {
      title: 'Costs once',
      isNumber: true,
      value: ({ recommendation }) => onceUsd(recommendation),
      cell: ({ recommendation, onceCents }) => formatRow(onceUsd(recommendation), onceCents),
    },
    {
      title: 'Paid back',
      isNumber: true,
      value: ({ recommendation }) => paybackMonths(recommendation),
      cell: ({ recommendation }) => formatPayback(paybackMonths(recommendation)),
    },
    {
      title: 'Size',
      isNumber: true,
      isMinor: true,
      value: ({ recommendation }) => recommendation.bytes,
      cell: ({ recommendation: { objects, bytes } }) => (
        <span title={`${formatNumber(objects)} objects`}>{formatBytes(bytes)}</span>
      ),
    },
    {
      title: 'Confidence',
      isMinor: true,
      value: ({ recommendation }) => recommendation.confidence,
      cell: ({ recommendation: { confidence, reasons } }) => (
        <span title={reasons.at(-1)}>{confidenceLevel(confidence)}</span>
      ),
    },
  ];
}

function Action({ recommendation }: { readonly recommendation: Recommendation }) {
  const providerTitle = useProviderTitle();
  const { recommendationId, bucket, selector, status, dismissed, blockers } = recommendation;
  return (
    <span className="prose">
      <Link href={`/recommendations/${recommendationId}`}>
        {actionTitle(recommendation, providerTitle)}
      </Link>
      <span className="quiet small">
        <code>{bucket}</code>, {formatSelector(selector)}
      </span>
      {status === 'open' ? null : <span className="quiet small">{formatCode(status)}</span>}
      {dismissed ? (
        <span className="quiet small">Dismissed until {formatDate(dismissed.until)}</span>
      ) : null}
      {blockers.length > 0 ? (
        <span className="quiet small">{blockers.map(({ message }) => message).join(' ')}</span>
      ) : null}
    </span>
  );
}
