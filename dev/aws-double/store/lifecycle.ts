import type { Bucket } from './bucket.ts';
import {
  LIFECYCLE_MINIMUM,
  readLifecycleRules,
  type LifecycleRule,
  type When,
} from './lifecycle-rules.ts';
import type { ObjectVersion } from './version.ts';

const DAY_MS = 86_400_000;
const MIN_TRANSITION_BYTES = 128 * 1024;

/**
 * From which classes to which a rule changes objects, the cheapest last.
 * Source: "Transitioning objects using Amazon S3 Lifecycle", Amazon S3 User Guide.
 */
const CHEAPER = ['INTELLIGENT_TIERING', 'ONEZONE_IA', 'GLACIER_IR', 'GLACIER', 'DEEP_ARCHIVE'];
const TRANSITIONS: Readonly<Record<string, readonly string[]>> = {
  STANDARD: ['STANDARD_IA', ...CHEAPER],
  REDUCED_REDUNDANCY: ['STANDARD_IA', ...CHEAPER],
  STANDARD_IA: CHEAPER,
  INTELLIGENT_TIERING: ['ONEZONE_IA', 'GLACIER_IR', 'GLACIER', 'DEEP_ARCHIVE'],
  ONEZONE_IA: ['GLACIER', 'DEEP_ARCHIVE'],
  GLACIER_IR: ['GLACIER', 'DEEP_ARCHIVE'],
  GLACIER: ['DEEP_ARCHIVE'],
};

/**
 * Does at once what S3 does about once a day: carries out all that the bucket's rules have due.
 * Deleting comes before changing the class, and that before adding delete markers.
 */
export function applyLifecycle(bucket: Bucket, nowMs: number): void {
  const document = bucket.settings.get('lifecycle');
  if (document === undefined) return;
  const rules = readLifecycleRules(document).filter(({ isEnabled }) => isEnabled);
  for (const { uploadId, key, initiatedMs } of bucket.uploads.list()) {
    const isDue = rules.some(
      ({ prefix, abortUploadsDays: days }) =>
        key.startsWith(prefix) && days !== null && isDueAt({ days }, initiatedMs, nowMs),
    );
    if (isDue) bucket.uploads.remove(uploadId);
  }
  for (const key of bucket.keys()) {
    expireNoncurrent(bucket, key, rules, nowMs);
    changeClass(bucket, key, rules, nowMs);
    expireCurrent(bucket, key, rules, nowMs);
  }
}

function expireNoncurrent(
  bucket: Bucket,
  key: string,
  rules: readonly LifecycleRule[],
  nowMs: number,
): void {
  const versions = bucket.versions(key);
  for (const [newer, version] of versions.slice(1).entries()) {
    // A version is noncurrent since its successor was written.
    const sinceMs = versions[newer]?.lastModifiedMs ?? 0;
    const isDue = rules.some(
      (rule) =>
        isSelected(rule, key, version) &&
        rule.noncurrentDays !== null &&
        newer >= rule.newerNoncurrentVersions &&
        isDueAt({ days: rule.noncurrentDays }, sinceMs, nowMs),
    );
    if (isDue) bucket.removeVersion(key, version.versionId);
  }
}

function changeClass(
  bucket: Bucket,
  key: string,
  rules: readonly LifecycleRule[],
  nowMs: number,
): void {
  const version = bucket.current(key);
  if (version === undefined) return;
  const isAnySize = (storageClass: string): boolean =>
    bucket.settings.get(LIFECYCLE_MINIMUM) === 'varies_by_storage_class' &&
    ['GLACIER', 'DEEP_ARCHIVE'].includes(storageClass);
  const due = new Set<string>();
  for (const rule of rules.filter((each) => isSelected(each, key, version))) {
    const hasBound = rule.largerThan !== null || rule.smallerThan !== null;
    const isLarge = hasBound || version.body.sizeBytes >= MIN_TRANSITION_BYTES;
    for (const { when, storageClass } of rule.transitions) {
      if (!isLarge && !isAnySize(storageClass)) continue;
      if (isDueAt(when, version.lastModifiedMs, nowMs)) due.add(storageClass);
    }
  }
  const storageClass = TRANSITIONS[version.storageClass]?.findLast((to) => due.has(to));
  if (storageClass !== undefined) bucket.insert(key, { ...version, storageClass });
}

function expireCurrent(
  bucket: Bucket,
  key: string,
  rules: readonly LifecycleRule[],
  nowMs: number,
): void {
  const [newest, ...older] = bucket.versions(key);
  if (newest === undefined) return;
  const matching = rules.filter((rule) => isSelected(rule, key, newest));
  if (newest.isDeleteMarker) {
    const isExpired = older.length === 0 && matching.some((rule) => rule.expiresDeleteMarkers);
    if (isExpired) bucket.removeVersion(key, newest.versionId);
    return;
  }
  const isDue = matching.some(
    ({ expiration }) => expiration !== null && isDueAt(expiration, newest.lastModifiedMs, nowMs),
  );
  if (isDue) bucket.remove(key, nowMs);
}

function isSelected(rule: LifecycleRule, key: string, { body, tags }: ObjectVersion): boolean {
  return (
    key.startsWith(rule.prefix) &&
    (rule.largerThan === null || body.sizeBytes > rule.largerThan) &&
    (rule.smallerThan === null || body.sizeBytes < rule.smallerThan) &&
    rule.tags.every((tag) => tags.some((each) => each.key === tag.key && each.value === tag.value))
  );
}

/** S3 adds the days and rounds up to the next midnight, UTC. */
function isDueAt(when: When, sinceMs: number, nowMs: number): boolean {
  if ('dateMs' in when) return when.dateMs <= nowMs;
  return Math.ceil((sinceMs + when.days * DAY_MS) / DAY_MS) * DAY_MS <= nowMs;
}
