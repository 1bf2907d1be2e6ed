import type { Migration } from '@storage-routing/client';
import { Link } from 'wouter';
import { formatSelector } from '../../format/recommendations.ts';
import { PROVIDER_TITLES } from '../../format/words.ts';
import { Card } from '../../parts/card.tsx';
import { QuoteTable } from '../../parts/quote-table.tsx';
import { Time } from '../../parts/time.tsx';

/** What was approved, by whom and when, and what it was to cost. */
export function Approval({ migration }: { readonly migration: Migration }) {
  const { source, target, quote, approvedBy, approvedAt, recommendationId } = migration;
  const facts: readonly (readonly [string, string])[] = [
    ['From', `${source.bucket} (${PROVIDER_TITLES.aws}, ${source.region})`],
    ['Selects', formatSelector(source.selector)],
    ['To', `${target.bucketName} (${PROVIDER_TITLES[target.provider]})`],
    ['Keys at the target begin with', target.keyPrefix],
    ['Approved by', approvedBy],
  ];
  return (
    <Card
      title="What was approved"
      aside={<Link href={`/recommendations/${recommendationId}`}>Its recommendation</Link>}
    >
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        <div>
          <dt>Approved</dt>
          <dd>
            <Time iso={approvedAt} />
          </dd>
        </div>
        {migration.completedAt === null ? null : (
          <div>
            <dt>Ended</dt>
            <dd>
              <Time iso={migration.completedAt} />
            </dd>
          </div>
        )}
      </dl>
      <QuoteTable
        caption="The approved quote, billed by the stores"
        quotes={[{ title: PROVIDER_TITLES[target.provider], quote }]}
      />
    </Card>
  );
}
