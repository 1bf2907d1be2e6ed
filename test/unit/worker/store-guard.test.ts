import assert from 'node:assert/strict';
import { StoreSuspendedError } from '../../../activities/common/store-guard.ts';
import { StoreError } from '../../../adapters/object-store/errors.ts';
import { MigrationDelayError } from '../../../domain/migrations/stop.ts';
import { createStoreGuard } from '../../../worker/store-guard.ts';

const MAX_UNANSWERED = 4;
const R2 = { accountId: 'a', store: 'r2' };
const B2 = { accountId: 'a', store: 'b2' };

/** That silent stores of an account hold a quarter of the slots at most: `test/faults/hung-store.test.ts`. */
describe('the store guard', () => {
  const createGuard = () => createStoreGuard(MAX_UNANSWERED);
  const silent = () => Promise.reject(new StoreError('timed_out'));
  const answered = () => Promise.resolve('done');
  const isSuspended = (work: Promise<unknown>) =>
    work.then(() => false).catch((error: unknown) => error instanceof StoreSuspendedError);

  /** Work that waits until it is told to end. */
  function waiting() {
    let end = () => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    return { work: () => ended, end };
  }

  it('does not bound a store that answers', async () => {
    const guard = createGuard();
    await guard(R2, answered);
    const held = Array.from({ length: MAX_UNANSWERED * 3 }, waiting);
    const running = held.map(({ work }) => guard(R2, work));
    assert.equal(await guard(R2, answered), 'done');
    await assert.rejects(guard(R2, silent), { failure: 'timed_out' });
    assert.ok(await isSuspended(guard(R2, answered)), 'its work counts from its silence on');
    for (const { end } of held) end();
    await Promise.all(running);
  });

  it('suspends a store after five silences in a row, and no other one', async () => {
    const guard = createGuard();
    const delay = () =>
      Promise.reject(new MigrationDelayError('late', new StoreError('unreachable')));
    for (const work of [silent, silent, delay, delay]) await assert.rejects(guard(R2, work));
    assert.equal(await isSuspended(guard(R2, silent)), false);
    assert.ok(await isSuspended(guard(R2, answered)));
    assert.equal(await guard(B2, answered), 'done');
  });

  it('takes a refusal for an answer, and the failure in a result for silence', async () => {
    const guard = createGuard();
    const refused = () => Promise.reject(new StoreError('access_denied'));
    const failed = () => Promise.resolve({ failure: new StoreError('timed_out') });
    for (let times = 0; times < 4; times += 1) await assert.rejects(guard(R2, silent));
    await assert.rejects(guard(R2, refused), { failure: 'access_denied' });
    for (let times = 0; times < 5; times += 1) await guard(R2, failed, ({ failure }) => failure);
    assert.ok(await isSuspended(guard(R2, answered)));
  });
});
