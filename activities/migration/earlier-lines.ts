import type { Manifests, PageRange } from '../../adapters/mongo/manifests.ts';
import { compareKeys, isBehind } from '../../domain/inventory/key-order.ts';
import {
  isMigrated,
  type EarlierLine,
  type LedgerLine,
} from '../../domain/migration/object-ledger.ts';
import { roundId } from '../../domain/migration/rounds.ts';

export interface EarlierLines {
  /** The last key that the lines cover; null: they cover all that follow. */
  readonly upTo: string | null;
  readonly lines: ReadonlyMap<string, EarlierLine>;
}

/** Pages of one round that are read at once, so that the memory is bounded where the source lists little. */
const MAX_PAGES = 4;

/** Finds the ledger lines of a run of keys, behind `after` and up to a key at most, over this many rounds. */
export function createEarlierLines(
  manifests: Pick<Manifests, 'pagesBetween' | 'lines'>,
  migrationId: string,
  roundCount: number,
): (after: string | null, upTo: string | null) => Promise<EarlierLines> {
  const rounds = Array.from({ length: roundCount }, (_unused, at) =>
    roundId({ migrationId, round: at + 1 }),
  );
  return async (after, wantedTo) => {
    const found = await Promise.all(
      rounds.map((id) => manifests.pagesBetween(id, after, wantedTo, MAX_PAGES + 1)),
    );
    const upTo = found.reduce(
      (sofar, pages) => earlier(sofar, pages[MAX_PAGES]?.after ?? null),
      wantedTo,
    );
    const lines = new Map<string, EarlierLine>();
    for (const [at, pages] of found.entries())
      for (const { page } of pages.filter((each) => isWithin(each, upTo)))
        for (const line of await manifests.lines(rounds[at] ?? '', page))
          if (isBehind(line.key, after) && (upTo === null || compareKeys(line.key, upTo) <= 0))
            lines.set(line.key, addLine(lines.get(line.key), line));
    return { upTo, lines };
  };
}

function addLine(before: EarlierLine | undefined, line: LedgerLine): EarlierLine {
  if (line.outcome === 'failed') return { latest: line, held: before?.held ?? null };
  return { latest: line, held: isMigrated(line) ? line : null };
}

function earlier(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return compareKeys(a, b) <= 0 ? a : b;
}

function isWithin({ after }: PageRange, upTo: string | null): boolean {
  return after === null || upTo === null || compareKeys(after, upTo) < 0;
}
