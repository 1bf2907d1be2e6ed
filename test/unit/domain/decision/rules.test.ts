import assert from 'node:assert/strict';
import { MAX_RECOMMENDATIONS } from '../../../../domain/decision/types.ts';
import { compareKeys } from '../../../../domain/inventory/key-order.ts';
import { breakEvenMonths, shown } from '../../../../domain/decision/amounts.ts';
import type { Group } from '../../../../domain/inventory/inventory.ts';
import {
  KIB,
  MIB,
  decideOn,
  decideGroups,
  brief,
  bucket,
  findingOf,
  group,
  otherPrices,
} from './inventories.ts';

interface Row {
  readonly what: string;
  readonly groups: readonly Group[];
  readonly answers: readonly string[];
}

const row = (what: string, groups: readonly Group[], ...answers: string[]): Row => ({
  what,
  groups,
  answers,
});

const IN_PLACE: readonly Row[] = [
  row(
    'moves STANDARD of 30 to 90 days where that is cheaper than another class',
    [group('a/', 'STANDARD', 1)],
    'all to b2',
  ),
  row(
    'changes STANDARD_IA over a year old to GLACIER_IR',
    [group('a/', 'STANDARD_IA', 3)],
    'all STANDARD_IA 365- to GLACIER_IR',
  ),
  row('does not change GLACIER_IR', [group('a/', 'GLACIER_IR', 3)]),
  row('does not change ONEZONE_IA', [group('a/', 'ONEZONE_IA', 3, 10_000, MIB)]),
  row('leaves DEEP_ARCHIVE', [group('a/', 'DEEP_ARCHIVE', 3)]),
  row('leaves a class without a sheet', [group('a/', 'EXPRESS_ONEZONE', 2)]),
  row('leaves objects without bytes', [group('a/', 'STANDARD', 2, 1000, 0)]),
];

const MERGING: readonly Row[] = [
  row(
    'merges prefixes that take the same provider',
    [group('a/', 'STANDARD', 0), group('b/', 'STANDARD', 0), group('*', 'STANDARD', 0)],
    'all to b2',
  ),
  row(
    'merges prefixes beside one that may not move',
    [group('a/', 'STANDARD', 0), group('z/', 'GLACIER', 3)],
    'all to b2',
  ),
  row(
    'moves the rest only together with all prefixes',
    [group('*', 'STANDARD', 0), group('z/', 'STANDARD', 2)],
    'all STANDARD 90-365 to GLACIER_IR',
  ),
  row(
    'selects the whole bucket where there is only the rest',
    [group('*', 'STANDARD', 0)],
    'all to b2',
  ),
  row(
    'does not merge a change beside a moving prefix with objects of the class',
    [
      group('a/', 'STANDARD', 0, 100_000),
      group('a/', 'STANDARD', 2, 1),
      group('b/', 'STANDARD', 2),
    ],
    'a/ to b2',
    'b/ STANDARD 90-365 to GLACIER_IR',
  ),
  row(
    'does not merge a change beside a prefix with small objects of the class',
    [group('a/', 'STANDARD', 2), group('b/', 'STANDARD', 2, 10, KIB)],
    'a/ STANDARD 90-365 to GLACIER_IR',
  ),
  row(
    'merges adjacent bands',
    [group('a/', 'STANDARD', 2), group('b/', 'STANDARD', 3)],
    'all STANDARD 90- to GLACIER_IR',
  ),
  row(
    'does not merge bands over one with objects that stay',
    [
      group('a/', 'STANDARD_IA', 1, 1000, 500 * MIB),
      group('a/', 'STANDARD_IA', 2, 10_000, 128 * KIB),
      group('a/', 'STANDARD_IA', 3, 1000, 500 * MIB),
    ],
    'all STANDARD_IA 365- to GLACIER_IR',
  ),
];

describe('decide, rule by rule', () => {
  for (const { what, groups, answers } of [...IN_PLACE, ...MERGING]) {
    it(what, () => assert.deepEqual(brief(decideGroups(...groups)), answers));
  }

  it('changes to STANDARD_IA from 30 days on, and never to a class that heavy reads make more expensive', () => {
    const groups = [group('a/', 'STANDARD', 0), group('a/', 'STANDARD', 1)];
    const decision = decideOn([bucket(groups)], { horizonMonths: 5 });
    assert.deepEqual(brief(decision), ['all STANDARD 30-90 to STANDARD_IA']);
  });

  it('merges bands over an empty one, and leaves out empty bands at the ends', () => {
    const book = otherPrices((providers) => {
      providers.aws.inPlaceSteps = [{ from: 'STANDARD', to: 'STANDARD_IA', minAgeDays: 30 }];
    });
    const more = { horizonMonths: 5, priceBook: book };
    const over = [group('a/', 'STANDARD', 1), group('a/', 'STANDARD', 3)];
    assert.deepEqual(brief(decideOn([bucket(over)], more)), ['all STANDARD 30- to STANDARD_IA']);
    const small = [...over, group('a/', 'STANDARD', 2, 10, KIB)];
    assert.deepEqual(brief(decideOn([bucket(small)], more)), [
      'all STANDARD 365- to STANDARD_IA',
      'all STANDARD 30-90 to STANDARD_IA',
    ]);
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

  it('reports an answer of the rest alone as a finding', () => {
    const decision = decideGroups(group('*', 'STANDARD', 0), group('z/', 'STANDARD', 2));
    const finding = findingOf(decision, 'no_selector');
    assert.equal(finding?.objects, 10_000);
    assert.equal(finding?.monthlyCostUsd, 1.517333);
    const change = decideGroups(group('*', 'STANDARD', 2), group('z/', 'STANDARD', 2, 10, KIB));
    assert.deepEqual(brief(change), []);
    assert.equal(findingOf(change, 'no_selector')?.monthlyCostUsd, 1.764698);
  });

  it('leaves archived objects out of a move and names them as a blocker', () => {
    const decision = decideGroups(group('a/', 'STANDARD', 0), group('a/', 'GLACIER', 3));
    const [move] = decision.recommendations;
    assert.equal(move?.objects, 10_000);
    assert.equal(move?.monthlySavingsUsd, 1.517333);
    assert.deepEqual(
      move?.blockers.map(({ code, objects }) => [code, objects]),
      [['needs_restore', 10_000]],
    );
    assert.equal(findingOf(decision, 'needs_restore')?.monthlyCostUsd, 0.354416);
    assert.equal(decision.report.placements[0]?.from.storageClass, 'STANDARD');
    assert.equal(decision.report.verdict, 'migrate_partly');
  });

  it('names as a blocker the objects that a target does not store at their size', () => {
    const blockersOf = (...sizes: number[]) =>
      decideGroups(...sizes.map((size, age) => group('a/', 'STANDARD', age, age + 1, size)))
        .recommendations.flatMap(({ blockers }) => blockers)
        .map(({ code, objects, message }) => [
          code,
          objects,
          / in a move to (Cloudflare R2|Backblaze B2) \((?:r2|b2)\);/.exec(message)?.[1],
        ]);
    assert.deepEqual(blockersOf(5_492_189_429_760), []);
    assert.deepEqual(blockersOf(5_492_189_429_761), [['object_too_large', 1, 'Cloudflare R2']]);
    assert.deepEqual(blockersOf(10_000_000_000_000, 10_000_000_000_001), [
      ['object_too_large', 3, 'Cloudflare R2'],
      ['object_too_large', 2, 'Backblaze B2'],
    ]);
    const { risks } = decideGroups(group('a/', 'STANDARD', 0, 2, 1e13 + 1)).report;
    assert.ok(
      risks.some((risk) => /^2 objects .* exceed the size/.test(risk)),
      risks.join(),
    );
    assert.ok(!risks.some((risk) => /restored/.test(risk)), risks.join());
  });

  it('names as a blocker the objects whose key would be too long at a target', () => {
    const [some, none] = [group('a/', 'STANDARD', 0), group('b/', 'STANDARD', 1)];
    const long = { ...some, longKeys: 7 };
    const decision = decideGroups(long, { ...none, longKeys: 1 });
    const [move] = decision.recommendations;
    assert.deepEqual(move?.blockers, [
      {
        code: 'key_too_long',
        message:
          "8 objects whose key at the target, with the bucket's name in front, would be longer than 1,024 bytes would stay behind in the move; the figures include them.",
        objects: 8,
      },
    ]);
    assert.ok(
      decision.report.risks.some((risk) => /^8 objects .* key length/.test(risk)),
      decision.report.risks.join(),
    );

    const { blockers: _long, ...ofLong } = decideGroups(long, none).recommendations[0] ?? {};
    const { blockers, ...ofOthers } = decideGroups(some, none).recommendations[0] ?? {};
    assert.deepEqual(ofLong, ofOthers, 'the figures include them');
    assert.deepEqual(blockers, [], 'an inventory without the count has none');

    const mixed = decideGroups(
      long,
      group('a/', 'GLACIER', 3),
      group('a/', 'STANDARD', 1, 1, 1e13),
    );
    assert.deepEqual(
      mixed.recommendations[0]?.blockers.map(({ code, objects }) => [code, objects]),
      [
        ['needs_restore', 10_000],
        ['key_too_long', 7],
        ['object_too_large', 1],
      ],
    );
  });

  it('names long keys only in moves of their own prefix, and in no change of class', () => {
    const staying = { ...group('b/', 'STANDARD', 2), longKeys: 5 };
    const decision = decideGroups(group('a/', 'STANDARD', 0), staying);
    assert.deepEqual(brief(decision), ['all STANDARD 90-365 to GLACIER_IR', 'a/ to b2']);
    assert.deepEqual(
      decision.recommendations.flatMap(({ blockers }) => blockers),
      [],
    );
    assert.ok(!decision.report.risks.some((risk) => /key length/.test(risk)));
  });

  it('changes the objects of 128 KiB and more, and bills small ones by the minimum', () => {
    const large = group('a/', 'STANDARD', 2);
    const mixed = {
      ...large,
      objects: large.objects + 5000,
      bytes: large.bytes + 5000 * KIB,
      smallObjects: 5000,
      smallBytes: 5000 * KIB,
    };
    const [change] = decideGroups(mixed).recommendations;
    assert.deepEqual([change?.objects, change?.bytes], [large.objects, large.bytes]);
    assert.equal(change?.monthlySavingsUsd, 1.764698);
    const small = decideGroups(group('a/', 'GLACIER_IR', 2, 8192, KIB));
    assert.equal(findingOf(small, 'small_objects')?.monthlyCostUsd, 0.004);
    assert.equal(findingOf(small, 'small_objects')?.bytes, 8192 * KIB);
    assert.equal(small.currentMonthlyCostUsd, 0.004);
  });

  it('pays early deletion up to the minimum days of the class left behind', () => {
    const decision = decideGroups(
      group('a/', 'STANDARD', 0, 100_000),
      group('a/', 'STANDARD_IA', 0, 100),
    );
    const [move] = decision.recommendations;
    assert.equal(move?.selector.prefix, null);
    assert.equal(move?.options[0]?.quote.earlyDeletionUsd, shown((1000 / 1024) * 0.0125));
    assert.equal(move?.options[0]?.quote.retrievalUsd, shown((1000 / 1024) * 0.01));
    assert.equal(decision.report.placements[0]?.from.storageClass, null);
  });

  it('writes large objects in parts', () => {
    const [move] = decideGroups(group('a/', 'STANDARD', 0, 10, 100 * MIB)).recommendations;
    const r2 = move?.options.find(({ provider }) => provider === 'r2');
    assert.equal(r2?.quote.destinationRequestsUsd, shown((10 + 30) * 0.0000045));
  });

  it('sums savings below the minimum in a finding', () => {
    const buckets = [bucket([group('a/', 'STANDARD', 0), group('b/', 'STANDARD', 2)])];
    const decision = decideOn(buckets, { minMonthlySavingsUsd: 1.6 });
    assert.deepEqual(brief(decision), ['all STANDARD 90-365 to GLACIER_IR']);
    const finding = findingOf(decision, 'below_minimum');
    assert.deepEqual([finding?.objects, finding?.monthlyCostUsd], [10_000, 1.517333]);
    assert.equal(decision.monthlySavingsUsd, 1.764698);
  });

  it('lists the largest savings and sums the others', () => {
    const buckets = Array.from({ length: MAX_RECOMMENDATIONS + 50 }, (_, index) =>
      bucket([group('a/', 'STANDARD', 0, 1000 + index)], { name: `b-${index}` }),
    );
    const decision = decideOn(buckets);
    assert.equal(decision.recommendations.length, MAX_RECOMMENDATIONS);
    assert.equal(decision.recommendations[0]?.bucket, 'b-249');
    assert.equal(decision.recommendations.at(-1)?.bucket, 'b-50');
    const more = findingOf(decision, 'more_recommendations');
    assert.equal(more?.objects, 50 * 1000 + (49 * 50) / 2);
    const left = decision.buckets.find(({ name }) => name === 'b-0');
    assert.equal(left?.optimalMonthlyCostUsd, left?.currentMonthlyCostUsd);
  });

  it('orders equal savings by bucket, in UTF-8 order', () => {
    const names = ['\u{1f600}', '\uffff', 'a', 'B'];
    const groups = [group('a/', 'STANDARD', 0)];
    const { recommendations, buckets } = decideOn(names.map((name) => bucket(groups, { name })));
    const sorted = ['B', 'a', '\uffff', '\u{1f600}'];
    assert.deepEqual(
      recommendations.map(({ bucket: name }) => name),
      sorted,
    );
    assert.deepEqual(
      buckets.map(({ name }) => name),
      sorted,
    );
    assert.ok(names.toSorted(compareKeys).every((name, index) => name === sorted[index]));
  });

  it('throws for an inventory with a duplicate group', () => {
    const twice = group('a/', 'STANDARD', 0);
    assert.throws(() => decideGroups(twice, twice), /two groups/);
  });

  const BREAK_EVENS: [once: number, monthly: number, months: number | null][] = [
    [8.793113, 1.517333, 5.8],
    [1, 10, 0.1],
    [0.3, 0.1, 3],
    [0.3, 0.0999, 3.1],
    [0, 1, 0],
    [1, 0, null],
    [1, -1, null],
  ];
  for (const [once, monthly, expected] of BREAK_EVENS) {
    it(`breaks even on ${once} at ${monthly} a month after ${expected} months`, () => {
      assert.equal(breakEvenMonths(once, monthly), expected);
    });
  }
});
