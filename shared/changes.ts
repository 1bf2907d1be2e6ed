import { formatRow, roundRows } from './amounts.ts';

const CAUSES = {
  new_bucket: 'new buckets',
  gone_bucket: 'deleted buckets',
  objects: 'changed or older objects',
  reads: 'changed reads',
  prices: 'changed prices',
} as const;

interface Cause {
  readonly code: keyof typeof CAUSES;
  readonly usd: number;
}

/** The causes of a change of the monthly cost; their amounts add up to it. */
export function describeCauses(causes: readonly Cause[], costChangeUsd: number) {
  const actual = causes.filter(({ usd }) => usd !== 0);
  const cents = roundRows(
    actual.map(({ usd }) => usd),
    costChangeUsd,
  );
  return actual.map(({ code, usd }, at) => ({
    name: CAUSES[code] ?? code,
    usd,
    amount: formatRow(usd, cents[at] ?? 0),
  }));
}

/** @param amount `usd` as it is formatted, which has the minus */
export function formatSigned(usd: number, amount: string): string {
  return usd > 0 ? `+${amount}` : amount;
}
