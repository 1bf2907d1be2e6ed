import type {
  ListedMigration,
  Me,
  ProviderInfo,
  ProviderTest,
  RecommendationsPage,
  Subscription,
} from '@storage-routing/client';
import { useQueries, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useAccountQueries } from '../../data/account.ts';
import { isMigrationRunning, useMigrationQueries } from '../../data/migrations.ts';
import { useProviderQueries, useProviderTitle, type ProviderTitle } from '../../data/providers.ts';
import { useRecommendationQueries } from '../../data/recommendations.ts';
import { formatCount, formatPercent, formatUsd } from '../../format/values.ts';
import { paymentWords, readQuotas } from '../../format/plan.ts';

/** Something that needs the reader. */
export interface AttentionItem {
  readonly text: string;
  readonly href: string;
}

/** What needs attention, the most urgent first. Each list has its own query, because one may fail. */
export function useAttention(): readonly UseQueryResult<readonly AttentionItem[]>[] {
  const { providers, providerTest } = useProviderQueries();
  const { account, config, subscription } = useAccountQueries();
  const { latestMigrations } = useMigrationQueries();
  const { openRecommendations } = useRecommendationQueries();
  const providerTitle = useProviderTitle();
  const stores = useQuery(providers).data?.items ?? [];
  const testQuery = ({ provider }: ProviderInfo) => ({
    ...providerTest(provider),
    select: (test: ProviderTest) => findFailedTest(test, providerTitle),
  });
  const tests = useQueries({ queries: stores.map(testQuery) });
  const payment = { ...subscription, select: findPaymentProblem };
  const queries = useQuery(config).data?.billing ? [payment] : [];
  const payments = useQueries({ queries });
  return [
    useQuery({ ...providers, select: findMissingStores }),
    ...tests,
    // Until it is known whether plans can be bought, the list is not complete.
    useQuery({ ...config, select: () => [] }),
    ...payments,
    useQuery({ ...account, select: findNearQuotas }),
    useQuery({
      ...latestMigrations,
      select: (page) => findRunningMigrations(page, providerTitle),
    }),
    useQuery({ ...openRecommendations, select: findBestRecommendation }),
  ];
}

function findMissingStores({ items }: { items: ProviderInfo[] }): readonly AttentionItem[] {
  if (items.length > 0) return [];
  return [{ text: 'No store is configured: uploads are refused. Add one', href: '/providers' }];
}

function findFailedTest(
  { provider, checks }: ProviderTest,
  providerTitle: ProviderTitle,
): readonly AttentionItem[] {
  const failed = checks.find(({ ok }) => !ok);
  if (!failed) return [];
  const reason = failed.error?.message ?? failed.name;
  return [{ text: `${providerTitle(provider)} fails its test: ${reason}`, href: '/providers' }];
}

function findPaymentProblem(answer: {
  subscription: Subscription | null;
}): readonly AttentionItem[] {
  if (!answer.subscription) return [];
  const { tone, title, advice } = paymentWords(answer.subscription.status);
  return tone === 'bad' ? [{ text: `${title}. ${advice}`, href: '/plan' }] : [];
}

function findNearQuotas(me: Me): readonly AttentionItem[] {
  return readQuotas(me).flatMap(({ title, limit = '', share = 0, isNear }) =>
    isNear
      ? [{ text: `${title}: ${formatPercent(share)} of ${limit} are used`, href: '/plan' }]
      : [],
  );
}

function findRunningMigrations(
  { items }: { items: ListedMigration[] },
  providerTitle: ProviderTitle,
): readonly AttentionItem[] {
  return items
    .filter(isMigrationRunning)
    .map(({ migrationId, bucket, targetProvider, percent }) => ({
      text: `${bucket} is being copied to ${providerTitle(targetProvider)}${percent === null ? '' : `: ${formatPercent(percent / 100)}`}`,
      href: `/migrations/${migrationId}`,
    }));
}

function findBestRecommendation({ items, total }: RecommendationsPage): readonly AttentionItem[] {
  const [best] = items;
  if (!best) return [];
  const { bucket, monthlySavingsUsd } = best;
  return [
    {
      text: `${formatCount(total)} open ${total === 1 ? 'recommendation' : 'recommendations'}: ${bucket} could cost ${formatUsd(monthlySavingsUsd)} a month less`,
      href: '/recommendations?status=open',
    },
  ];
}
