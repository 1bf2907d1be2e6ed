import type { Expiration, KeyMark, Lifecycle } from '../../domain/inventory/inventory.ts';
import type { StoredLifecycleRule } from '../../domain/inventory/lifecycle.ts';
import type { ListedUpload, ListedVersion } from './listing.ts';

/** Section 3: what the rules of a bucket do, and section 6: what its keys say. */

export const DAY_MS = 86_400_000;

const prefixOf = ({ Filter, Prefix }: StoredLifecycleRule): string =>
  Filter?.Prefix ?? Filter?.And?.Prefix ?? Prefix ?? '';

function hasConditions({ Filter: filter }: StoredLifecycleRule): boolean {
  const { Tag, And } = filter ?? {};
  const sizes = [filter, And].flatMap((some) => [
    some?.ObjectSizeGreaterThan,
    some?.ObjectSizeLessThan,
  ]);
  return (
    Tag !== undefined || (And?.Tags ?? []).length > 0 || sizes.some((one) => one !== undefined)
  );
}

const enabled = (rules: readonly StoredLifecycleRule[]) =>
  rules.filter(({ Status }) => Status === 'Enabled');

export function lifecycleOf(rules: readonly StoredLifecycleRule[] | null): Lifecycle {
  if (rules === null) return 'unknown';
  if (rules.length === 0) return 'none';
  const abortsAll = enabled(rules).some(
    (rule) =>
      (rule.AbortIncompleteMultipartUpload?.DaysAfterInitiation ?? 0) > 0 &&
      prefixOf(rule) === '' &&
      !hasConditions(rule),
  );
  return abortsAll ? 'with_abort' : 'without_abort';
}

/** The expirations of current objects by enabled rules; a date is counted from the start of the scan. */
export function expirationsOf(
  rules: readonly StoredLifecycleRule[],
  startedAt: Date,
): Expiration[] {
  return enabled(rules).flatMap((rule) => {
    const { Days, Date: day } = rule.Expiration ?? {};
    const ms = day === undefined ? 0 : new Date(day).getTime() - startedAt.getTime();
    const days = day === undefined ? Days : Math.max(0, ms / DAY_MS);
    if (days === undefined) return [];
    return [{ prefix: prefixOf(rule), days, isConditional: hasConditions(rule) }];
  });
}

type Cleaning = 'NoncurrentVersionExpiration' | 'AbortIncompleteMultipartUpload';

/** Whether a rule of that kind matches the key by its prefix; of rules that nobody knows, one does. */
function isCleaned(rules: readonly StoredLifecycleRule[] | null, kind: Cleaning, key: string) {
  if (rules === null) return true;
  return enabled(rules).some((rule) => rule[kind] !== undefined && key.startsWith(prefixOf(rule)));
}

const isOlder = (since: Date, days: number, startedAt: Date): boolean =>
  startedAt.getTime() - since.getTime() >= days * DAY_MS;

export const isDeletable = (
  { key, noncurrentSince }: ListedVersion,
  rules: readonly StoredLifecycleRule[] | null,
  startedAt: Date,
): boolean =>
  noncurrentSince !== null &&
  isOlder(noncurrentSince, 30, startedAt) &&
  !isCleaned(rules, 'NoncurrentVersionExpiration', key);

export const isAbortable = (
  { key, initiated }: ListedUpload,
  rules: readonly StoredLifecycleRule[] | null,
  startedAt: Date,
): boolean =>
  isOlder(initiated, 7, startedAt) && !isCleaned(rules, 'AbortIncompleteMultipartUpload', key);

/** Section 6: why a key's prefix is left alone. */
export function marksOf(key: string): readonly KeyMark[] {
  const segments = key.split('/').slice(0, -1);
  const isTable =
    segments.includes('_delta_log') ||
    segments.includes('.hoodie') ||
    (segments.at(-1) === 'metadata' && key.endsWith('.metadata.json'));
  return [
    ...(segments.includes('AWSLogs') ? (['aws_logs'] as const) : []),
    ...(key.endsWith('.tfstate') ? (['state'] as const) : []),
    ...(isTable ? (['table'] as const) : []),
  ];
}
