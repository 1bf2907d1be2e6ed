import {
  escapeText,
  formatBytes,
  formatCount,
  formatMoney,
  formatNumber,
  type AnalyticsMonthly,
  type AnalyticsSummary,
  type ApiKeyInfo,
  type FormerPlace,
  type Me,
  type ProviderInfo,
  type ProviderTest,
  type Subscription,
} from '@storage-routing/client';
import { table } from '../io/text.ts';

/** Formats the account of the key or of the token, and its subscription if it has one. */
export function accountText(
  { accountId, plan, keyMode, providers, usage }: Me,
  subscription: Subscription | null = null,
): string {
  const stores = providers.length === 0 ? 'none yet (srs providers set)' : providers.join(', ');
  return [
    `account  ${escapeText(accountId)}`,
    `plan     ${plan} (${keyMode} key)`,
    ...(subscription ? [`payment  ${paymentText(subscription)}`] : []),
    `stores   ${stores}`,
    ...usageText(plan, usage).split('\n').slice(1),
  ].join('\n');
}

const PAYMENT_STATES: Readonly<Record<string, string>> = {
  trialing: 'none yet, in its trial',
  active: 'paid',
  past_due: 'late, check the card (srs open)',
  unpaid: 'missing, the plan is suspended until it is paid (srs open)',
  paused: 'missing, the plan is suspended until there is a card (srs open)',
  incomplete: 'not finished, the plan has not begun (srs open)',
  canceled: 'none, the subscription has ended',
  incomplete_expired: 'never finished, the plan has not begun',
};

function paymentText({ status, plan }: Subscription): string {
  return `${plan === null ? '' : `${plan}: `}${PAYMENT_STATES[status] ?? status}`;
}

export function usageText(plan: Me['plan'], usage: Me['usage']): string {
  const { period, gbRouted, gbQuota, gbBooked, uploads, uploadQuota, uploadsBooked } = usage;
  const of = (quota: number | null): string => (quota === null ? '' : ` of ${formatNumber(quota)}`);
  return [
    `${period}, plan ${plan}`,
    `uploads  ${formatNumber(uploads)} done, ${formatNumber(uploadsBooked)}${of(uploadQuota)} booked`,
    `GB       ${gbRouted} routed, ${gbBooked}${of(gbQuota)} booked`,
  ].join('\n');
}

export function savingsText(
  { files, gbRouted, savedVsAwsUsd, byProvider }: AnalyticsSummary,
  { months }: AnalyticsMonthly,
): string {
  const used = months.slice(months.findIndex(({ uploads }) => uploads > 0));
  const rows = used.map((month) => [
    month.month,
    formatNumber(month.uploads),
    String(month.gbRouted),
    formatMoney(month.savedVsAwsUsd),
  ]);
  const stores = byProvider.map((store) => `${store.provider} ${formatNumber(store.files)}`);
  const counts = Object.entries(files).map(([status, count]) => `${formatNumber(count)} ${status}`);
  return [
    `so far   ${gbRouted} GB routed, ${formatMoney(savedVsAwsUsd)} a month saved against S3`,
    `files    ${counts.join(', ')}`,
    `routed   ${stores.length === 0 ? 'nothing yet' : `${stores.join(', ')} files`}`,
    '',
    table([['MONTH', 'UPLOADS', 'GB', 'SAVES A MONTH'], ...rows]),
  ].join('\n');
}

export function apiKeyText({ apiKey }: { apiKey: ApiKeyInfo | null }): string {
  if (apiKey === null) return 'no API key yet: srs keys rotate creates one';
  const { masked, createdAt, lastUsedAt } = apiKey;
  return `${escapeText(masked)}  created ${createdAt}  last used ${lastUsedAt ?? 'never'}`;
}

type Place = Omit<FormerPlace, 'files' | 'bytes' | 'since'>;

/** Formats the configured stores, each with its former places below it. */
export function providersText({ items }: { items: readonly ProviderInfo[] }): string {
  if (items.length === 0) return 'no store is configured: srs providers set';
  const rows = items.flatMap((item) => [
    [
      item.provider,
      ...placeCells(item, item),
      item.updatedAt,
      item.paused === null ? '' : `refuses since ${item.paused.since}: ${item.paused.code}`,
    ],
    ...item.formerPlaces.map((place) => [
      '  former',
      ...placeCells(place, item),
      place.since,
      `${formatCount(place.files, 'file')}, ${formatBytes(place.bytes)}`,
    ]),
  ]);
  const head = ['STORE', 'BUCKET', 'REGION', 'ACCESS KEY', 'CHANGED', 'STATE'];
  return table([head, ...rows].map(escapeRow));
}

/** The account is shown where it is not the current one. */
function placeCells(
  { bucketName, region, jurisdiction, accountId, accessKeyIdMasked }: Place,
  current: Place,
): string[] {
  const account = accountId === current.accountId ? undefined : accountId;
  const details = [jurisdiction, account].filter((each) => each !== undefined).join(', ');
  return [bucketName, details === '' ? region : `${region} (${details})`, accessKeyIdMasked];
}

export function providerTestText({ provider, ok, checks }: ProviderTest): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.map((check) => `  ${check.name.padEnd(width)} ${checkText(check)}`);
  return [
    `${provider}: ${ok ? 'usable' : 'not usable'}`,
    ...lines,
    ...checks.flatMap(({ corsRule }) => corsRuleText(corsRule)),
  ].join('\n');
}

/** The time of an operation; of what some stores lack, whether this one has it. */
function checkText({ ok, latencyMs, supported, error }: ProviderTest['checks'][number]): string {
  if (!ok) return `failed${error ? `: ${escapeText(error.message)}` : ''}`;
  return supported === undefined ? `${latencyMs} ms` : supported ? 'yes' : 'no';
}

/** As it is pasted at the store. */
function corsRuleText(corsRule: ProviderTest['checks'][number]['corsRule']): string[] {
  if (!corsRule) return [];
  const rules = JSON.stringify(corsRule, null, 2).split('\n');
  return [
    '',
    'CORS rules to set at the store, in addition to those that are there:',
    ...rules.map(escapeText),
  ];
}

function escapeRow(row: readonly string[]): string[] {
  return row.map(escapeText);
}
