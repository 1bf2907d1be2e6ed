import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { heading } from '../../../report/blocks.ts';
import { toCsv } from '../../../report/csv.ts';
import { reportPage } from '../../../report/content.ts';
import { toHtml } from '../../../report/html.ts';
import { toMarkdown } from '../../../report/markdown.ts';
import { formatMoney } from '../../../shared/amounts.ts';
import type { PlacementOption } from '../../../domain/decision/types.ts';
import type { RecommendationRecord } from '../../../domain/recommendations/recommendation.ts';
import { arbitraryListing } from '../../oracle/arbitrary.ts';
import { inventoryOf } from '../../oracle/inventory.ts';
import { configuredOf } from '../oracle/listings.ts';
import { priceBook } from '../price-book.ts';
import { bucket, GIB, group, MIB } from '../domain/decision/inventories.ts';
import { amountOf, assertPageAddsUp, headingsOf, inputOf } from './pages.ts';
import { SAMPLE, tableUnder, words } from './pages.ts';

const WITHOUT_BILL = { usage: { bill: null, metrics: new Map() } };

describe('the report of a scan', () => {
  const page = reportPage(inputOf(SAMPLE));

  it('says on top whose it is, of when, with which prices, and when the moves are paid back', () => {
    assert.equal(page.title, 'Save 59 %: mostly by moving to Backblaze B2');
    assert.match(page.about, /^AWS account 123456789012 · audit of 20 November 2026 · prices of /);
    const [saved, once] = tableUnder(page, 'Moves').rows.at(-1)?.slice(4, 6).map(amountOf) ?? [];
    const months = Math.ceil(((once ?? 0) / (saved ?? 0)) * 10) / 10;
    assert.ok(months > 2 && months < 3);
    const headings = ['Your bill of October 2026', 'Quick wins'];
    const moves = `Moves, paid back after ${months} months`;
    assert.deepEqual(headingsOf(page).slice(0, 3), [...headings, moves]);
  });

  it('shows the totals of the API, to which the rows of its tables add up', () => {
    assertPageAddsUp(page);
    const { scan } = inputOf(SAMPLE);
    const total = (usd = 0) => `${formatMoney(usd)} a month`;
    const { currentMonthlyCostUsd, optimalMonthlyCostUsd, monthlySavingsUsd } = scan.summary ?? {};
    const { rows } = tableUnder({ ...page, blocks: [heading('x'), ...page.blocks] }, 'x');
    const shown = Object.fromEntries(rows.map((row) => row.map(words) as [string, string]));
    assert.equal(shown['Today'], total(currentMonthlyCostUsd));
    assert.equal(shown['Afterwards'], total(optimalMonthlyCostUsd));
    assert.equal(shown['You save'], total(monthlySavingsUsd));
    assert.equal(shown['Costs once'], formatMoney(scan.decisionReport?.oneOffCostUsd ?? 0));
    const last = (title: string) => tableUnder(page, title).rows.at(-1)?.map(amountOf) ?? [];
    const saved = (last('Quick wins')[4] ?? 0) + (last('Moves')[4] ?? 0);
    assert.equal(saved.toFixed(2), monthlySavingsUsd?.toFixed(2));
    assert.equal(last('Bucket by bucket')[4]?.toFixed(2), currentMonthlyCostUsd?.toFixed(2));
    assert.doesNotMatch(toMarkdown(page), /[Rr]ounding/);
  });

  it('is a table too, which has each figure of an option under its name', () => {
    const { recommendations, now } = inputOf(SAMPLE);
    const [titles, ...rows] = toCsv(recommendations, now)
      .split('\r\n')
      .map((line) => line.split(','));
    const column = (title: string) => rows.map((row) => row[titles?.indexOf(title) ?? -1] ?? '');
    const figures = (name: keyof PlacementOption['quote']) =>
      recommendations.flatMap(({ options }) =>
        options.length === 0 ? '' : options.map(({ quote }) => String(quote[name])),
      );
    for (const name of ['egressUsd', 'totalUsd', 'totalWithExitWaiverUsd'] as const)
      assert.deepEqual(column(name), [...figures(name), '']);
    assert.notDeepEqual(column('totalUsd'), column('totalWithExitWaiverUsd'));
  });

  it('begins with what has changed since the scan before, and why, where there was one', () => {
    const input = inputOf(SAMPLE);
    const changes = {
      since: { scanId: 'x', at: new Date('2026-11-13T03:00:00Z'), priceBook: '2026-11-01' },
      costChangeUsd: 2.333334,
      causes: [
        { code: 'objects' as const, usd: 3.666667 },
        { code: 'reads' as const, usd: 0 },
        { code: 'prices' as const, usd: -1.333333 },
      ],
      buckets: [{ name: 'media', costChangeUsd: 2.333334 }],
      recommendations: { opened: ['a', 'b'], gone: ['c'], better: [] },
    };
    const shown = reportPage({ ...input, scan: { ...input.scan, changes } });
    assert.equal(headingsOf(shown)[0], 'Since 13 November 2026');
    const rows = tableUnder(shown, 'Since').rows.map((row) => row.map(words));
    assert.deepEqual(rows, [
      ['changed or older objects', '$3.66'],
      ['changed prices', '-$1.33'],
      ['Together', '$2.33'],
    ]);
    const more =
      /It costs \$2\.33 a month more .* 2 new recommendations, 1 earlier one no longer made/;
    assert.match(toMarkdown(shown), more);
    assert.ok(!headingsOf(page).some((title) => title.startsWith('Since')));
  });

  it('adds up whatever a scan finds, in at most seven columns', () => {
    fc.assert(
      fc.property(arbitraryListing(), (listing) => {
        const { buckets: _listed, ...terms } = listing;
        const configured = configuredOf(listing, priceBook);
        assertPageAddsUp(reportPage(inputOf(inventoryOf(listing), { ...terms, configured })));
      }),
      { numRuns: 200 },
    );
  });

  it('is no zero where each step saves less than a cent', () => {
    const groups = [group('a/', 'STANDARD', 2, 10, 8 * MIB), group('b/', 'GLACIER', 3, 1, GIB)];
    const tiny = toMarkdown(reportPage(inputOf([bucket(groups, { name: 'one' })], WITHOUT_BILL)));
    assert.match(tiny, /You save \| \\<\$0\.01 a month/);
    assert.match(tiny, /srs approve/);
  });

  it('folds steps below a dollar a month into one row', () => {
    const small = (name: string) =>
      bucket([group('a/', 'STANDARD', 2, 100, 100 * MIB)], { name, region: 'us-east-1' });
    const large = bucket([group('v/', 'STANDARD', 2, 20_000, 200 * MIB)], { name: 'media' });
    const { rows } = tableUnder(reportPage(inputOf([large, small('one'), small('two')])), 'Moves');
    const steps = rows.map(([, what]) => words(what ?? '')).join('; ');
    assert.equal(steps, 'Move to Backblaze B2; 2 smaller steps, below $1.00 a month each; Total');
  });

  it('says the same months of a single step above it and in its row', () => {
    const upTo = (max: number) => fc.integer({ min: 1, max });
    fc.assert(
      fc.property(upTo(5_000), upTo(900), (n, mib) => {
        const page = reportPage(inputOf([bucket([group('a/', 'STANDARD', 2, n, mib * MIB)])]));
        const title = headingsOf(page).find((each) => each.startsWith('Moves, '));
        assert.ok(title);
        const [row] = tableUnder(page, 'Moves').rows;
        const months = words(row?.at(-1) ?? '').replace(/^not /, '');
        assert.ok(title.endsWith(months), `${title}: ${months}`);
      }),
      { numRuns: 100 },
    );
  });

  it('does not say that nothing is cheaper where something is, or was not read', () => {
    const least = inputOf([bucket([group('a/', 'STANDARD', 2, 10_000, MIB)], { name: 'one' })], {
      minMonthlySavingsUsd: 1_000,
      minMoveMonthlySavingsUsd: 1_000,
    });
    const text = toMarkdown(reportPage(least));
    assert.match(text, /\*\*No change saves enough to be worth it\./);
    const finding = tableUnder(reportPage(least), 'Other findings').rows[0] ?? [];
    assert.match(words(finding[1] ?? ''), /would save less than/);
    assert.equal(words(finding[2] ?? ''), '', 'what would be saved is no cost');
    const error = { code: 'access_denied', message: 'The role may not list it.' };
    const broken = bucket([group('a/', 'STANDARD', 0, 1)], { name: 'broken', error });
    const unread = toMarkdown(reportPage(inputOf([bucket([], { name: 'closed', error }), broken])));
    assert.match(unread, /2 buckets could not be read to the end/);
    assert.match(unread, /`closed` was not read: The role/);
    assert.match(unread, /`broken` was read in part: The role/);
  });

  it('names what is not touched, and why, with its cost', () => {
    const groups = [group('a/', 'STANDARD', 2), group('uploads/', 'STANDARD', 2)];
    const buckets = [bucket(groups, { name: 'media', isRouted: true })];
    const files = reportPage(inputOf(buckets, WITHOUT_BILL));
    const [row = []] = tableUnder(files, 'Not touched, and why').rows;
    const [where, why, ...figures] = row.map(words);
    assert.equal(where, 'media/uploads/');
    assert.match(why ?? '', /^Files of this service/);
    assert.deepEqual(figures, ['10,000 objects, 105 GB', '$2.25']);
    const movable = [bucket([group('a/', 'STANDARD', 2)])];
    assert.ok(!headingsOf(reportPage(inputOf(movable))).includes('Not touched, and why'));
  });

  it('names each recommendation with the command that goes on with it, while it is open', () => {
    const text = toMarkdown(page);
    const input = inputOf(SAMPLE);
    assert.ok(input.recommendations.length >= 4);
    for (const { recommendationId: id, kind } of input.recommendations)
      assert.ok(text.includes(`\`srs approve ${id}${kind === 'move' ? ' --target b2' : ''}\``));
    const later = toMarkdown(reportPage({ ...input, now: new Date('2027-02-01T00:00:00Z') }));
    assert.doesNotMatch(later, /srs approve/);
    assert.match(later, /is expired\./);
  });

  it('has what waiting saves beside the open moves that it concerns until the day has come, and the regulation as a risk', () => {
    const input = inputOf(SAMPLE, { startedAt: new Date('2027-01-05T00:00:00Z') });
    const expiresAt = new Date('2027-02-04T00:00:00Z');
    const open = input.recommendations.map((one) => Object.assign({}, one, { expiresAt }));
    const closed = open.map((one) => Object.assign({}, one, { status: 'superseded' as const }));
    const readAt = (now: string, recommendations: readonly RecommendationRecord[] = open) =>
      toMarkdown(reportPage({ ...input, recommendations, now: new Date(now) }));
    const note =
      /^- \*\*Step \d+:\*\* waiting until 12 January 2027 saves \$.*2023\/2854.*may not be\.$/gm;
    const notDue = /since 12 January 2027 the \$[\d,.]+ of egress in its cost is not due/g;
    for (const [text, waits, due] of [
      [toMarkdown(page), 2, 0],
      [readAt('2027-01-11T23:59:59Z'), 2, 0],
      [readAt('2027-01-12T00:00:00Z'), 0, 2],
      [readAt('2027-01-11T00:00:00Z', closed), 0, 0],
    ] as const) {
      assert.equal(text.match(note)?.length ?? 0, waits);
      assert.equal(text.match(notDue)?.length ?? 0, due);
    }
    const risk = /\(EU\) 2023\/2854, article 29\) forbids .* a partial move may not be: ask/;
    assert.match(toMarkdown(page), risk);
    const later = toMarkdown(reportPage(inputOf(SAMPLE, { startedAt: new Date('2027-01-12') })));
    assert.doesNotMatch(later, /[Ww]aiting until/);
    assert.match(later, /is not due for customers whom the EU Data Act/);
  });

  it('says cents, decimal sizes, and confidence, stores and groups of buckets in words', () => {
    const text = toMarkdown(page);
    for (const each of [text, toMarkdown(reportPage(inputOf(SAMPLE, WITHOUT_BILL)))]) {
      assert.doesNotMatch(each, /\$\d+\.\d{3}/);
      assert.doesNotMatch(each, / USD|GiB\)|TiB| b2 (?:stores|has)|onfidence 0\./);
    }
    for (const said of [
      /Backblaze B2/,
      / High confidence\. It is the cheapest answer in all four scenarios/,
      /- \*\*Step 1:\*\* A month\. Nobody reads this: \$73\.50 here, \$0\.00 there\.$/m,
      /\| `backups` \| 0 \| 2,539 \| 2,539 \| its share of the bill \|/,
      / Good confidence\. .*; the bill does not say which of several buckets is read/,
      /\| `empty-1`, `empty-2` \(empty\) \|/,
      /\| 3 buckets: `empty-1`, `empty-2`, `logs` \| There is no lifecycle rule/,
    ])
      assert.match(text, said);
  });

  it('shows ages, sizes, classes and content of the buckets', () => {
    const held = page.blocks.flatMap((block) => (block.kind === 'shares' ? [block.rows] : []));
    assert.equal(held.length, 3);
    for (const rows of held) {
      const names = rows.map(({ name }) => name).join();
      assert.equal(names, 'Age,Object size,Storage class,Content');
      const [ages] = rows;
      assert.ok(Math.abs((ages?.parts ?? []).reduce((all, one) => all + one.share, 0) - 1) < 1e-9);
    }
  });

  it('is there without the decision report, too, and of nothing says that nothing is to be done', () => {
    const plain = reportPage(inputOf(SAMPLE, {}, false));
    assert.equal(plain.title, page.title);
    assertPageAddsUp(plain);
    const nothing = reportPage(inputOf([]));
    assert.equal(nothing.title, 'Stay: nothing here is worth changing');
    assert.match(toMarkdown(nothing), /No change saves enough .* costs \$0\.00 a month/);
    assert.match(toHtml(nothing), /No change saves enough/);
  });
});

describe('the report as HTML', () => {
  const HOSTILE = '<script>alert("1")</script>&`|\u0007/';
  const hostile = group(HOSTILE, 'STANDARD', 0, 10_000, 20 * MIB);
  const input = inputOf([
    bucket([hostile, group('b/', 'GLACIER', 3)], { name: 'media' }),
    bucket([group('b/', '<i>CLASS</i>', 2)], { name: '<b>' }),
  ]);
  const html = toHtml(reportPage(input));

  it('shows names as text', () => {
    assert.doesNotMatch(html, /<script|<i>|<b>/);
    assert.ok(html.includes('&lt;i&gt;CLASS&lt;/i&gt;'));
    // No control character but the line feed.
    assert.doesNotMatch(html, /[^\n\P{Cc}]/u);
  });

  it('is one file that loads nothing and forbids scripts', () => {
    assert.match(html, /default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='/);
    assert.doesNotMatch(html, /src=|url\(|@import|style="/);
    const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, link]) => link);
    assert.ok(links.length > 0);
    const own = /^https:\/\/routing\.example\.com\/dashboard\/recommendations\/\S+$/;
    for (const link of links) assert.match(link ?? '', own);
    assert.match(html, /@page \{ size: A4/);
  });

  it('draws the plots as SVG of finite numbers', () => {
    assert.equal(html.match(/<svg /g)?.length, html.match(/<\/svg>/g)?.length);
    assert.ok((html.match(/<rect /g)?.length ?? 0) > 10);
    assert.doesNotMatch(html, /NaN|Infinity|undefined|width="-/);
  });

  it('says what the Markdown says', () => {
    const page = reportPage(input);
    const markdown = toMarkdown(page);
    for (const amount of markdown.match(/\$[\d,]+\.\d\d/g) ?? []) assert.ok(html.includes(amount));
  });
});
