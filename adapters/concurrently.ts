/**
 * Does the work on every item in their order, on at most `limit` at once.
 *
 * @throws the first error of the work, at once; the others go on with what is left
 */
export async function forEachConcurrently<Item>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: limit }, async () => {
      for (const item of left) await work(item);
    }),
  );
}
