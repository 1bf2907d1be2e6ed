import assert from 'node:assert/strict';
import { classifyRefusal, type StoreFailure } from '../../../adapters/object-store/errors.ts';

const REFUSALS: [status: number, code: string, failure: StoreFailure, isTransient: boolean][] = [
  [400, 'BadDigest', 'rejected', true],
  [400, 'EntityTooLarge', 'rejected', false],
  [400, 'KeyTooLongError', 'rejected', false],
  [400, 'MetadataTooLarge', 'rejected', false],
  [400, 'RequestTimeout', 'timed_out', true],
  [403, 'InvalidObjectState', 'archived', false],
  [403, 'SignatureDoesNotMatch', 'access_denied', false],
  [404, 'NoSuchKey', 'missing', false],
  [404, 'NoSuchUpload', 'failed', true],
  [409, 'OperationAborted', 'failed', true],
  [412, 'PreconditionFailed', 'changed', false],
  [500, 'InternalError', 'failed', true],
  [501, 'NotImplemented', 'rejected', false],
  [503, 'SlowDown', 'throttled', true],
];

describe('the classification of a refusal', () => {
  for (const [status, code, failure, isTransient] of REFUSALS) {
    it(`is ${failure} for ${code}`, () => {
      const error = classifyRefusal(status, code);
      assert.deepEqual([error.failure, error.isTransient], [failure, isTransient]);
      assert.match(error.message, /^[a-z ,]+$/);
    });
  }
});
