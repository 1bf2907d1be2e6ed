import type { Migration } from '@storage-routing/client';
import { Link } from 'wouter';
import { useProviderTitle } from '../../data/providers.ts';
import { formatSelector } from '../../format/recommendations.ts';
import { Facts, type Fact } from '../../parts/facts.tsx';
import { Card } from '../../parts/card.tsx';
import { QuoteTable } from '../../parts/quote-table.tsx';
import { Time } from '../../parts/time.tsx';

/** What was approved, by whom and when, and what it was to cost. */
export function Approval({ migration }: { readonly migration: Migration }) {
  const providerTitle = useProviderTitle();
  const targetTitle = providerTitle(migration.target.provider);
  const {
    source,
    target,
    quote,
    approvedBy,
    approvedByName,
    approvedAt,
    completedAt,
    recommendationId,
  } = migration;
  const facts: readonly Fact[] = [
    ['From', `${source.bucket} (${providerTitle(source.provider)}, ${source.region})`],
    ['Selects', formatSelector(source.selector)],
    ['To', `${target.bucketName} (${targetTitle})`],
    ['Keys at the target begin with', target.keyPrefix],
    ['Approved by', <span title={approvedBy}>{approvedByName}</span>],
    ['Approved', <Time iso={approvedAt} />],
    ['Ended', completedAt === null ? null : <Time iso={completedAt} />],
  ];
  return (
    <Card
      title="What was approved"
      aside={<Link href={`/recommendations/${recommendationId}`}>Its recommendation</Link>}
    >
      <Facts facts={facts} />
      <QuoteTable
        caption="The approved quote, billed by the stores"
        quotes={[{ title: targetTitle, quote }]}
      />
    </Card>
  );
}
