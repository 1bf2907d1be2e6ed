/** Items by a key, in the order of their first appearance. */
export function groupBy<T>(
  items: readonly T[],
  toKey: (item: T) => string,
): ReadonlyMap<string, [T, ...T[]]> {
  const groups = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const known = groups.get(toKey(item));
    if (known) known.push(item);
    else groups.set(toKey(item), [item]);
  }
  return groups;
}
