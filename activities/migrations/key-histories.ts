import { migrationKeyOf } from '../../domain/recommendations/recommendation.ts';
import type { PageRange } from '../../adapters/mongo/migrations/manifests.ts';
import type { ApprovedRecommendation } from '../../adapters/mongo/recommendations/recommendations.ts';
import { compareKeys, isBehind } from '../../domain/inventory/key-order.ts';
import { toHistory, type KeyHistory, type LineOfKey } from '../../domain/migrations/key-history.ts';
import { forEachConcurrently } from '../../adapters/concurrently.ts';
import type { MigrationContext } from '../contexts.ts';
import { findLedgers, toLedgerRange, toOwnKey, type KeyRange, type Ledger } from './ledgers.ts';

export interface KeyHistories {
  /** The last key that they cover; null: they cover all that follow. */
  readonly upTo: string | null;
  readonly byKey: ReadonlyMap<string, KeyHistory>;
}

/** The histories of the first keys of a range. */
export type FindHistories = (range: KeyRange) => Promise<KeyHistories>;

/** The histories of a migration's keys, by all ledgers that have lines about them. */
export async function openHistories(
  context: MigrationContext,
  recommendation: ApprovedRecommendation,
  round: number,
): Promise<FindHistories> {
  const { approval } = recommendation;
  const { migrationId } = migrationKeyOf(recommendation);
  const ledgers = await findLedgers(context, recommendation, round);
  const { manifests } = context;
  return createFindHistories({ manifests, ledgers, migrationId, keyPrefix: approval.keyPrefix });
}

export interface Histories {
  readonly manifests: Pick<MigrationContext['manifests'], 'pagesBetween' | 'lines'>;
  readonly ledgers: readonly Ledger[];
  readonly migrationId: string;
  readonly keyPrefix: string;
}

/** Pages of one ledger that are read at once, which bounds the memory. */
const MAX_PAGES = 4;
/** Keys of one answer: with their longest names they fit in a document of a manifest's page. */
const MAX_KEYS = 4_000;
const QUERIES_AT_ONCE = 8;

/** Reads the ledgers page by page, not key by key. */
export function createFindHistories(histories: Histories): FindHistories {
  return async (range) => {
    const read: LedgerPages[] = [];
    await forEachConcurrently(
      [...histories.ledgers.entries()],
      QUERIES_AT_ONCE,
      async ([at, ledger]) => {
        read[at] = await findPages(histories, ledger, range);
      },
    );
    // Up to this key the pages of every ledger were found.
    const upTo = read.reduce<string | null>((last, each) => earlier(last, each.upTo), range.upTo);
    const lines = new Map<string, LineOfKey[]>();
    for (const pages of read)
      for await (const { key, line } of readLines(histories, pages, { after: range.after, upTo }))
        lines.set(key, [...(lines.get(key) ?? []), { ...pages.ledger, line }]);
    return toHistories(lines, upTo, histories.migrationId);
  };
}

interface LedgerPages {
  readonly ledger: Ledger;
  readonly pages: readonly PageRange[];
  /** The last key about which these pages have all lines; null: they have those of the range. */
  readonly upTo: string | null;
}

async function findPages(
  { manifests, keyPrefix }: Histories,
  ledger: Ledger,
  { after, upTo }: KeyRange,
): Promise<LedgerPages> {
  const range = toLedgerRange(ledger, keyPrefix, { after, upTo });
  if (!range) return { ledger, pages: [], upTo };
  const pages = await manifests.pagesBetween(ledger.id, range.after, range.upTo, MAX_PAGES + 1);
  const next = pages[MAX_PAGES]?.after ?? null;
  const last = next === null ? undefined : toOwnKey(ledger, keyPrefix, next);
  return { ledger, pages, upTo: earlier(upTo, last ?? null) };
}

async function* readLines(
  { manifests, keyPrefix }: Histories,
  { ledger, pages }: LedgerPages,
  { after, upTo }: KeyRange,
): AsyncGenerator<{ readonly key: string; readonly line: LineOfKey['line'] }> {
  const last = toLedgerRange(ledger, keyPrefix, { after, upTo })?.upTo ?? null;
  const isWithin = (page: PageRange) =>
    page.after === null || last === null || compareKeys(page.after, last) < 0;
  for (const { page } of pages.filter(isWithin))
    for (const line of await manifests.lines(ledger.id, page)) {
      const key = toOwnKey(ledger, keyPrefix, line.key);
      if (key === undefined || !isBehind(key, after)) continue;
      if (upTo === null || compareKeys(key, upTo) <= 0) yield { key, line };
    }
}

/** The histories of all keys of a range, whose number must be bounded. */
export async function findAllHistories(
  find: FindHistories,
  after: string | null,
  last: string,
): Promise<ReadonlyMap<string, KeyHistory>> {
  const all = new Map<string, KeyHistory>();
  let from = after;
  for (;;) {
    const { upTo, byKey } = await find({ after: from, upTo: last });
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

/** The earlier of two last keys; null: there is no bound. */
function earlier(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return compareKeys(a, b) <= 0 ? a : b;
}
