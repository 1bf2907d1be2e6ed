import { roundUsd } from '../../domain/pricing/money.ts';
import { rootOf, type ReleasedObject } from '../../domain/migrations/release.ts';
import { releaseHowTo, type ReleaseSource } from '../../domain/migrations/release-how-to.ts';
import { validUntil, type ReleaseSnapshot } from '../../operations/migrations/release.ts';
import { toView, type View } from '../http/route.ts';
import { approvedOption } from './present.ts';
import { ReleasedObject as ReleasedObjectView, ReleaseView } from './schemas.ts';

/** @param source null if the catalogue no longer has its store */
export function presentRelease(
  { approved, release, isValid, firstDifferences }: ReleaseSnapshot,
  source: ReleaseSource | null,
): View<typeof ReleaseView> {
  const { status, bytes, differences } = release;
  const isProven = status === 'ready';
  const { monthlySavingsUsd } = approvedOption(approved);
  const share = approved.bytes === 0 ? 0 : bytes / approved.bytes;
  return toView(ReleaseView, {
    ...release,
    status: isProven && !isValid ? 'not_ready' : status,
    validUntil: isProven ? validUntil(release) : null,
    rootHash: isProven ? rootOf(release.tree) : null,
    differences: { total: differences, items: firstDifferences },
    monthlySavingsUsd: roundUsd(monthlySavingsUsd * share),
    howTo: isValid && source ? releaseHowTo(release, source) : null,
  });
}

/** NDJSON. */
export async function* presentReleasedObjects(
  pages: AsyncIterable<readonly ReleasedObject[]>,
): AsyncGenerator<string> {
  for await (const objects of pages)
    yield objects.map((each) => `${JSON.stringify(toView(ReleasedObjectView, each))}\n`).join('');
}
