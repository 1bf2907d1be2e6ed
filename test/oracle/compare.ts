import type { Decision } from '../../domain/decision/types.ts';
import type { ExpectedScan } from './expected.ts';

/** A value that differs from the expected one. */
export interface Difference {
  readonly path: string;
  readonly actual: unknown;
  readonly expected: unknown;
}

/** Every place where `actual` lacks or contradicts a value of `expected`; further fields are ignored. */
export function differences(actual: unknown, expected: unknown, path = ''): Difference[] {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return [{ path, actual, expected }];
    const lengths =
      actual.length === expected.length
        ? []
        : [{ path: `${path}.length`, actual: actual.length, expected: expected.length }];
    const longest = Math.max(actual.length, expected.length);
    const items = Array.from({ length: longest }, (_, index) =>
      differences(actual[index], expected[index], `${path}[${index}]`),
    );
    return [...lengths, ...items.flat()];
  }
  if (typeof expected === 'object' && expected !== null) {
    if (typeof actual !== 'object' || actual === null) return [{ path, actual, expected }];
    return Object.entries(expected).flatMap(([key, value]) =>
      differences(
        (actual as Record<string, unknown>)[key],
        value,
        path === '' ? key : `${path}.${key}`,
      ),
    );
  }
  return actual === expected ? [] : [{ path, actual, expected }];
}

/** The differences between a decision and the expected result of the listing; empty where they agree. */
export function compareDecision(actual: Decision, expected: ExpectedScan): Difference[] {
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

/** One line per difference, for a failing test to show. */
export function showDifferences(found: readonly Difference[]): string {
  return found
    .map(
      ({ path, actual, expected }) =>
        `${path}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`,
    )
    .join('\n');
}
