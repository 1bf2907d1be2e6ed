import type { Decision } from '../../domain/decision/types.ts';
import type { ExpectedScan } from './expected.ts';

/**
 * A line for every place where `actual` lacks or contradicts a value of `expected`; empty where they agree. Further
 * fields of `actual` are ignored, further items are not.
 */
export function differences(actual: unknown, expected: unknown, path = ''): string[] {
  if (typeof expected !== 'object' || expected === null) {
    const said = `${path}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`;
    return actual === expected ? [] : [said];
  }
  if (typeof actual !== 'object' || actual === null) return [`${path}: ${String(actual)}`];
  const given = actual as Record<string, unknown>;
  const length = Array.isArray(expected) ? { length: expected.length } : {};
  return Object.entries({ ...length, ...expected }).flatMap(([key, value]) =>
    differences(given[key], value, path === '' ? key : `${path}.${key}`),
  );
}

/** The differences between a decision and the expected result of the listing. */
export function compareDecision(actual: Decision, expected: ExpectedScan): string[] {
  const { summary, buckets, recommendations, decisionReport } = expected;
  return differences(actual, {
    currentMonthlyCostUsd: summary.currentMonthlyCostUsd,
    optimalMonthlyCostUsd: summary.optimalMonthlyCostUsd,
    monthlySavingsUsd: summary.monthlySavingsUsd,
    buckets: buckets.map(({ name, currentMonthlyCostUsd, optimalMonthlyCostUsd, findings }) => ({
      name,
      currentMonthlyCostUsd,
      optimalMonthlyCostUsd,
      findings,
    })),
    findings: summary.findings,
    recommendations,
    bill: null,
    report: decisionReport,
  } satisfies Record<keyof Decision, unknown>);
}
