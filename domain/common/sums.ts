/** Items by a key, in the order of their first appearance. */
export function groupBy<T>(
  items: readonly T[],
  toKey: (item: T) => string,
): ReadonlyMap<string, [T, ...T[]]> {
  const groups = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const group = groups.get(toKey(item));
    if (group) group.push(item);
    else groups.set(toKey(item), [item]);
  }
  return groups;
}

/** The sum in the order given: floating-point sums depend on it. */
export function sumBy<T>(items: readonly T[], amount: (item: T) => number): number {
  return items.reduce((sum, item) => sum + amount(item), 0);
}

/** The sum under a key so far; 0 before its first amount. */
export function totalOf(totals: ReadonlyMap<string, number>, key: string): number {
  return totals.get(key) ?? 0;
}

export function addTo(totals: Map<string, number>, key: string, amount: number): void {
  totals.set(key, totalOf(totals, key) + amount);
}

/** An item of a list as long as another one. @throws RangeError where it is shorter */
export function itemOf<T>(items: readonly T[], at: number): T {
  const item = items[at];
  if (item === undefined) throw new RangeError(`no item ${at} of ${items.length}`);
  return item;
}

/** The relative error of a sum, and of a quotient of sums, is below this. */
export const SUM_NUDGE = 1e-12;

/** Whether an amount is below a limit; one that equals it, up to rounding errors, is not. */
export function isBelowLimit(amount: number, limit: number): boolean {
  return amount < limit * (1 - SUM_NUDGE);
}
