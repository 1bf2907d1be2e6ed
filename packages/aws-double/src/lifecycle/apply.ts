import type { Bucket } from '../store/bucket.ts';
import type { Bodies } from '../store/bodies.ts';
import type { ObjectVersion } from '../store/version.ts';
import { LIFECYCLE_MINIMUM, readLifecycleRules, type LifecycleRule } from './rules.ts';

const DAY_MS = 86_400_000;
const MIN_TRANSITION_BYTES = 128 * 1024;

/**
 * From which classes to which a rule changes objects, the cheapest last.
 * Source: "Transitioning objects using Amazon S3 Lifecycle", Amazon S3 User Guide.
 */
const CHEAPER = ['INTELLIGENT_TIERING', 'ONEZONE_IA', 'GLACIER_IR', 'GLACIER', 'DEEP_ARCHIVE'];
const REACHES: Readonly<Record<string, readonly string[]>> = {
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
export async function applyLifecycle(bucket: Bucket, nowMs: number, bodies: Bodies): Promise<void> {
  const document = bucket.settings.get('lifecycle');
  if (document === undefined) return;
  const rules = readLifecycleRules(document).filter(({ enabled }) => enabled);
  for (const upload of bucket.uploads.list()) {
    const isDue = rules.some(
      ({ prefix, abortUploadsDays: days }) =>
        upload.key.startsWith(prefix) && days !== null && dueMs(upload.initiatedMs, days) <= nowMs,
    );
    if (!isDue) continue;
    bucket.uploads.remove(upload.uploadId);
    for (const { body } of upload.parts.values()) await bodies.release(body);
  }
  for (const key of keysOf(bucket)) {
    for (const { body } of expireNoncurrent(bucket, key, rules, nowMs)) await bodies.release(body);
    changeClass(bucket, key, rules, nowMs);
    for (const { body } of expireCurrent(bucket, key, rules, nowMs)) await bodies.release(body);
  }
}

function keysOf(bucket: Bucket): readonly string[] {
  const keys: string[] = [];
  const cursor = bucket.cursor();
  for (let key = cursor.key(); key !== null; key = cursor.key()) {
    keys.push(key);
    cursor.next();
  }
  return keys;
}

function expireNoncurrent(
  bucket: Bucket,
  key: string,
  rules: readonly LifecycleRule[],
  nowMs: number,
): readonly ObjectVersion[] {
  const versions = bucket.versionsOf(key);
  return versions.slice(1).flatMap((version, newer) => {
    // A version is noncurrent since its successor was written.
    const sinceMs = versions[newer]?.lastModifiedMs ?? 0;
    const isDue = rules.some(
      (rule) =>
        selects(rule, key, version) &&
        rule.noncurrentDays !== null &&
        newer >= rule.newerNoncurrentVersions &&
        dueMs(sinceMs, rule.noncurrentDays) <= nowMs,
    );
    return isDue ? bucket.removeVersion(key, version.versionId).removed : [];
  });
}

function changeClass(
  bucket: Bucket,
  key: string,
  rules: readonly LifecycleRule[],
  nowMs: number,
): void {
  const version = bucket.current(key);
  if (version === undefined) return;
  const minimum = bucket.settings.get(LIFECYCLE_MINIMUM);
  const due = rules
    .filter((rule) => selects(rule, key, version))
    .flatMap((rule) => rule.transitions.map((transition) => ({ rule, ...transition })))
    .filter(({ when }) => isDueAt(when, version.lastModifiedMs, nowMs))
    .filter(({ rule, storageClass }) => {
      const hasBound = rule.largerThan !== null || rule.smallerThan !== null;
      const takesAll =
        minimum === 'varies_by_storage_class' && storageClass.match(/^(?:GLACIER|DEEP_ARCHIVE)$/);
      return hasBound || takesAll || version.sizeBytes >= MIN_TRANSITION_BYTES;
    })
    .map(({ storageClass }) => storageClass);
  const isDue = new Set(due);
  const storageClass = (REACHES[version.storageClass] ?? []).findLast((to) => isDue.has(to));
  if (storageClass !== undefined) bucket.insert(key, { ...version, storageClass });
}

function expireCurrent(
  bucket: Bucket,
  key: string,
  rules: readonly LifecycleRule[],
  nowMs: number,
): readonly ObjectVersion[] {
  const [newest, ...older] = bucket.versionsOf(key);
  if (newest === undefined) return [];
  const matching = rules.filter((rule) => selects(rule, key, newest));
  if (newest.deleteMarker) {
    const isExpired = older.length === 0 && matching.some((rule) => rule.expiresDeleteMarkers);
    return isExpired ? bucket.removeVersion(key, newest.versionId).removed : [];
  }
  const isDue = matching.some(
    ({ expiration }) => expiration && isDueAt(expiration, newest.lastModifiedMs, nowMs),
  );
  return isDue ? bucket.remove(key, nowMs).removed : [];
}

function selects(rule: LifecycleRule, key: string, version: ObjectVersion): boolean {
  const { prefix, tags, largerThan, smallerThan } = rule;
  return (
    key.startsWith(prefix) &&
    (largerThan === null || version.sizeBytes > largerThan) &&
    (smallerThan === null || version.sizeBytes < smallerThan) &&
    tags.every((tag) =>
      version.tags.some(({ key: name, value }) => name === tag.key && value === tag.value),
    )
  );
}

function isDueAt(
  when: NonNullable<LifecycleRule['expiration']>,
  sinceMs: number,
  nowMs: number,
): boolean {
  return ('days' in when ? dueMs(sinceMs, when.days) : when.dateMs) <= nowMs;
}

/** S3 adds the days and rounds up to the next midnight, UTC. */
function dueMs(sinceMs: number, days: number): number {
  return Math.ceil((sinceMs + days * DAY_MS) / DAY_MS) * DAY_MS;
}
