import type { PlacedLine } from '../../adapters/mongo/object-ledger.ts';
import {
  runConcurrently,
  type AdaptiveConcurrency,
} from '../../adapters/object-store/adaptive-concurrency.ts';
import type { ManifestPageEntry, ManifestPage } from '../../domain/migration/manifest.ts';
import type { FailureWindow } from '../../domain/migration/stop.ts';
import { createMigrateObject, type MigrateObjectDeps } from '../object-copy/migrate-object.ts';
import type { PageWriter } from './page-writer.ts';
import type { Present } from '../object-copy/target-object.ts';

export interface PageCopyDeps extends Omit<MigrateObjectDeps, 'isFirstAttempt' | 'rewrites'> {
  readonly concurrency: AdaptiveConcurrency;
  readonly failures: FailureWindow;
  /** False once no further object may be started. */
  readonly mayStart: () => boolean;
  /** @throws MigrationStop if too many objects failed. */
  readonly requireFewFailures: () => void;
}

export interface PageCopy {
  readonly page: ManifestPage;
  readonly writer: PageWriter;
  /** No worker has started with the page before: the target's objects are older than the migration. */
  readonly isFirstAttempt: boolean;
  /** The target's objects differ from the ledger. */
  readonly rewrites: boolean;
  /** The objects to migrate, by their places in the page. */
  readonly places: readonly number[];
  /** The target's listing of an object's key. */
  readonly present: (key: string) => Present;
}

/**
 * Migrates objects of a page in parallel, until all are done or no more may be started. The ledger
 * holds every known outcome when this returns or throws.
 *
 * @returns the number of objects with an outcome.
 */
export async function copyPage(deps: PageCopyDeps, copy: PageCopy): Promise<number> {
  const { concurrency, failures, mayStart } = deps;
  const { page, writer, isFirstAttempt, rewrites, places, present } = copy;
  const migrateObject = createMigrateObject({ ...deps, isFirstAttempt, rewrites });
  let migrated = 0;

  async function migrate(place: number, entry: ManifestPageEntry): Promise<void> {
    const line = await migrateObject(entry, present(entry.key), (bytes) =>
      writer.confirm(place, bytes),
    );
    const { replaced } = { ...writer.lines.get(place), ...line };
    writer.note({ ...line, place, ...(replaced && line.outcome === 'copied' ? { replaced } : {}) });
    migrated += 1;
    if (line.attempts === 0) return;
    failures.note(line.outcome === 'failed');
    deps.requireFewFailures();
  }

  try {
    const left = places.values();
    await runConcurrently(concurrency, () => {
      const next = mayStart() ? left.next() : { done: true as const };
      if (next.done === true) return undefined;
      const entry = page.entries[next.value];
      return async () => {
        if (entry) await migrate(next.value, entry);
      };
    });
  } finally {
    await writer.flush();
  }
  return migrated;
}

/** The places of a page without a ledger line. */
export function placesWithoutLine(
  { entries }: ManifestPage,
  lines: ReadonlyMap<number, PlacedLine>,
): number[] {
  return [...entries.keys()].filter((place) => !lines.has(place));
}

/** The places of a page whose objects the target holds differently than the ledger says. */
export function differingPlaces(
  lines: ReadonlyMap<number, PlacedLine>,
  present: (key: string) => Present,
): number[] {
  const differing: number[] = [];
  for (const [place, { outcome, key, bytes, targetEtag }] of lines) {
    if (outcome === 'failed' || outcome === 'removed') continue;
    const found = present(key);
    if (found?.sizeBytes !== bytes || found.etag !== targetEtag) differing.push(place);
  }
  return differing;
}
