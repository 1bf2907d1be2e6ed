import type { PlacedLine } from '../adapters/mongo/ledger.ts';
import type { AdaptiveConcurrency } from '../adapters/object-store/adaptive-concurrency.ts';
import type { ListedEntry } from '../adapters/object-store/list-answers.ts';
import type { PlannedEntry, PlannedPage } from '../domain/migration/plan.ts';
import type { FailureWindow } from '../domain/migration/failure-window.ts';
import { createObjectSettler, type SettlerDeps } from './object-settler.ts';
import type { PageWriter } from './page-writer.ts';

export interface PageCopyDeps extends Omit<SettlerDeps, 'isFirstHand'> {
  readonly pace: AdaptiveConcurrency;
  readonly failures: FailureWindow;
  /** False from then on that no object more is to be begun. */
  readonly mayBegin: () => boolean;
  /** @throws MigrationStop where too much went wrong. */
  readonly requireFewFailures: () => void;
}

export interface PageCopy {
  readonly page: PlannedPage;
  readonly writer: PageWriter;
  /** Nobody has begun with the page before: what is at the target now was there before. */
  readonly isFirstHand: boolean;
  /** The objects to settle, by their places in the page. */
  readonly places: readonly number[];
  /** What the target holds under the name of an object. */
  readonly present: (key: string) => ListedEntry | undefined;
}

/**
 * Settles objects of a page, many side by side, until all are settled or no more may be begun. What
 * came of each is in the ledger when this returns, and when it throws too, as far as it was known.
 * Returns how many were settled.
 */
export async function copyPage(deps: PageCopyDeps, copy: PageCopy): Promise<number> {
  const { pace, failures, mayBegin } = deps;
  const { page, writer, isFirstHand, places, present } = copy;
  const settler = createObjectSettler({ ...deps, isFirstHand });
  let settled = 0;

  async function settle(place: number, entry: PlannedEntry): Promise<void> {
    const line = await settler.settle(entry, present(entry.key));
    writer.note({ ...line, place });
    settled += 1;
    if (line.attempts === 0) return;
    failures.note(line.outcome === 'failed');
    deps.requireFewFailures();
  }

  try {
    await eachAtPace(places, pace, mayBegin, async (place) => {
      const entry = page.entries[place];
      if (entry) await settle(place, entry);
    });
  } finally {
    await writer.flush();
  }
  return settled;
}

/** The places of a page that the ledger says nothing about. */
export function unsettledPlaces(
  { entries }: PlannedPage,
  lines: ReadonlyMap<number, PlacedLine>,
): number[] {
  return [...entries.keys()].filter((place) => !lines.has(place));
}

/** The places of a page whose objects are not at the target as the ledger says. */
export function differingPlaces(
  lines: ReadonlyMap<number, PlacedLine>,
  present: (key: string) => ListedEntry | undefined,
): number[] {
  const differing: number[] = [];
  for (const [place, { outcome, key, bytes, targetEtag }] of lines) {
    if (outcome === 'failed') continue;
    const found = present(key);
    if (found?.sizeBytes !== bytes || found.etag !== targetEtag) differing.push(place);
  }
  return differing;
}

/** Works on as many items at once as the pace allows at the time. The first error ends it. */
async function eachAtPace<T>(
  items: readonly T[],
  pace: AdaptiveConcurrency,
  mayBegin: () => boolean,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const errors: unknown[] = [];
  const left = items.values();
  let running = 0;
  await new Promise<void>((resolve) => {
    const begin = (item: T): void => {
      running += 1;
      work(item)
        .catch((error: unknown) => errors.push(error))
        .finally(() => {
          running -= 1;
          goOn();
        });
    };
    const goOn = (): void => {
      while (running < pace.limit() && errors.length === 0 && mayBegin()) {
        const next = left.next();
        if (next.done === true) break;
        begin(next.value);
      }
      if (running === 0) resolve();
    };
    goOn();
  });
  if (errors.length > 0) throw errors[0];
}
