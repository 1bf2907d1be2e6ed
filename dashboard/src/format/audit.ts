import {
  auditHeadline,
  describeSavings,
  formatNumber,
  type Connection,
  type Provider,
  type ScanLine,
  type ScanResult,
} from '@storage-routing/client';

/** The result of an audit for a person. */

const PROFILES: Readonly<Record<string, string>> = {
  active: 'mostly active data',
  cold: 'mostly cold data',
  archive: 'mostly an archive',
  mixed: 'data of several kinds',
};

type Verdict = Pick<ScanLine, 'verdict' | 'currentMonthlyCostUsd' | 'monthlySavingsUsd'>;

/** The verdict of an audit in a list: `Save 57 %`. */
export function verdictTitle({
  verdict,
  currentMonthlyCostUsd,
  monthlySavingsUsd,
}: Verdict): string {
  if (verdict === 'stay' || !currentMonthlyCostUsd || !monthlySavingsUsd) return 'Stay';
  return describeSavings(currentMonthlyCostUsd, monthlySavingsUsd);
}

export function profileTitle(profile: string): string {
  return PROFILES[profile] ?? profile;
}

/** The verdict of an audit in one line: `Save 57 %: mostly by changing storage classes`. */
export function scanHeadline(
  {
    summary,
    recommendations,
    decisionReport,
  }: Pick<ScanResult, 'summary' | 'recommendations' | 'decisionReport'>,
  providerTitle: (provider: Provider) => string,
): string {
  return auditHeadline({
    currentMonthlyUsd: summary.currentMonthlyCostUsd,
    monthlySavingsUsd: summary.monthlySavingsUsd,
    recommendations,
    verdict: decisionReport?.verdict,
    providerTitle,
  });
}

/**
 * What a connection reads, in a list: the number of the AWS account, `111122223333`, or the title
 * of the store.
 */
export function connectionName(
  { roleArn, provider = '' }: Pick<Connection, 'roleArn' | 'provider'>,
  providerTitle: (provider: Provider) => string,
): string {
  return roleArn === undefined ? providerTitle(provider) : (roleArn.split(':')[4] ?? roleArn);
}

/** The same as a heading: `AWS account 111122223333`. */
export function connectionTitle(
  connection: Pick<Connection, 'roleArn' | 'provider'>,
  providerTitle: (provider: Provider) => string,
): string {
  const name = connectionName(connection, providerTitle);
  return connection.roleArn === undefined ? name : `AWS account ${name}`;
}

/**
 * Names of buckets, as typed: one per line, or separated by commas or spaces. Null, if there is
 * none.
 */
export function parseBuckets(text: string): string[] | null {
  const names = [...new Set(text.split(/[\s,]+/))].filter((name) => name !== '');
  return names.length === 0 ? null : names;
}

/** @param buckets of a connection; null: no restriction */
export function formatBuckets(buckets: readonly string[] | null): string {
  if (buckets === null) return 'All buckets that the stored keys can list';
  const own = 'the bucket stored with the keys';
  return buckets.length === 0 ? `Only ${own}` : `${shortList(buckets)}, and ${own}`;
}

/** The first names of a long list, and how many more there are. */
export function shortList(names: readonly string[]): string {
  if (names.length <= 4) return names.join(', ');
  return `${names.slice(0, 3).join(', ')} and ${formatNumber(names.length - 3)} more`;
}
