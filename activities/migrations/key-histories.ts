import type { Manifests, PageRange } from '../../adapters/mongo/migrations/manifests.ts';
import type { ApprovedRecommendation } from '../../adapters/mongo/recommendations/recommendations.ts';
import { compareKeys, isBehind } from '../../domain/inventory/key-order.ts';
import { toHistory, type KeyHistory, type LineOfKey } from '../../domain/migrations/key-history.ts';
import { forEachConcurrently } from '../common/concurrently.ts';
import { findLedgers, toLedgerRange, toOwnKey, type Ledger, type LedgersDeps } from './ledgers.ts';

/** What the ledgers say of some keys. */
export interface KeyHistories {
  /** The last key that they cover; null: they cover all that follow. */
  readonly upTo: string | null;
  readonly byKey: ReadonlyMap<string, KeyHistory>;
}

export type FindHistories = (after: string | null, upTo: string | null) => Promise<KeyHistories>;

export interface HistoryDeps extends LedgersDeps {
  readonly manifests: Pick<Manifests, 'pagesBetween' | 'lines'>;
}

/** The histories of the keys of a migration, by all ledgers that say something of them: its own before a round. */
export async function openHistories(
  deps: HistoryDeps,
  recommendation: ApprovedRecommendation,
  round: number,
): Promise<FindHistories> {
  const { recommendationId: migrationId, approval } = recommendation;
  const ledgers = await findLedgers(deps, recommendation, round);
  const { manifests } = deps;
  return createFindHistories({ manifests, ledgers, migrationId, keyPrefix: approval.keyPrefix });
}

export interface Histories extends Pick<HistoryDeps, 'manifests'> {
  readonly ledgers: readonly Ledger[];
  readonly migrationId: string;
  readonly keyPrefix: string;
}

/** Pages of one ledger that are read at once, so that the memory is bounded where the source lists little. */
const MAX_PAGES = 4;
/** Keys of one answer: with their longest names they fit in a document of a manifest's page. */
const MAX_KEYS = 4_000;
const QUERIES_AT_ONCE = 8;

/** Finds the ledger lines of a run of keys, behind `after` and up to a key at most: page by page, not key by key. */
export function createFindHistories(deps: Histories): FindHistories {
  const { manifests, ledgers, migrationId, keyPrefix } = deps;

  async function pagesOf(ledger: Ledger, after: string | null, upTo: string | null) {
    const range = toLedgerRange(ledger, keyPrefix, { after, upTo });
    if (!range) return { ledger, pages: [], upTo };
    const pages = await manifests.pagesBetween(ledger.id, range.after, range.upTo, MAX_PAGES + 1);
    const beyond = pages[MAX_PAGES]?.after ?? null;
    const bound = beyond === null ? undefined : toOwnKey(ledger, keyPrefix, beyond);
    return { ledger, pages, upTo: earlier(upTo, bound ?? null) };
  }

  return async (after, wantedTo) => {
    const found: Awaited<ReturnType<typeof pagesOf>>[] = [];
    await forEachConcurrently([...ledgers.entries()], QUERIES_AT_ONCE, async ([at, ledger]) => {
      found[at] = await pagesOf(ledger, after, wantedTo);
    });
    const upTo = found.reduce<string | null>((sofar, each) => earlier(sofar, each.upTo), wantedTo);
    const lines = new Map<string, LineOfKey[]>();
    for (const { ledger, pages } of found) {
      const last = toLedgerRange(ledger, keyPrefix, { after, upTo })?.upTo ?? null;
      for (const { page } of pages.filter((each) => isWithin(each, last)))
        for (const line of await manifests.lines(ledger.id, page)) {
          const key = toOwnKey(ledger, keyPrefix, line.key);
          if (key === undefined || !isBehind(key, after) || isBeyond(key, upTo)) continue;
          lines.set(key, [...(lines.get(key) ?? []), { ...ledger, line }]);
        }
    }
    return toHistories(lines, upTo, migrationId);
  };
}

/** The histories of all keys behind `after` and up to a key. Their number must be bounded. */
export async function findAllHistories(
  find: FindHistories,
  after: string | null,
  last: string,
): Promise<ReadonlyMap<string, KeyHistory>> {
  const all = new Map<string, KeyHistory>();
  let from = after;
  for (;;) {
    const { upTo, byKey } = await find(from, last);
    for (const [key, history] of byKey) all.set(key, history);
    if (upTo === null || upTo === last) return all;
    from = upTo;
  }
}

function toHistories(
  lines: ReadonlyMap<string, readonly LineOfKey[]>,
  upTo: string | null,
  migrationId: string,
): KeyHistories {
  const keys = lines.size <= MAX_KEYS ? [...lines.keys()] : [...lines.keys()].sort(compareKeys);
  const kept = keys.slice(0, MAX_KEYS);
  const byKey = new Map(kept.map((key) => [key, toHistory(lines.get(key) ?? [], migrationId)]));
  return { upTo: kept.length < keys.length ? (kept.at(-1) ?? upTo) : upTo, byKey };
}

function earlier(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return compareKeys(a, b) <= 0 ? a : b;
}

function isBeyond(key: string, upTo: string | null): boolean {
  return upTo !== null && compareKeys(key, upTo) > 0;
}

function isWithin({ after }: PageRange, upTo: string | null): boolean {
  return after === null || upTo === null || compareKeys(after, upTo) < 0;
}
