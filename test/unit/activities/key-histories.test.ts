import assert from 'node:assert/strict';
import {
  array,
  assert as assertProperty,
  asyncProperty,
  constantFrom,
  integer,
  option,
  record,
  uniqueArray,
} from 'fast-check';
import {
  createFindHistories,
  findAllHistories,
  type Histories,
} from '../../../activities/migrations/key-histories.ts';
import type { Ledger } from '../../../activities/migrations/ledgers.ts';
import { compareKeys } from '../../../domain/inventory/key-order.ts';
import type { LedgerLine } from '../../../domain/migrations/object-ledger.ts';

type Page = { readonly after: string | null; readonly lines: readonly LedgerLine[] };

const lineOf = (key: string): LedgerLine => ({
  key,
  targetKey: '',
  bytes: 1,
  sourceEtag: 's',
  sha256: null,
  targetEtag: `of ${key}`,
  outcome: 'copied',
  attempts: 1,
  at: '2026-11-01T12:00:00.000Z',
  notCarried: [],
});

/** Ledgers with these keys, so many in a page, as the database has them. */
function store(
  ledgers: readonly (Ledger & { readonly keys: readonly string[] })[],
  pageKeys: number,
) {
  const pages = new Map(
    ledgers.map(({ id, keys }) => {
      const sorted = [...keys].sort(compareKeys);
      const made: Page[] = [];
      for (let at = 0; at < sorted.length; at += pageKeys)
        made.push({
          after: at === 0 ? null : (sorted[at - 1] ?? ''),
          lines: sorted.slice(at, at + pageKeys).map(lineOf),
        });
      return [id, made] as const;
    }),
  );
  const manifests: Histories['manifests'] = {
    async pagesBetween(id, after, upTo, limit) {
      const all = (pages.get(id) ?? []).map((page, number) => ({
        page: number,
        after: page.after,
      }));
      const first = all.findLastIndex(
        (page) => page.after === null || (after !== null && compareKeys(page.after, after) < 0),
      );
      return all
        .slice(Math.max(0, first))
        .filter((page) => page.after === null || upTo === null || compareKeys(page.after, upTo) < 0)
        .slice(0, limit);
    },
    lines: async (id, page) => [...(pages.get(id)?.[page]?.lines ?? [])],
  };
  return manifests;
}

const ledger = (id: string, keyPrefix: string): Ledger => {
  return { id, migrationId: id, keyPrefix, isOfSource: false, isReleased: false };
};

describe('the histories of a run of keys', () => {
  it('are those of the same keys at the target, of every ledger whose place they share', async () => {
    const Segment = constantFrom('', 'a', 'a/', 'a/b', 'b/', '\uFFFD', '\u{1F600}');
    const Key = array(Segment, { minLength: 1, maxLength: 3 }).map((parts) => `${parts.join('')}x`);
    await assertProperty(
      asyncProperty(
        constantFrom('', 'a/', 'a/b/'),
        array(record({ keyPrefix: constantFrom('', 'a/', 'a/b/'), keys: uniqueArray(Key) }), {
          maxLength: 3,
        }),
        option(Key),
        integer({ min: 1, max: 3 }),
        async (keyPrefix, places, after, pageKeys) => {
          const ledgers = places.map((place, at) => ({
            ...ledger(`l${at}`, place.keyPrefix),
            ...place,
          }));
          const find = createFindHistories({
            manifests: store(ledgers, pageKeys),
            ledgers,
            migrationId: 'own',
            keyPrefix,
          });
          const found = [...(await findAllHistories(find, after, '\u{10FFFF}')).keys()];
          const expected = ledgers
            .flatMap((each) => each.keys.map((key) => each.keyPrefix + key))
            .filter((key) => key.startsWith(keyPrefix))
            .map((key) => key.slice(keyPrefix.length))
            .filter((key) => after === null || compareKeys(key, after) > 0);
          assert.deepEqual(new Set(found), new Set(expected));
        },
      ),
    );
  });

  it('are bounded in number, wherever the source has none of their keys', async () => {
    const keysOf = (n: number) =>
      Array.from({ length: 4_000 }, (_unused, at) => `${n}/${String(at).padStart(4, '0')}`);
    const ledgers = Array.from({ length: 5 }, (_unused, n) => {
      return { ...ledger(`l${n}`, ''), keys: keysOf(n) };
    });
    const manifests = store(ledgers, 1_000);
    const find = createFindHistories({ manifests, ledgers, migrationId: 'own', keyPrefix: '' });
    const seen: string[] = [];
    for (let after: string | null = null; ;) {
      const { upTo, byKey } = await find({ after, upTo: null });
      assert.ok(byKey.size <= 4_000, `${byKey.size} keys`);
      seen.push(...[...byKey.keys()].sort(compareKeys));
      if (upTo === null) break;
      after = upTo;
    }
    assert.deepEqual(
      seen,
      ledgers.flatMap(({ keys }) => keys),
    );
  });
});
