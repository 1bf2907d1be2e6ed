import type { AgeBandIndex } from '../../../../domain/inventory/bands.ts';
import assert from 'node:assert/strict';
import { breakEvenMonths } from '../../../../domain/decision/amounts.ts';
import type { Group } from '../../../../domain/inventory/inventory.ts';
import { LIST_PRICES } from '../../../../domain/bill/price-factors.ts';
import { quoteMove } from '../../../../domain/decision/quote.ts';
import type { StoreData } from '../../../../domain/providers/catalogue.ts';
import { createPriceBook } from '../../../../domain/pricing/price-book.ts';
import { moreStores } from '../../../oracle/other-stores.ts';
import { catalogue, priceBook, priceBookData } from '../../price-book.ts';
import * as inventories from './inventories.ts';
import { bucket, decideGroups, decideOn, group, MIB, publicUsage } from './inventories.ts';

const FREE = [{ uptoGb: null, usd: 0 }] as const;

/** The stores of an operator, one of them at other terms. */
const otherAttic = (terms: Partial<NonNullable<StoreData['sheet']>>): readonly StoreData[] =>
  moreStores.map((store) =>
    store.provider === 'attic'
      ? Object.assign({}, store, { sheet: Object.assign({}, store.sheet, terms) })
      : store,
  );

const decidePublic = (...groups: readonly Group[]) =>
  decideOn([bucket(groups)], { usage: publicUsage() });

/** What the comparison with the oracle (`test/unit/oracle`) does not show: texts, edges, other prices. */
describe('decide', () => {
  it('lists what saves exactly the minimum', () => {
    const old = bucket([], {
      oldVersions: [inventories.oldVersions('STANDARD', 1, 1_000 * 2 ** 30)],
    });
    const [listed] = decideOn([old], { minMonthlySavingsUsd: 23 }).recommendations;
    assert.equal(listed?.monthlySavingsUsd, 23);
  });

  for (const [what, ages, profile] of [
    ['60 % younger than 30 days', [60, 0, 40, 0], 'active'],
    ['just less', [599, 1, 200, 200], 'mixed'],
    ['60 % older than a year', [40, 0, 0, 60], 'archive'],
    ['60 % older than 90 days', [40, 0, 30, 30], 'cold'],
    ['60 % of 30 to 90 days', [40, 60, 0, 0], 'mixed'],
    ['nothing', [], 'mixed'],
  ] as const)
    // spec: scanner.decision-report-when-enabled
    it(`calls ${what} ${profile}`, () => {
      const groups = ages.map((objects, band) =>
        group('a/', 'GLACIER', band as AgeBandIndex, objects, MIB),
      );
      const held = groups.filter(({ objects }) => objects > 0);
      assert.equal(decideGroups(...held).report.workloadProfile, profile);
    });

  it('says migrate where moves cover 80 % of all bytes, archived ones included', () => {
    const verdict = (archived: number) =>
      decidePublic(
        group('a/', 'STANDARD', 2, 8000, 10 * MIB),
        group('z/', 'GLACIER', 3, archived, 10 * MIB),
      ).report.verdict;
    assert.equal(verdict(2000), 'migrate');
    assert.equal(verdict(2001), 'migrate_partly');
  });

  it('stays where another class costs the same, and takes the first of equal moves', () => {
    const same = inventories.otherPrices(({ aws }) => {
      aws.regions['us-east-1'].classes['GLACIER_IR'] = {
        ...aws.regions['us-east-1'].classes['STANDARD'],
        transitionPer1000: 0,
      };
    });
    const groups = [group('a/', 'STANDARD', 3, 10, MIB)];
    assert.deepEqual(
      inventories.brief(decideOn([bucket(groups)], { priceBook: same, horizonMonths: 1 })),
      [],
    );
    const twins = inventories.otherPrices((providers) => {
      providers.r2 = providers.b2;
    });
    const moving = [bucket([group('a/', 'STANDARD', 2)])];
    assert.deepEqual(
      inventories.brief(decideOn(moving, { priceBook: twins, usage: publicUsage(150) })),
      ['move all to r2'],
    );
  });

  it('changes no class of what is short-lived, whatever else it is left alone for', () => {
    const groups = [group('t/', 'STANDARD', 1, 300_000, 24 * MIB)];
    for (const code of ['state', 'table'] as const) {
      const held = bucket(groups, { marks: [{ prefix: 't/', marks: [code] }] });
      const { recommendations, report } = decideOn([held]);
      assert.deepEqual(recommendations, []);
      assert.deepEqual(
        report.leftAlone.map((row) => row.code),
        [code],
      );
    }
  });

  it('takes nothing from the confidence for a store that is left out for its floor', () => {
    const floored = (floorUsdPerMonth: number) => {
      const stores = otherAttic({ egress: { bands: FREE }, floorUsdPerMonth });
      const others = stores.filter(({ provider }) => provider !== 'cellar' && provider !== 'barn');
      return createPriceBook(priceBookData, others);
    };
    const confidence = (floor: number) => {
      const usage = publicUsage(150);
      const [move] = decideOn([bucket([group('a/', 'STANDARD', 2)])], {
        usage,
        priceBook: floored(floor),
      }).recommendations;
      return [move?.recommendedProvider, move?.confidence];
    };
    assert.deepEqual(confidence(0), ['attic', 0.7]);
    assert.deepEqual(confidence(3), ['b2', 0.9]);
  });

  it('names as a blocker the objects that a target does not store at their size', () => {
    const sizes = [10_000_000_000_000, 10_000_000_000_001];
    const groups = sizes.map((size, age) =>
      group('a/', 'STANDARD', (age + 2) as AgeBandIndex, age + 1, size),
    );
    const { recommendations, report } = decideOn([bucket(groups)], { usage: publicUsage(1e6) });
    const blockers = recommendations.flatMap((one) => one.blockers);
    const told = blockers.map(({ code, objects, message }) =>
      [code, objects, / in a move to (.*?) \([a-z0-9]+\);/.exec(message)?.[1]].join(' '),
    );
    assert.deepEqual(told, [
      'object_too_large 3 Cloudflare R2',
      'object_too_large 2 Backblaze B2',
      'object_too_large 3 Wasabi',
      'object_too_large 3 Tigris',
    ]);
    const ofOptions = recommendations.flatMap((one) => one.options);
    for (const { provider, blockers: own = [] } of ofOptions)
      assert.equal(
        own.find(({ code }) => code === 'object_too_large')?.objects,
        provider === 'b2' ? 2 : 3,
      );
    const risks = report.risks.join('\n');
    assert.match(risks, /^3 objects .* exceed the size/m);
    assert.doesNotMatch(risks, /restored/);
  });

  it('names as a blocker the objects whose key would be too long at a target', () => {
    const groups = [group('a/', 'STANDARD', 2), group('b/', 'STANDARD', 3)];
    const [some, other] = groups.map((each, at) => ({ ...each, longKeys: at === 0 ? 7 : 1 }));
    assert.ok(some && other);
    const { recommendations, report } = decidePublic(some, other);
    const message =
      "8 objects whose key at the target, with the bucket's name in front, would be longer than 1,024 bytes would stay behind in the move; the figures include them.";
    assert.deepEqual(recommendations[0]?.blockers, [{ code: 'key_too_long', message, objects: 8 }]);
    assert.match(report.risks.join('\n'), /^8 objects .* key length/m);
    const [move] = decidePublic(...groups).recommendations;
    assert.deepEqual(move?.blockers, [], 'an inventory without the count has none');
    const { blockers: _long, ...ofLong } = recommendations[0];
    const { blockers: _none, ...ofOthers } = move;
    assert.deepEqual(ofLong, ofOthers, 'the figures include them');
  });

  it('orders equal savings by bucket, in UTF-8 order', () => {
    const names = ['\u{1f600}', '\uffff', 'a', 'B'];
    const groups = [group('a/', 'STANDARD', 2)];
    const { recommendations } = decideOn(
      names.map((name) => bucket(groups, { name })),
      { usage: publicUsage() },
    );
    const ordered = recommendations.map((one) => one.bucket);
    assert.deepEqual(ordered, ['B', 'a', '\uffff', '\u{1f600}']);
  });

  it('bills the bytes where an inventory has no count of objects below a minimum size', () => {
    const counted = group('a/', 'STANDARD', 3, 1_000_000, 1024);
    const { undersized, ...uncounted } = counted;
    assert.deepEqual(undersized, [{ minBytes: 4096, objects: 1_000_000, bytes: 1_024_000_000 }]);
    const cost = (held: typeof uncounted) =>
      decideOn([bucket([held])], { source: 'wasabi' }).currentMonthlyCostUsd;
    assert.deepEqual([cost(counted), cost(uncounted)], [0.029765, 0.007441]);
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
    const groups = [group('a/', 'STANDARD', 2), group('*', 'STANDARD', 2)];
    const decision = decideOn([bucket(groups, { copied })], { usage: publicUsage() });
    const found = inventories.findingOf(decision, 'copied_not_yet_released');
    assert.deepEqual([found?.objects, found?.bytes], [200, 200 * 10 * 2 ** 20]);
    assert.equal(found?.monthlyCostUsd, 0.044922);
    assert.match(
      found.message,
      /^Copied already .* 200 objects \(2\.1 GB\), for \$0\.04 a month\./,
    );
    const codes = decision.buckets[0]?.findings.map(({ code }) => code);
    assert.deepEqual(codes, ['copied_not_yet_released', 'no_selector']);
    assert.ok(
      decision.report.reasons.some((reason) =>
        reason.includes('is already copied and still at the source'),
      ),
    );
  });
});

describe('the assumptions', () => {
  it('name figures of another region and figures below high confidence', () => {
    const there = bucket([group('a/', 'STANDARD', 2)], { region: 'me-north-9' });
    const text = decideOn([there]).report.assumptions.join('\n');
    assert.match(text, /lacks for me-north-9 are those of us-east-1: .*STANDARD storage/);
    assert.match(text, /STANDARD storage of Wasabi is of medium confidence/);
    assert.match(text, /last modified[^]*Free tiers and committed discounts are left out/);
    assert.match(text, /upper bound/);
  });
});

describe('what the report says of the law', () => {
  const LAW = 'the EU Data Act \\(Regulation \\(EU\\) 2023/2854, article 29\\)';
  for (const [region, startedAt, ...said] of [
    [
      'eu-central-1',
      '2026-11-20',
      `^As of this audit, waiting .* saves \\$5\\.05 on 1 move: .*${LAW}`,
    ],
    [
      'eu-central-1',
      '2027-01-12',
      `^The \\$8\\.79 of egress on 1 move is not due .*${LAW} covers: `,
    ],
    ['eu-west-2', '2026-11-20'],
    ['eu-west-2', '2027-01-12'],
  ] as const)
    it(`is ${said[0]?.slice(1, 30) ?? 'nothing'} in ${region} on ${startedAt}`, () => {
      const moving = bucket([group('a/', 'STANDARD', 2)], { region });
      const usage = publicUsage(10, region);
      const { risks } = decideOn([moving], { startedAt: new Date(startedAt), usage }).report;
      const ofLaw = risks.filter((risk) => risk.includes('2023/2854'));
      assert.equal(ofLaw.length, said.length);
      if (said[0]) assert.match(ofLaw[0] ?? '', new RegExp(`${said[0]}.*ask AWS S3 before you`));
    });
});

describe('what speaks against an option', () => {
  it('is said in sentences', () => {
    const [move] = decidePublic(group('a/', 'STANDARD', 2)).recommendations;
    const wasabi = move?.options.find(({ provider }) => provider === 'wasabi');
    assert.deepEqual(
      wasabi?.blockers?.map(({ message }) => message),
      [
        'Wasabi takes at most as much egress a month as is stored; 100 times is expected if it is read heavily.',
        'Wasabi charges at least $7.99 a month; all that would be there costs $0.76.',
      ],
    );
  });
});

describe('a source other than AWS', () => {
  it('is not called AWS or S3 in any text', () => {
    const held = bucket([group('a/', 'STANDARD', 2), group('b/', 'GLACIER', 2)], {
      region: 'us-west-004',
      oldVersions: [inventories.oldVersions('STANDARD', 10, 1e9)],
      incompleteUploads: {
        uploads: 2,
        bytes: 5e9,
        oldestAt: new Date('2026-01-02'),
        abortable: { uploads: 2, bytes: 5e9 },
      },
      lifecycle: 'none',
    });
    for (const source of ['r2', 'b2', 'wasabi', 'tigris']) {
      const { findings, recommendations, report } = decideOn([held], { source });
      const texts = [
        ...findings.map(({ message }) => message),
        ...recommendations.flatMap(({ reasons }) => reasons),
        ...recommendations.flatMap(({ blockers }) => blockers.map(({ message }) => message)),
        ...report.reasons,
        ...report.risks,
        ...report.assumptions,
      ];
      const named = texts.filter((text) => /AWS|\bS3\b|CloudWatch/.test(text));
      assert.deepEqual(named, [], source);
      assert.match(report.assumptions.join(' '), /GLACIER has no price sheet: it is priced as/);
    }
  });
});

describe('quoteMove', () => {
  it('returns the quote of a move with its share of the free egress', () => {
    // At its own price of storage nothing leaves it.
    const dear = otherAttic({ storagePerGbMonth: 0.02 });
    const book = createPriceBook(priceBookData, dear);
    const groups = [group('a/', 'STANDARD', 3, 9_000, 1e9)];
    const held = bucket(groups, { region: 'main' });
    const more = { source: 'attic', priceBook: book, horizonMonths: 36 };
    const [move] = decideOn([held], more).recommendations;
    assert.ok(move);
    const { freeEgressGb, options, recommendedProvider } = move;
    assert.equal(freeEgressGb, 2250);
    const request = {
      priceBook: book,
      priceFactors: LIST_PRICES,
      source: 'attic',
      region: 'main',
      groups,
      target: { provider: recommendedProvider ?? '', region: 'main' },
    };
    assert.deepEqual(quoteMove({ ...request, freeEgressGb }), options[0]?.quote);
    assert.equal(quoteMove(request)?.egressUsd, 180);
  });

  it('returns the quote of the recommendation for the same groups', () => {
    const groups = [group('a/', 'STANDARD', 2), group('a/', 'STANDARD_IA', 2, 10)];
    const [move] = decidePublic(...groups).recommendations;
    const request = {
      priceBook,
      priceFactors: LIST_PRICES,
      source: 'aws',
      region: 'us-east-1',
    } as const;
    const at = (provider: string) => ({
      provider,
      region: catalogue.entry(provider).defaultRegion,
    });
    for (const { provider: target, quote } of move?.options ?? [])
      for (const same of [groups, groups.toReversed()])
        assert.deepEqual(quoteMove({ ...request, groups: same, target: at(target) }), quote);
    assert.equal(quoteMove({ ...request, groups, target: at('aws') }), null);
  });
});
