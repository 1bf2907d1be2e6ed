import {
  formatPercent,
  type ListedMigration,
  type Me,
  type ProviderInfo,
  type ProviderTest,
  type Subscription,
} from '@storage-routing/client';
import { useQueries, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useAccountQueries } from '../../data/account.ts';
import { isMigrationRunning, useMigrationQueries } from '../../data/migrations.ts';
import { useProviderQueries, useProviderTitle, type ProviderTitle } from '../../data/providers.ts';
import { describePayment, readQuotas } from '../../format/plan.ts';

/** What is wrong; a source that is still billed; a payment; what needs no action yet. */
export type ToDoKind = 'problem' | 'release' | 'payment' | 'running';

/** Something that needs the reader. */
export interface ToDoItem {
  readonly kind: ToDoKind;
  readonly text: string;
  readonly href: string;
}

/** What is left to do, the most urgent first. Each list has its own query, because one may fail. */
export function useToDo(): readonly UseQueryResult<readonly ToDoItem[]>[] {
  const { providers, providerTest } = useProviderQueries();
  const { account, config, subscription } = useAccountQueries();
  const { latestMigrations } = useMigrationQueries();
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
    useQuery({
      ...latestMigrations,
      select: ({ items }) => findMigrations(items, providerTitle),
    }),
    useQuery({ ...providers, select: findMissingStores }),
    ...tests,
    // Until it is known whether plans can be bought, the list is not complete.
    useQuery({ ...config, select: () => [] }),
    ...payments,
    useQuery({ ...account, select: findNearQuotas }),
  ];
}

function findMissingStores({ items }: { items: ProviderInfo[] }): readonly ToDoItem[] {
  if (items.length > 0) return [];
  return [
    { kind: 'problem', text: 'Add a store: without one, uploads are refused', href: '/providers' },
  ];
}

function findFailedTest(
  { provider, checks }: ProviderTest,
  providerTitle: ProviderTitle,
): readonly ToDoItem[] {
  const failed = checks.find(({ ok }) => !ok);
  if (!failed) return [];
  const reason = failed.error?.message ?? failed.name;
  return [
    {
      kind: 'problem',
      text: `Repair ${providerTitle(provider)}, which fails its test: ${reason}`,
      href: '/providers',
    },
  ];
}

function findPaymentProblem(answer: { subscription: Subscription | null }): readonly ToDoItem[] {
  if (!answer.subscription) return [];
  const { tone, title, advice } = describePayment(answer.subscription.status);
  return tone === 'bad' ? [{ kind: 'payment', text: `${title}. ${advice}`, href: '/plan' }] : [];
}

function findNearQuotas(me: Me): readonly ToDoItem[] {
  return readQuotas(me).flatMap(({ title, limit = '', share = 0, isNear }) =>
    isNear
      ? [
          {
            kind: 'payment' as const,
            text: `${title}: ${formatPercent(share)} of ${limit} used`,
            href: '/plan',
          },
        ]
      : [],
  );
}

/** The newest migration of each selection. */
function findMigrations(
  items: readonly ListedMigration[],
  providerTitle: ProviderTitle,
): readonly ToDoItem[] {
  const isNewest = (item: ListedMigration, index: number) =>
    items.findIndex(({ bucket, prefix }) => bucket === item.bucket && prefix === item.prefix) ===
    index;
  return items.filter(isNewest).flatMap((item) => {
    const described = describeMigration(item, providerTitle(item.targetProvider));
    return described ? [{ ...described, href: `/migrations/${item.migrationId}` }] : [];
  });
}

/** Undefined for one that needs no action: it was cancelled, or saves already. */
function describeMigration(
  item: ListedMigration,
  target: string,
): Omit<ToDoItem, 'href'> | undefined {
  const { bucket, status, percent, realised } = item;
  if (isMigrationRunning(item)) {
    const done = percent === null ? '' : `: ${formatPercent(percent / 100)}`;
    return { kind: 'running', text: `${bucket} is being copied to ${target}${done}` };
  }
  if (status === 'failed')
    return { kind: 'problem', text: `The move of ${bucket} to ${target} has failed: see why` };
  if (status === 'completed_with_failures')
    return {
      kind: 'problem',
      text: `Some objects of ${bucket} did not reach ${target}: see which`,
    };
  if (status !== 'completed' || realised?.state === 'released') return undefined;
  return {
    kind: 'release',
    text: `Delete the source of ${bucket}, then audit again: you pay for it at ${target} as well`,
  };
}
