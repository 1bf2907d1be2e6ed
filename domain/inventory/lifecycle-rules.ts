import { DAY_MS } from '../common/time.ts';
import type { Expiration, Lifecycle } from './inventory.ts';
import type { StoredLifecycleRule } from './lifecycle.ts';

/** What the enabled rules of a bucket do to its objects. */

/**
 * What the rules do about incomplete uploads. Only a rule that is enabled and applies to all
 * objects counts as `with_abort`.
 */
export function classifyLifecycle(rules: readonly StoredLifecycleRule[]): Lifecycle {
  if (rules.some(abortsAllUploads)) return 'with_abort';
  return rules.length > 0 ? 'without_abort' : 'none';
}

/** The expirations of current objects, as of a time. */
export function expirationsOf(rules: readonly StoredLifecycleRule[], at: Date): Expiration[] {
  return rules.filter(isEnabled).flatMap((rule) => {
    const days = daysUntilExpiry(rule, at);
    if (days === undefined) return [];
    return [{ prefix: prefixOf(rule), days, isConditional: hasConditions(rule) }];
  });
}

/** The prefixes of the keys that a rule cleans up. */
interface CleanedPrefixes {
  /** Old versions are deleted, whatever the other conditions of the rule. */
  readonly versions: readonly string[];
  /** Incomplete uploads are aborted. */
  readonly uploads: readonly string[];
}

export function cleanedPrefixes(rules: readonly StoredLifecycleRule[]): CleanedPrefixes {
  const enabled = rules.filter(isEnabled);
  return {
    versions: enabled.filter((rule) => rule.NoncurrentVersionExpiration).map(prefixOf),
    uploads: enabled.filter((rule) => rule.AbortIncompleteMultipartUpload).map(prefixOf),
  };
}

function isEnabled({ Status }: StoredLifecycleRule): boolean {
  return Status === 'Enabled';
}

function abortsAllUploads(rule: StoredLifecycleRule): boolean {
  const days = rule.AbortIncompleteMultipartUpload?.DaysAfterInitiation ?? 0;
  return isEnabled(rule) && days > 0 && prefixOf(rule) === '' && !hasConditions(rule);
}

function daysUntilExpiry({ Expiration: expiry }: StoredLifecycleRule, at: Date) {
  if (expiry?.Date === undefined) return expiry?.Days;
  return Math.max(0, (Date.parse(expiry.Date) - at.getTime()) / DAY_MS);
}

function prefixOf({ Prefix, Filter }: StoredLifecycleRule): string {
  return Prefix || Filter?.Prefix || Filter?.And?.Prefix || '';
}

/** Whether a rule selects by more than a prefix: by a tag or a size. */
function hasConditions({ Filter = {} }: StoredLifecycleRule): boolean {
  const { Tag, And = {} } = Filter;
  return (
    Boolean(Tag || And.Tags?.length) ||
    [Filter, And].some(
      ({ ObjectSizeGreaterThan: above, ObjectSizeLessThan: below }) =>
        above !== undefined || below !== undefined,
    )
  );
}
