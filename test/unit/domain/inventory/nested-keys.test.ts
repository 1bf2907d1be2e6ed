import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { compareKeys } from '../../../../domain/inventory/key-order.ts';
import {
  addKey,
  appendNesting,
  emptyNesting,
  outermost,
  type MutableNesting,
} from '../../../../domain/inventory/nested-keys.ts';

/** What is below keys with a slash, which belong to one prefix, is counted as the aggregates count it. */
interface Run {
  readonly nesting: MutableNesting;
  inPrefixes: number;
}

const hasSlash = (key: string | undefined) => key?.includes('/') === true;

function runOf(keys: readonly string[]): Run {
  const run = { nesting: emptyNesting(), inPrefixes: 0 };
  for (const key of keys) if (hasSlash(addKey(run.nesting, key))) run.inPrefixes += 1;
  return run;
}

function append(left: Run, right: Run): void {
  const crossing = appendNesting(left.nesting, right.nesting);
  const within = outermost(crossing.filter(({ above }) => hasSlash(above)));
  left.inPrefixes += right.inPrefixes + within.reduce((sum, { objects }) => sum + objects, 0);
}

describe('the objects below the keys of others', () => {
  it('are counted once, however a listing is cut into runs and in whatever order these are joined', () => {
    const key = fc.string({
      unit: fc.constantFrom('a', 'b', '-', '/', '/', '😀'),
      minLength: 1,
      maxLength: 8,
    });
    const keys = fc.uniqueArray(key, { maxLength: 80, size: 'max' });
    const cuts = fc.array(fc.nat({ max: 80 }), { maxLength: 9 });
    const joins = fc.infiniteStream(fc.nat());
    fc.assert(
      fc.property(keys, cuts, joins, (unordered, places, picks) => {
        const all = unordered.toSorted(compareKeys);
        const ends = [...places, all.length].sort((a, b) => a - b);
        const runs = ends.map((end, at) => runOf(all.slice(ends[at - 1] ?? 0, end)));
        while (runs.length > 1) {
          const at = (picks.next().value ?? 0) % (runs.length - 1);
          const [left, right] = [runs[at], runs[at + 1]];
          if (left && right) append(left, right);
          runs.splice(at + 1, 1);
        }
        const below = (some: readonly string[]) =>
          all.filter((one) => some.some((other) => one.startsWith(`${other}/`))).length;
        const [whole = assert.fail()] = runs;
        const { found } = whole.nesting;
        assert.deepEqual(
          [found?.objects ?? 0, whole.inPrefixes],
          [below(all), below(all.filter(hasSlash))],
        );
        if (found) {
          assert.ok(found.below.startsWith(`${found.above}/`));
          assert.ok(all.includes(found.above) && all.includes(found.below));
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
