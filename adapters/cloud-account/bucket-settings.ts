import type { LifecycleRule, LifecycleRuleFilter } from '@aws-sdk/client-s3';
import type { BucketLifecycle, StoredLifecycleRule } from '../../domain/inventory/lifecycle.ts';
import type { Lifecycle } from '../../domain/inventory/inventory.ts';

/** Whether a bucket keeps replaced versions. `Suspended` still has those from before. */
export type Versioning = 'off' | 'kept';

export function classifyVersioning(status: string | undefined): Versioning {
  return status === 'Enabled' || status === 'Suspended' ? 'kept' : 'off';
}

/** What a scan reads of a bucket's lifecycle configuration. */
export interface ReadLifecycle {
  readonly lifecycle: Lifecycle;
  /** Absent if the role may not read them, or if there are too many to keep. */
  readonly rules?: BucketLifecycle;
}

/** S3 takes up to 1,000. */
const MOST_KEPT_RULES = 200;

export function readRules(
  rules: readonly LifecycleRule[],
  transitionMinimum: string | undefined,
): ReadLifecycle {
  const lifecycle = classifyLifecycle(rules);
  if (rules.length > MOST_KEPT_RULES) return { lifecycle };
  // As JSON: times become texts, and absent fields go.
  const stored = JSON.parse(JSON.stringify(rules)) as StoredLifecycleRule[];
  const minimum = transitionMinimum === undefined ? {} : { transitionMinimum };
  return { lifecycle, rules: { rules: stored, ...minimum } };
}

/**
 * What the rules do about incomplete uploads. Only a rule that is enabled and applies to all objects
 * counts as `with_abort`.
 */
function classifyLifecycle(rules: readonly LifecycleRule[]): Lifecycle {
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
