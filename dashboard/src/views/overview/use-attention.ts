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
import { useProviderQueries } from '../../data/providers.ts';
import { useRecommendationQueries } from '../../data/recommendations.ts';
import { formatCount, formatPercent, formatUsd } from '../../format/numbers.ts';
import { PAYMENT_WORDS } from '../../format/payments.ts';
import { quotasOf } from '../../format/quotas.ts';
import { CHECK_TITLES, PROVIDER_TITLES } from '../../format/words.ts';

export interface Matter {
  readonly text: string;
  readonly href: string;
}

/** What needs the reader, the most urgent first: each list by itself, because one may fail. */
export function useAttention(): readonly UseQueryResult<readonly Matter[]>[] {
  const { providers, providerTest } = useProviderQueries();
  const { account, config, subscription } = useAccountQueries();
  const { latestMigrations } = useMigrationQueries();
  const { openRecommendations } = useRecommendationQueries();
  const stores = useQuery(providers).data?.items ?? [];
  const testOf = ({ provider }: ProviderInfo) => ({
    ...providerTest(provider),
    select: mattersOfTest,
  });
  const tests = useQueries({ queries: stores.map(testOf) });
  const payment = { ...subscription, select: mattersOfPayment };
  const queries = useQuery(config).data?.billing ? [payment] : [];
  const payments = useQueries({ queries });
  return [
    useQuery({ ...providers, select: mattersOfProviders }),
    ...tests,
    // Until it is known whether plans can be bought, the list is not complete.
    useQuery({ ...config, select: () => [] }),
    ...payments,
    useQuery({ ...account, select: mattersOfPlan }),
    useQuery({ ...latestMigrations, select: mattersOfMigrations }),
    useQuery({ ...openRecommendations, select: mattersOfRecommendations }),
  ];
}

function mattersOfProviders({ items }: { items: ProviderInfo[] }): readonly Matter[] {
  if (items.length > 0) return [];
  return [{ text: 'No store is configured: uploads are refused. Add one', href: '/providers' }];
}

function mattersOfTest({ provider, checks }: ProviderTest): readonly Matter[] {
  const failed = checks.find(({ ok }) => !ok);
  if (!failed) return [];
  const reason = failed.error?.message ?? `${CHECK_TITLES[failed.name]} failed`;
  return [{ text: `${PROVIDER_TITLES[provider]} fails its test: ${reason}`, href: '/providers' }];
}

function mattersOfPayment(answer: { subscription: Subscription | null }): readonly Matter[] {
  if (!answer.subscription) return [];
  const { tone, title, advice } = PAYMENT_WORDS[answer.subscription.status];
  return tone === 'bad' ? [{ text: `${title}. ${advice}`, href: '/plan' }] : [];
}

function mattersOfPlan(me: Me): readonly Matter[] {
  return quotasOf(me).flatMap(({ title, limit = '', share = 0, isNear }) =>
    isNear
      ? [{ text: `${title}: ${formatPercent(share)} of ${limit} are used`, href: '/plan' }]
      : [],
  );
}

function mattersOfMigrations({ items }: { items: ListedMigration[] }): readonly Matter[] {
  return items
    .filter(isMigrationRunning)
    .map(({ migrationId, bucket, targetProvider, percent }) => ({
      text: `${bucket} is being copied to ${PROVIDER_TITLES[targetProvider]}${percent === null ? '' : `: ${formatPercent(percent / 100)}`}`,
      href: `/migrations/${migrationId}`,
    }));
}

function mattersOfRecommendations({ items, total }: RecommendationsPage): readonly Matter[] {
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
