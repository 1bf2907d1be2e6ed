import assert from 'node:assert/strict';
import {
  bucketDifferences,
  readTotals,
} from '../../../dashboard/src/views/audit/compare/differences.ts';
import { paybackMonths, refusal } from '../../../dashboard/src/format/recommendations.ts';
import { onceUsd } from '../../../shared/recommendations.ts';
import { groupSteps } from '../../../dashboard/src/views/audit/scan/scan-steps.ts';
import { groupFindings } from '../../../dashboard/src/views/audit/scan/group-findings.ts';
import type { Finding, Recommendation, ScannedBucket, ScanResult } from '../../../sdk/src/index.ts';
import { exampleOf } from '../examples.ts';

const finding = (code: string, monthlyCostUsd = 0, objects = 0): Finding => ({
  code: code as Finding['code'],
  message: `message of ${code}`,
  objects,
  bytes: objects,
  monthlyCostUsd,
});

const RESULT = 'GET /v1/scanner/results/{scanId}';
const bucket = (name: string, change: Partial<ScannedBucket> = {}) =>
  Object.assign({}, exampleOf<ScanResult>(RESULT).buckets[0], {
    name,
    objects: 1,
    bytes: 10,
    currentMonthlyCostUsd: 5,
    optimalMonthlyCostUsd: 5,
    findings: [],
    ...change,
  });

type Facts = Pick<Recommendation, 'kind' | 'bucket' | 'monthlySavingsUsd'> & {
  readonly once?: number | undefined;
  readonly months?: number | null | undefined;
};

/** The recommended option comes second. */
function recommendation({ once = 0, months = 0, ...facts }: Facts): Recommendation {
  const [move] = exampleOf<ScanResult>(RESULT).recommendations;
  const option = (storageClass: string, totalUsd: number, breakEvenMonths: number | null) =>
    Object.assign({}, move?.options[0], { storageClass, quote: { totalUsd }, breakEvenMonths });
  const isCleanUp = facts.kind !== 'move' && facts.kind !== 'change_class';
  const cleanUp = { recommendedProvider: null, recommendedStorageClass: null, options: [] };
  const options = [option('OTHER', 99, 99), option('STANDARD', once, months)];
  return Object.assign({}, move, isCleanUp ? cleanUp : { options }, facts);
}

const scan = (change: { readonly [Field in keyof ScanResult]?: unknown }) =>
  exampleOf<ScanResult>(RESULT, {
    buckets: [],
    recommendations: [],
    summary: { findings: [], objects: 0, bytes: 0, currentMonthlyCostUsd: 0, monthlySavingsUsd: 0 },
    ...change,
  });

describe('the result of a scan on the dashboard', () => {
  it('sorts what it recommends by what it takes', () => {
    const of = (kind: Facts['kind'], saves: number, once?: number, months?: number | null) =>
      recommendation({ kind, bucket: 'a', monthlySavingsUsd: saves, once, months });
    const cleanUp = of('expire_old_versions', 1.004);
    const expensive = of('change_class', 3.004, 9, 3);
    const move = of('move', 9.004, 9, 1);
    const never = of('move', 9, 9, null);
    const found = scan({
      recommendations: [never, expensive, move, cleanUp],
      summary: { monthlySavingsUsd: 22.012 },
    });
    const { quickWins, moves } = groupSteps(found);
    const told = (steps: typeof moves) =>
      steps.map(({ recommendation: one, savedCents }) => [one, savedCents]);
    // The rows add up to $22.01, the total of the audit.
    assert.deepEqual(told(quickWins).flat(), [expensive, 300, cleanUp, 100]);
    assert.deepEqual(told(moves).flat(), [never, 900, move, 901]);
    assert.deepEqual([cleanUp, expensive, never].map(onceUsd), [0, 9, 9]);
    assert.deepEqual([cleanUp, expensive, never].map(paybackMonths), [0, 3, null]);
  });

  it('says of each bucket without a recommendation why it stays', () => {
    const buckets = [
      bucket('moved', { optimalMonthlyCostUsd: 2 }),
      bucket('unread', { error: { code: 'access_denied', message: 'no access' } }),
      bucket('empty', { objects: 0, currentMonthlyCostUsd: 0, optimalMonthlyCostUsd: 0 }),
      bucket('copied', {
        findings: [finding('needs_restore'), finding('copied_not_yet_released')],
      }),
      bucket('cheapest', { currentMonthlyCostUsd: 7, optimalMonthlyCostUsd: 7 }),
    ];
    const recommendations = [
      recommendation({ kind: 'move', bucket: 'moved', monthlySavingsUsd: 3, once: 1, months: 1 }),
    ];
    const { staying } = groupSteps(scan({ buckets, recommendations }));
    assert.deepEqual(
      staying.map(({ bucket: { name }, reason }) => `${name}: ${reason}`),
      [
        'cheapest: No other store or class is cheaper, with reads and the cost of getting there counted.',
        'unread: It could not be read: no access',
        'copied: message of copied_not_yet_released',
        'empty: It is empty and costs nothing.',
      ],
    );
  });

  it('groups findings by their code, the most expensive first', () => {
    const groups = groupFindings(
      scan({
        summary: { findings: [finding('below_minimum', 1, 4)] },
        buckets: [
          bucket('a', { findings: [finding('of_tomorrow'), finding('old_versions', 1, 2)] }),
          bucket('b', { findings: [finding('old_versions', 2, 3)] }),
        ],
      }),
    );
    const told = groups.map(({ code, objects, monthlyCostUsd, findings }) =>
      [code, objects, monthlyCostUsd, ...findings.map((each) => each.bucket ?? 'all')].join(' '),
    );
    assert.deepEqual(told, ['old_versions 5 3 b a', 'below_minimum 4 1 all', 'of_tomorrow 0 0 a']);
  });

  it('compares two scans by bucket, new and gone ones too', () => {
    const from = scan({
      buckets: [bucket('same'), bucket('gone', { currentMonthlyCostUsd: 6 }), bucket('grown')],
    });
    const costs = { currentMonthlyCostUsd: 14, optimalMonthlyCostUsd: 4 };
    const grown = bucket('grown', { objects: 3, bytes: 30, ...costs });
    const added = bucket('new', { currentMonthlyCostUsd: 1 });
    const to = scan({ buckets: [bucket('same'), grown, added] });
    const differences = bucketDifferences(from, to);
    const told = differences.map(({ name, from: before, to: after }) =>
      [name, before?.costUsd ?? 'none', after?.costUsd ?? 'none'].join(' '),
    );
    assert.deepEqual(told, ['grown 5 14', 'gone 6 none', 'new none 1', 'same 5 5']);
    assert.deepEqual(differences[0]?.to, { objects: 3, bytes: 30, costUsd: 14, savingsUsd: 10 });
    assert.deepEqual(readTotals(to), { objects: 0, bytes: 0, costUsd: 0, savingsUsd: 0 });
  });
});

describe('an option of a recommendation', () => {
  const [option] = exampleOf<ScanResult>(RESULT).recommendations[0]?.options ?? [];
  const blocked = (...codes: string[]) => ({
    ...(option ?? assert.fail()),
    blockers: codes.map((code) => ({ code, message: `because of ${code}`, objects: 1 })),
  });

  it('cannot be approved where the store refuses so much egress, and can with any other blocker', () => {
    assert.equal(refusal(blocked('object_too_large', 'below_floor')), undefined);
    const refused = refusal(blocked('below_floor', 'egress_refused'));
    assert.equal(refused?.message, 'because of egress_refused');
  });
});
