import assert from 'node:assert/strict';

/**
 * What `open` gives, for the suite that calls this: opened before its first test and closed after its last, or for each
 * of its tests. Its fields can be read while a test or a hook runs.
 */
export function opened<T extends { close(): unknown }>(
  open: () => Promise<T>,
  per: 'suite' | 'test' = 'suite',
): T {
  let current: T | undefined;
  const [begin, end] = per === 'suite' ? [before, after] : [beforeEach, afterEach];
  begin(async () => {
    current = await open();
  });
  end(() => current?.close());
  return new Proxy({} as T, {
    get: (_target, name): unknown => Reflect.get(current ?? assert.fail('no test runs'), name),
  });
}
