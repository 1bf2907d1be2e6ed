import assert from 'node:assert/strict';
import { breakEvenMonths } from '../../../../domain/decision/amounts.ts';
import { LIST_PRICES } from '../../../../domain/bill/price-factors.ts';
import { quoteMove } from '../../../../domain/decision/quote.ts';
import type { Group } from '../../../../domain/inventory/inventory.ts';
import { priceBook } from '../../price-book.ts';
import {
  MIB,
  decideOn,
  decideGroups,
  brief,
  bucket,
  findingOf,
  group,
  otherPrices,
} from './inventories.ts';

/** What the comparison with the oracle (`test/unit/oracle`) does not show: texts, edges, other prices. */
describe('decide', () => {
  const share = (young: number, old: number, oldest: number, middle: number): Group[] =>
    [young, middle, old, oldest].flatMap((objects, band) =>
      objects > 0 ? [group('a/', 'GLACIER', band, objects, MIB)] : [],
    );
  const PROFILES: [what: string, groups: Group[], profile: string][] = [
    ['60 % younger than 30 days', share(60, 40, 0, 0), 'active'],
    ['just less', share(599, 200, 200, 1), 'mixed'],
    ['60 % older than a year', share(40, 0, 60, 0), 'archive'],
    ['60 % older than 90 days', share(40, 30, 30, 0), 'cold'],
    ['60 % of 30 to 90 days', share(40, 0, 0, 60), 'mixed'],
    ['nothing', [], 'mixed'],
  ];

  for (const [what, groups, profile] of PROFILES) {
    // spec: scanner.decision-report-when-enabled
    it(`calls ${what} ${profile}`, () => {
      assert.equal(decideGroups(...groups).report.workloadProfile, profile);
    });
  }

  it('says migrate where moves cover 80 % of all bytes, archived ones included', () => {
    const verdict = (archived: number) =>
      decideGroups(
        group('a/', 'STANDARD', 0, 8000, 10 * MIB),
        group('z/', 'GLACIER', 3, archived, 10 * MIB),
      ).report.verdict;
    assert.equal(verdict(2000), 'migrate');
    assert.equal(verdict(2001), 'migrate_partly');
  });

  it('stays where another class costs the same, and takes the first of equal moves', () => {
    const same = otherPrices(({ aws }) => {
      aws.regions['us-east-1'].classes['GLACIER_IR'] = {
        ...aws.regions['us-east-1'].classes['STANDARD'],
        transitionPer1000: { value: 0, confidence: 'high' },
      };
    });
    const groups = [group('a/', 'STANDARD', 3, 10, MIB)];
    assert.deepEqual(brief(decideOn([bucket(groups)], { priceBook: same, horizonMonths: 1 })), []);
    const twins = otherPrices((providers) => {
      providers.r2 = providers.b2;
    });
    const moving = [bucket([group('a/', 'STANDARD', 0)])];
    assert.deepEqual(brief(decideOn(moving, { priceBook: twins })), ['all to r2']);
  });

  it('names as a blocker the objects that a target does not store at their size', () => {
    const sizes = [10_000_000_000_000, 10_000_000_000_001];
    const groups = sizes.map((size, age) => group('a/', 'STANDARD', age, age + 1, size));
    const { recommendations, report } = decideGroups(...groups);
    assert.deepEqual(
      recommendations
        .flatMap(({ blockers }) => blockers)
        .map(({ code, objects, message }) => [
          code,
          objects,
          / in a move to (Cloudflare R2|Backblaze B2) \((?:r2|b2)\);/.exec(message)?.[1],
        ]),
      [
        ['object_too_large', 3, 'Cloudflare R2'],
        ['object_too_large', 2, 'Backblaze B2'],
      ],
    );
    const risks = report.risks.join('\n');
    assert.match(risks, /^2 objects .* exceed the size/m);
    assert.doesNotMatch(risks, /restored/);
  });

  it('names as a blocker the objects whose key would be too long at a target', () => {
    const groups = [group('a/', 'STANDARD', 0), group('b/', 'STANDARD', 1)];
    const [some, other] = groups.map((each, at) => ({ ...each, longKeys: at === 0 ? 7 : 1 }));
    assert.ok(some && other);
    const { recommendations, report } = decideGroups(some, other);
    const message =
      "8 objects whose key at the target, with the bucket's name in front, would be longer than 1,024 bytes would stay behind in the move; the figures include them.";
    assert.deepEqual(recommendations[0]?.blockers, [{ code: 'key_too_long', message, objects: 8 }]);
    assert.match(report.risks.join('\n'), /^8 objects .* key length/m);
    const [move] = decideGroups(...groups).recommendations;
    assert.deepEqual(move?.blockers, [], 'an inventory without the count has none');
    const { blockers: _long, ...ofLong } = recommendations[0];
    const { blockers: _none, ...ofOthers } = move;
    assert.deepEqual(ofLong, ofOthers, 'the figures include them');
  });

  it('orders equal savings by bucket, in UTF-8 order', () => {
    const names = ['\u{1f600}', '\uffff', 'a', 'B'];
    const groups = [group('a/', 'STANDARD', 0)];
    const { recommendations, buckets } = decideOn(names.map((name) => bucket(groups, { name })));
    const ordered = [recommendations.map((one) => one.bucket), buckets.map(({ name }) => name)];
    const sorted = ['B', 'a', '\uffff', '\u{1f600}'];
    assert.deepEqual(ordered, [sorted, sorted]);
  });

  it('throws for an inventory with a duplicate group', () => {
    const twice = group('a/', 'STANDARD', 0);
    assert.throws(() => decideGroups(twice, twice), /two groups/);
  });

  it('breaks even after months rounded up to a tenth, and never where nothing is saved', () => {
    for (const [once, monthly, months] of [
      [8.793113, 1.517333, 5.8],
      [1, 10, 0.1],
      [0.3, 0.1, 3],
      [0.3, 0.0999, 3.1],
      [0, 1, 0],
      [1, 0, null],
      [1, -1, null],
    ] as const)
      assert.equal(breakEvenMonths(once, monthly), months);
  });

  it('says what copied objects still cost at the source', () => {
    const copied = [group('a/', 'STANDARD', 0, 100), group('b/', 'STANDARD', 2, 100)];
    const groups = [group('a/', 'STANDARD', 0), group('*', 'STANDARD', 0)];
    const decision = decideOn([bucket(groups, { copied })]);
    const found = findingOf(decision, 'copied_not_yet_saved');
    assert.deepEqual([found?.objects, found?.bytes], [200, 200 * 10 * 2 ** 20]);
    assert.equal(found?.monthlyCostUsd, 0.044922);
    assert.equal(
      found?.message,
      'Copied already and still at the source: 200 objects (2.1 GB), for $0.04 a month. It may be deleted there once the migration report has been checked.',
    );
    assert.deepEqual(
      decision.buckets[0]?.findings.map(({ code }) => code),
      ['copied_not_yet_saved', 'no_selector'],
    );
    assert.ok(decision.report.reasons.some((reason) => reason.includes('is already copied;')));
  });
});

describe('the assumptions', () => {
  it('name figures of another region and figures below high confidence', () => {
    const there = bucket([group('a/', 'STANDARD', 0)], { region: 'ap-south-1' });
    const text = decideOn([there]).report.assumptions.join('\n');
    for (const said of [
      /lacks for ap-south-1 are those of us-east-1: .*STANDARD read requests/,
      /STANDARD storage in ap-south-1 is of low confidence/,
      /last modified/,
      /Free tiers and committed discounts are left out/,
      /upper bound/,
    ])
      assert.match(text, said);
  });
});

describe('what the report says of the law', () => {
  const BEFORE =
    'As of this audit, waiting until 12 January 2027 saves $5.88 on 1 move: from that day the EU Data Act (Regulation (EU) 2023/2854, article 29) forbids charging customers in the European Union for switching to another provider, egress included. It covers switching, which a partial move may not be: ask AWS S3 before you count on it.';
  const SINCE =
    'The $8.79 of egress on 1 move is not due for customers whom the EU Data Act (Regulation (EU) 2023/2854, article 29) covers: since 12 January 2027 it forbids charging customers in the European Union for switching to another provider, egress included. It covers switching, which a partial move may not be: ask AWS S3 before you approve. The figures include the charge all the same.';
  for (const [region, startedAt, said] of [
    ['eu-central-1', '2026-11-20T12:00:00Z', [BEFORE]],
    ['eu-central-1', '2027-01-12T00:00:00Z', [SINCE]],
    ['eu-west-2', '2026-11-20T12:00:00Z', []],
    ['eu-west-2', '2027-01-12T00:00:00Z', []],
  ] as const) {
    it(`is ${said[0]?.slice(0, 40) ?? 'nothing'} in ${region} on ${startedAt}`, () => {
      const moving = bucket([group('a/', 'STANDARD', 0)], { region });
      const { risks } = decideOn([moving], { startedAt: new Date(startedAt) }).report;
      assert.deepEqual(
        risks.filter((risk) => risk.includes('2023/2854')),
        said,
      );
    });
  }
});

describe('quoteMove', () => {
  it('returns the quote of the recommendation for the same groups', () => {
    const groups = [group('a/', 'STANDARD', 0), group('a/', 'STANDARD_IA', 0, 10)];
    const [move] = decideGroups(...groups).recommendations;
    const request = { priceBook, priceFactors: LIST_PRICES, source: 'aws', region: 'us-east-1' } as const;
    for (const option of move?.options ?? []) {
      const target = option.provider;
      assert.deepEqual(quoteMove({ ...request, groups, target }), option.quote);
      assert.deepEqual(
        quoteMove({ ...request, groups: groups.toReversed(), target }),
        option.quote,
      );
    }
    assert.equal(quoteMove({ ...request, groups, target: 'aws' }), null);
  });
});
