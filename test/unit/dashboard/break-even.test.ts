import assert from 'node:assert/strict';
import {
  breakEvenPlot,
  monthlyCosts,
} from '../../../dashboard/src/views/recommendations/break-even.ts';
import type { PlacementOption, RecommendationDetail } from '../../../sdk/src/index.ts';

const option = (provider: 'b2' | 'r2', totalUsd: number): PlacementOption =>
  ({
    provider,
    storageClass: 'STANDARD',
    quote: { totalUsd, totalWithExitWaiverUsd: totalUsd / 2 },
  }) as unknown as PlacementOption;

const at = (b2: number, r2: number) => [
  { provider: 'b2', storageClass: 'STANDARD', monthlyUsd: b2 },
  { provider: 'r2', storageClass: 'STANDARD', monthlyUsd: r2 },
];

const move = {
  kind: 'move',
  scenarios: ['none', 'expected', 'heavy', 'inside'].map((scenario) => ({
    scenario,
    title: `if ${scenario}`,
  })),
  readScenarios: [
    { reads: 'none', stayMonthlyUsd: 10, options: at(4, 10) },
    { reads: 'expected', stayMonthlyUsd: 12, options: at(4, 11) },
    { reads: 'heavy', stayMonthlyUsd: 30, options: at(35, 6) },
    { reads: 'inside', stayMonthlyUsd: 20, options: at(26, 8) },
  ],
} as unknown as RecommendationDetail;

const month = (reads: string, figures: object) => ({
  reads,
  title: `if ${reads}`,
  isCounted: false,
  ...figures,
});

describe('when a move pays back', () => {
  it('is told for each scenario of reads, and never where nothing is saved', () => {
    assert.deepEqual(monthlyCosts(move, option('b2', 24)), [
      month('none', { stayUsd: 10, placedUsd: 4, paybackMonths: 4, isCounted: true }),
      month('expected', { stayUsd: 12, placedUsd: 4, paybackMonths: 3 }),
      month('heavy', { stayUsd: 30, placedUsd: 35, paybackMonths: null }),
      month('inside', { stayUsd: 20, placedUsd: 26, paybackMonths: null }),
    ]);
    assert.deepEqual(
      monthlyCosts(move, option('r2', 24)).map(({ paybackMonths }) => paybackMonths),
      [null, 24, 1, 2],
    );
  });

  it('is where the lines of one scenario cross', () => {
    const [, expected] = monthlyCosts(move, option('b2', 24));
    assert.ok(expected);
    const { points, series } = breakEvenPlot(move, option('b2', 24), expected, 12);
    assert.equal(points.length, 13);
    const [stay, placed, waived] = series.map(({ values }) => values);
    assert.deepEqual([stay?.[0], placed?.[0], waived?.[0]], [0, 24, 12]);
    assert.equal(stay?.[3], placed?.[3]);
    assert.equal(stay?.[12], 144);
    assert.equal(waived?.[12], 60);
  });
});
