import type { Decision, ReadsOfBucket } from '../../domain/decision/types.ts';
import { isLongForm } from '../long-form.ts';
import type { ExpectedScan } from './expected.ts';

/**
 * A line for every place where `actual` lacks or contradicts a value of `expected`; empty where they agree. Further
 * fields of `actual` are ignored, further items are not. Numbers agree that are at most `tolerance` apart.
 */
export function differences(
  actual: unknown,
  expected: unknown,
  { path = '', tolerance = 0 } = {},
): string[] {
  if (typeof expected !== 'object' || expected === null) {
    const said = `${path}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`;
    const isNear =
      typeof actual === 'number' &&
      typeof expected === 'number' &&
      Math.abs(actual - expected) <= tolerance;
    return actual === expected || isNear ? [] : [said];
  }
  if (typeof actual !== 'object' || actual === null) return [`${path}: ${String(actual)}`];
  const given = actual as Record<string, unknown>;
  const length = Array.isArray(expected) ? { length: expected.length } : {};
  return Object.entries({ ...length, ...expected }).flatMap(([key, value]) =>
    differences(given[key], value, { path: path === '' ? key : `${path}.${key}`, tolerance }),
  );
}

/** From so many bytes on a number says no more than these digits of them. */
const EXACT_BYTES = 1e12;

/** The reads as they are expected, where they differ in later digits than a number holds safely. */
function likeReads(
  actual: Decision['buckets'][number]['reads'] | undefined,
  expected: ReadsOfBucket | null,
) {
  if (!actual || !expected) return expected;
  const like = (name: 'bytesPerMonth' | 'internetBytesPerMonth') => {
    const isLike = Math.abs(actual[name] - expected[name]) <= expected[name] / EXACT_BYTES;
    return isLike && expected[name] > EXACT_BYTES ? actual[name] : expected[name];
  };
  return {
    ...expected,
    bytesPerMonth: like('bytesPerMonth'),
    internetBytesPerMonth: like('internetBytesPerMonth'),
  };
}

/** The rounding errors of larger amounts reach half a micro-dollar: a number has 15 to 17 digits. */
const EXACT_USD = 1e8;
const DIGITS_BEYOND = 1e14;
/** One account in twenty thousand has an amount so near to half a micro-dollar that its number is on the other side. */
const LEAST_USD = isLongForm ? 1.5e-6 : 0;

/** 0 for the amounts of every account that exists; the long form draws too many accounts for that. */
function toleranceUsd({ decisionReport }: ExpectedScan): number {
  const largest = Math.max(...decisionReport.readScenarios.map((reads) => reads.stayMonthlyUsd));
  return largest < EXACT_USD ? LEAST_USD : largest / DIGITS_BEYOND;
}

/** The differences between a decision and the expected result of the listing. */
export function compareDecision(actual: Decision, expected: ExpectedScan): string[] {
  const { summary, buckets, recommendations, decisionReport } = expected;
  const wanted = {
    currentMonthlyCostUsd: summary.currentMonthlyCostUsd,
    optimalMonthlyCostUsd: summary.optimalMonthlyCostUsd,
    monthlySavingsUsd: summary.monthlySavingsUsd,
    buckets: buckets.map(
      ({ name, currentMonthlyCostUsd, optimalMonthlyCostUsd, findings, reads }, at) => ({
        name,
        currentMonthlyCostUsd,
        optimalMonthlyCostUsd,
        findings,
        reads: likeReads(actual.buckets[at]?.reads, reads),
      }),
    ),
    findings: summary.findings,
    recommendations,
    bill: summary.bill,
    report: decisionReport,
  } satisfies Record<keyof Decision, unknown>;
  return differences(actual, wanted, { tolerance: toleranceUsd(expected) });
}
