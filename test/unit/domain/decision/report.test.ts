import assert from 'node:assert/strict';
import { quoteMove } from '../../../../domain/decision/quote.ts';
import { shown } from '../../../../domain/decision/amounts.ts';
import type { Group } from '../../../../domain/inventory/inventory.ts';
import { priceBook } from '../../price-book.ts';
import {
  GIB,
  MIB,
  decideOn,
  decideGroups,
  brief,
  bucket,
  findingOf,
  group,
  oldVersions,
  otherPrices,
} from './inventories.ts';

const gibOf = (gib: number) => gib * GIB;

describe('the report', () => {
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

  it('says optimize_in_place for changes and clean-ups, stay for nothing', () => {
    assert.equal(decideGroups(group('a/', 'STANDARD', 2)).report.verdict, 'optimize_in_place');
    const old = decideOn([bucket([], { oldVersions: [oldVersions('STANDARD', 1, GIB)] })]);
    assert.equal(old.report.verdict, 'optimize_in_place');
    assert.equal(decideOn([]).report.verdict, 'stay');
  });

  it('sums what the recommendations cost and save', () => {
    const { report, monthlySavingsUsd } = decideGroups(
      group('a/', 'STANDARD', 0),
      group('b/', 'STANDARD', 2),
      group('b/', 'STANDARD', 3),
    );
    assert.equal(monthlySavingsUsd, shown(1.5173333999 + 3.58991));
    assert.equal(report.oneOffCostUsd, 9.193113);
    assert.equal(report.breakEvenMonths, 1.9);
    assert.equal(report.currentMonthlyCostUsd, 6.738281);
    assert.ok(Math.abs(report.savings12MonthsUsd - (12 * monthlySavingsUsd - 9.193113)) < 1e-5);
    assert.match(report.reasons[0] ?? '', /cheaper elsewhere/);
    assert.equal(report.placements.length, 2);
    assert.deepEqual(report.placements[1]?.to, { provider: 'b2', storageClass: 'STANDARD' });
  });

  it('prices reads in three scenarios, with the free egress of b2', () => {
    const { report } = decideGroups(group('a/', 'STANDARD', 0));
    const gb = (10_000 * 10 * MIB) / 1e9;
    const gib = 100_000 / 1024;
    const stay = (reads: number) => gib * 0.023 + reads * (10_000 * 0.0000004 + gib * 0.09);
    assert.deepEqual(report.readScenarios, [
      { reads: 'none', stayMonthlyUsd: shown(stay(0)), optimalMonthlyUsd: shown(gb * 0.00695) },
      {
        reads: 'expected',
        stayMonthlyUsd: shown(stay(0.5)),
        optimalMonthlyUsd: shown(gb * 0.00695),
      },
      {
        reads: 'heavy',
        stayMonthlyUsd: shown(stay(5)),
        optimalMonthlyUsd: shown(gb * 0.00695 + gb * 2 * 0.01),
      },
    ]);
  });

  it('computes the exit scenario with one quote per region over all groups that may move', () => {
    const decision = decideOn([
      bucket([group('a/', 'STANDARD', 3), group('z/', 'GLACIER', 3)], { name: 'a' }),
      bucket([group('a/', 'STANDARD', 3, 500)], { name: 'b' }),
      bucket([group('a/', 'STANDARD_IA', 3, 500)], { name: 'c', region: 'eu-west-1' }),
    ]);
    const [gibHere, gibThere] = [105_000 / 1024, 5000 / 1024];
    const waived = 10_500 * 4e-7 + 11 * 5e-6 + (500 * 1e-6 + 5e-6 + gibThere * 0.01);
    const stay = gibHere * 0.023 + gibThere * 0.0125;
    const there = (11_000 * 10 * MIB * 0.00695) / 1e9;
    const once = (gibHere + gibThere) * 0.09 + waived;
    assert.deepEqual(decision.report.exitScenario, {
      provider: 'b2',
      monthlyCostUsd: shown(there),
      oneOffUsd: shown(once),
      oneOffWithExitWaiverUsd: shown(waived),
      breakEvenMonths: Math.ceil((once / (stay - there)) * 10) / 10,
      breakEvenMonthsWithExitWaiver: Math.ceil((waived / (stay - there)) * 10) / 10,
    });
    assert.equal(decideGroups(group('z/', 'GLACIER', 3)).report.exitScenario, null);
  });

  it('blends the bands of a class over the whole scan, and applies those of egress to each quote', () => {
    const tib = 60 * 1024;
    const decision = decideOn([
      bucket([group('a/', 'STANDARD', 0, tib / 2, GIB)], { name: 'a' }),
      bucket([group('a/', 'STANDARD', 0, tib / 2 - 1024, GIB)], {
        name: 'b',
        oldVersions: [oldVersions('STANDARD', 512, GIB)],
        incompleteUploads: { uploads: 1, bytes: gibOf(512), oldestAt: null },
      }),
    ]);
    const usd = 51_200 * 0.023 + (tib - 51_200) * 0.022;
    assert.equal(decision.currentMonthlyCostUsd, shown(usd));
    assert.equal(decision.buckets[0]?.currentMonthlyCostUsd, shown(usd / 2));
    assert.equal(findingOf(decision, 'old_versions')?.monthlyCostUsd, shown((512 * usd) / tib));
    const [move] = decision.recommendations;
    const egress = 10_240 * 0.09 + (tib / 2 - 10_240) * 0.085;
    assert.equal(move?.options[0]?.quote.egressUsd, shown(egress));
  });

  it('prices a class without a sheet as STANDARD, blended by itself, and names it as an assumption', () => {
    const decision = decideGroups(
      group('a/', 'STANDARD', 3, 51_200, GIB),
      group('a/', 'EXPRESS_ONEZONE', 3, 51_200, GIB),
    );
    assert.equal(decision.currentMonthlyCostUsd, shown(2 * 51_200 * 0.023));
    assert.ok(
      decision.report.assumptions.some((text) => text.startsWith('EXPRESS_ONEZONE has no')),
    );
  });

  it('decides to stay for an account without buckets', () => {
    const { report, ...decision } = decideOn([]);
    assert.deepEqual([decision.buckets, decision.findings, decision.recommendations], [[], [], []]);
    assert.deepEqual([report.verdict, report.confidence, report.exitScenario], ['stay', 0.9, null]);
    assert.equal(report.breakEvenMonths, null);
    const empty = decideOn([bucket([], { lifecycle: 'none' })]);
    assert.deepEqual(
      empty.buckets[0]?.findings.map(({ code }) => code),
      ['no_abort_multipart_rule', 'no_lifecycle_rule', 'empty_bucket'],
    );
  });

  it('prices the part of a bucket that was read, and recommends nothing for it', () => {
    const error = { code: 'access_denied', message: 'no' };
    const decision = decideOn([
      bucket([group('a/', 'STANDARD', 0)], { error, lifecycle: 'none', deleteMarkers: 3 }),
    ]);
    assert.deepEqual(brief(decision), []);
    assert.equal(decision.buckets[0]?.currentMonthlyCostUsd, 2.246094);
    assert.deepEqual(decision.buckets[0]?.findings, []);
    assert.ok(decision.report.risks.some((text) => text.includes('access_denied')));
  });
});

describe('the assumptions', () => {
  it('name figures of another region and figures below high confidence', () => {
    const { assumptions } = decideOn([
      bucket([group('a/', 'STANDARD', 0)], { region: 'ap-south-1' }),
    ]).report;
    const text = assumptions.join('\n');
    assert.match(text, /lacks for ap-south-1 are those of us-east-1: .*STANDARD read requests/);
    assert.match(text, /STANDARD storage in ap-south-1 is of low confidence/);
    assert.match(text, /last modified/);
    assert.match(text, /Free tiers and committed discounts are left out/);
    assert.match(text, /upper bound/);
  });
});

describe('quoteMove', () => {
  it('returns the quote of the recommendation for the same groups', () => {
    const groups = [group('a/', 'STANDARD', 0), group('a/', 'STANDARD_IA', 0, 10)];
    const [move] = decideGroups(...groups).recommendations;
    const request = { priceBook, source: 'aws', region: 'us-east-1' } as const;
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

describe('decide, with other prices', () => {
  it('recommends another provider where the first one becomes more expensive', () => {
    const dear = otherPrices(({ b2 }) => {
      b2.regions['*'].classes['STANDARD'] = {
        ...b2.regions['*'].classes['STANDARD'],
        storagePerGbMonth: { value: 1, confidence: 'high' },
      };
    });
    const decision = decideOn([bucket([group('a/', 'STANDARD', 0)])], {
      priceBook: dear,
      horizonMonths: 24,
    });
    assert.deepEqual(brief(decision), ['all to r2']);
  });
});
