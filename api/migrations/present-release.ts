import { roundUsd } from '../../domain/pricing/money.ts';
import { rootOf, type ReleasedObject } from '../../domain/migrations/release.ts';
import { releaseHowTo, type ReleaseSource } from '../../domain/migrations/release-how-to.ts';
import { validUntil, type ReleaseSnapshot } from '../../operations/migrations/release.ts';
import type { View } from '../http/route.ts';
import type { ReleasedObject as ReleasedObjectView, ReleaseView } from './schemas.ts';

/** @param source null if the catalogue no longer has its store */
export function presentRelease(
  { approved, release, isValid, firstDifferences }: ReleaseSnapshot,
  source: ReleaseSource | null,
): View<typeof ReleaseView> {
  const { bytes: quoted, approval, options } = approved;
  const { status, checkedAt, objects, bytes, differences, versioned, error } = release;
  const isProven = status === 'ready';
  const option = options.find(({ provider }) => provider === approval.targetProvider);
  const share = quoted === 0 ? 0 : bytes / quoted;
  return {
    status: status === 'ready' && !isValid ? 'not_ready' : status,
    startedBy: release.startedBy,
    startedByName: release.startedByName,
    checkedAt: checkedAt?.toISOString() ?? null,
    validUntil: isProven ? (validUntil(release)?.toISOString() ?? null) : null,
    objects,
    bytes,
    rootHash: isProven ? rootOf(release.tree) : null,
    differences: { total: differences, items: firstDifferences },
    monthlySavingsUsd: roundUsd((option?.monthlySavingsUsd ?? 0) * share),
    versioned,
    howTo: isValid && source ? releaseHowTo(release, source) : null,
    error,
  };
}

/** NDJSON. */
export async function* presentReleasedObjects(
  pages: AsyncIterable<readonly ReleasedObject[]>,
): AsyncGenerator<string> {
  for await (const objects of pages)
    yield objects.map((object) => `${JSON.stringify(presentReleasedObject(object))}\n`).join('');
}

function presentReleasedObject({
  key,
  etag,
  bytes,
  sha256,
}: ReleasedObject): View<typeof ReleasedObjectView> {
  return { key, etag, bytes, sha256 };
}
