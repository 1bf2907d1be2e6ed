import type { LifecycleRule, LifecycleRuleFilter } from '@aws-sdk/client-s3';
import type { Lifecycle } from '../../domain/inventory/inventory.ts';

/** Whether a bucket keeps replaced versions. `Suspended` still has those from before. */
export type Versioning = 'off' | 'kept';

export function classifyVersioning(status: string | undefined): Versioning {
  return status === 'Enabled' || status === 'Suspended' ? 'kept' : 'off';
}

/**
 * What the rules do about incomplete uploads. Only a rule that is enabled and applies to all objects
 * counts as `with_abort`.
 */
export function classifyLifecycle(rules: readonly LifecycleRule[]): Lifecycle {
  if (rules.some(abortsAllUploads)) return 'with_abort';
  return rules.length > 0 ? 'without_abort' : 'none';
}

function abortsAllUploads(rule: LifecycleRule): boolean {
  const days = rule.AbortIncompleteMultipartUpload?.DaysAfterInitiation ?? 0;
  return rule.Status === 'Enabled' && days > 0 && !rule.Prefix && !isNarrowed(rule.Filter);
}

/** An empty prefix applies to all objects. */
function isNarrowed(filter: LifecycleRuleFilter | undefined): boolean {
  if (!filter) return false;
  const { And, Prefix, Tag, ...sizes } = filter;
  const { Prefix: andPrefix, Tags, ...andSizes } = And ?? {};
  return (
    Boolean(Prefix || andPrefix || Tag || Tags?.length) ||
    [...Object.values(sizes), ...Object.values(andSizes)].some((bound) => bound !== undefined)
  );
}
