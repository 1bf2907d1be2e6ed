import type { PlacedLine } from '../../adapters/mongo/migrations/object-ledger.ts';
import {
  runConcurrently,
  type AdaptiveConcurrency,
} from '../../adapters/object-store/adaptive-concurrency.ts';
import type { ManifestPageEntry, ManifestPage } from '../../domain/migrations/manifest.ts';
import {
  MAX_FAILURES,
  MigrationStopError,
  WINDOW_OBJECTS,
  type FailureWindow,
} from '../../domain/migrations/stop.ts';
import { isCopied, type KeyHistory } from '../../domain/migrations/key-history.ts';
import { isMigrated } from '../../domain/migrations/object-ledger.ts';
import {
  createMigrateObject,
  type MigrateObject,
  type MigrateObjectDeps,
} from './migrate-object.ts';
import type { PageWriter } from './page-writer.ts';
import type { NotedObject, Present } from './target-object.ts';

export interface PageCopyDeps extends MigrateObjectDeps {
  readonly concurrency: AdaptiveConcurrency;
  readonly failures: FailureWindow;
  /** False once no further object may be started. */
  readonly mayStart: () => boolean;
}

export interface PageCopy {
  readonly page: ManifestPage;
  readonly writer: PageWriter;
  readonly places: readonly number[];
  readonly present: (key: string) => Present;
  /** What the ledgers of other rounds and migrations say of the keys. */
  readonly histories: () => Promise<ReadonlyMap<string, KeyHistory>>;
}

/** Places that one write names, at most. */
const NAMED_AT_ONCE = 250;

/**
 * Migrates objects of a page in parallel, until all are done or no more may be started. The ledger
 * holds every known outcome when this returns or throws.
 *
 * @returns the number of objects with an outcome.
 */
export async function copyPage(
  deps: PageCopyDeps,
  copy: PageCopy,
  migrateObject: MigrateObject = createMigrateObject(deps),
): Promise<number> {
  const { concurrency, failures, mayStart } = deps;
  const { page, writer, places, present } = copy;
  const name = createNaming(copy);
  let migrated = 0;

  async function migrate(place: number, entry: ManifestPageEntry): Promise<void> {
    const line = await migrateObject(entry, {
      present: present(entry.key),
      noted: notedAt(copy, place, entry),
      name: () => name(place),
      onConfirmed: (bytes) => writer.confirm(place, bytes),
    });
    const { replaced } = { ...writer.lines.get(place), ...line };
    writer.note({ ...line, place, ...(replaced && line.outcome === 'copied' ? { replaced } : {}) });
    migrated += 1;
    if (line.attempts === 0 || line.code === 'source_missing') return;
    failures.note(line.outcome === 'failed');
    if (failures.isOver())
      throw new MigrationStopError(
        'too_many_failures',
        `Over ${MAX_FAILURES} of the last ${WINDOW_OBJECTS} objects failed; the report says which and why.`,
      );
  }

  try {
    const waiting = places.values();
    await runConcurrently(concurrency, () => {
      const place = mayStart() ? waiting.next().value : undefined;
      if (place === undefined) return undefined;
      return async () => {
        await migrate(place, entryAt(page, place));
      };
    });
  } finally {
    await writer.flush();
  }
  return migrated;
}

/** The line of this round comes after those of the histories. */
function notedAt(
  { writer, histories }: PageCopy,
  place: number,
  { key }: ManifestPageEntry,
): NotedObject {
  const line = writer.lines.get(place);
  const held = line && isMigrated(line) ? line : null;
  return {
    line: held,
    written: async () =>
      held && isCopied(held) ? held : ((await histories()).get(key)?.written ?? null),
    isNamed: () => writer.named.has(place),
  };
}

/** Names a place, and with it those that follow it where the target's listing has shown nothing. */
function createNaming({ page, places, present, writer }: PageCopy) {
  const naming = new Map<number, Promise<void>>();
  const free = places.filter((place) => present(entryAt(page, place).key) === null);

  return (place: number): Promise<void> => {
    const begun = writer.named.has(place) ? Promise.resolve() : naming.get(place);
    if (begun) return begun;
    const others = free.filter(
      (other) => other > place && !writer.named.has(other) && !naming.has(other),
    );
    const named = [place, ...others.slice(0, NAMED_AT_ONCE - 1)];
    const stored = writer.name(named);
    for (const each of named) naming.set(each, stored);
    return stored;
  };
}

/** @throws Error for a place that the page does not have: its object cannot be known */
export function entryAt({ entries }: ManifestPage, place: number): ManifestPageEntry {
  const entry = entries[place];
  if (!entry) throw new Error(`the page of the manifest has no place ${place}`);
  return entry;
}

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
    const listed = present(key);
    if (listed?.sizeBytes !== bytes || listed.etag !== targetEtag) differing.push(place);
  }
  return differing;
}
