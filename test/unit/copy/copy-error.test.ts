import assert from 'node:assert/strict';
import { classifyCopyError } from '../../../copy/copy-error.ts';
import { StoreError, type StoreFailure } from '../../../adapters/object-store/errors.ts';
import type { ObjectFailure } from '../../../domain/migrations/object-ledger.ts';

type Meaning = [ObjectFailure, boolean];

const MEANINGS: [StoreFailure, boolean, Meaning, Meaning][] = [
  ['throttled', true, ['source_unavailable', true], ['target_unavailable', true]],
  ['timed_out', true, ['source_unavailable', true], ['target_unavailable', true]],
  ['unreachable', true, ['source_unavailable', true], ['target_unavailable', true]],
  ['access_denied', false, ['source_refused', false], ['target_refused', false]],
  ['bucket_missing', false, ['source_refused', false], ['target_refused', false]],
  ['wrong_region', false, ['source_refused', false], ['target_refused', false]],
  ['changed', false, ['source_changing', true], ['target_rejected', false]],
  ['missing', false, ['source_missing', false], ['target_differs', true]],
  ['archived', false, ['needs_restore', false], ['target_rejected', false]],
  ['rejected', false, ['source_refused', false], ['target_rejected', false]],
  ['rejected', true, ['source_refused', true], ['target_rejected', true]],
  ['failed', true, ['source_unavailable', true], ['target_unavailable', true]],
  ['failed', false, ['source_unavailable', false], ['target_rejected', false]],
];

describe("what a store's failure means for an object", () => {
  for (const [failure, isTransient, atSource, atTarget] of MEANINGS) {
    for (const [side, [code, passes]] of [
      ['source', atSource],
      ['target', atTarget],
    ] as const) {
      it(`is ${code} where the ${side} says ${failure}${isTransient ? ', which may pass' : ''}`, () => {
        const error = classifyCopyError(side, new StoreError(failure, undefined, isTransient));
        assert.deepEqual(
          [error.code, error.isTransient, error.side, error.storeFailure],
          [code, passes, side, failure],
        );
      });
    }
  }
});
