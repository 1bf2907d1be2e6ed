import assert from 'node:assert/strict';
import { StorageRoutingError } from '../../sdk/src/index.ts';

/** The error that a call was refused with. */
export async function refusal(call: Promise<unknown>): Promise<StorageRoutingError> {
  const error = await call.then(
    () => assert.fail('it was allowed'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof StorageRoutingError, String(error));
  return error;
}
