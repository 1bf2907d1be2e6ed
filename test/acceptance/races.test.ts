import assert from 'node:assert/strict';
import { eventually } from './eventually.ts';
import { keyOf, objectAt, putAsTold } from './store.ts';
import { difference, other, type Started } from './tenant.ts';
import { bodyOf, requireRefusal, type Answer } from './wire.ts';

const BODY = Buffer.from('hello world');
const ROUNDS = 16;
const MANY_ROUNDS = 10;

/** Waits for a number of event loop turns: a small delay without a clock. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

async function waiting(): Promise<Started> {
  const started = await other.start({ fileSizeBytes: BODY.length });
  await putAsTold(started, BODY);
  return started;
}

/**
 * Uses the account for which no other file of the suite uploads: a file left behind in the middle of its delete would
 * keep that account's stores in use.
 */
describe('Complete and delete at once', () => {
  before(() => other.configure('aws', 'r2', 'b2'));

  for (const [what, completes, deletes] of [
    ['one of each', 1, 1],
    ['three of each', 3, 3],
  ] as const) {
    it(`end deleted at the store with exact usage: ${what}, ${ROUNDS} times`, async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const before = await other.usage();
        const started = await waiting();
        const late = round % 2 === 0 ? 'delete' : 'complete';
        const ask = async (name: 'complete' | 'delete'): Promise<Answer> => {
          if (name === late) await turns(round * 4);
          return other[name](started.fileId);
        };
        const [completed, deleted] = await Promise.all([
          Promise.all(Array.from({ length: completes }, () => ask('complete'))),
          Promise.all(Array.from({ length: deletes }, () => ask('delete'))),
        ]);
        for (const answer of deleted) bodyOf(answer, 200);
        assert.equal(new Set(deleted.map(({ text }) => text)).size, 1);
        for (const answer of completed) requireEitherEnd(answer);
        await requireGone(started);
        const anyCompleted = completed.some(({ status }) => status === 200);
        await requireExactFigures(before, anyCompleted);
      }
    });
  }

  it(`end deleted at the store after any sequence of calls: ${MANY_ROUNDS} times`, async () => {
    for (let round = 0; round < MANY_ROUNDS; round += 1) {
      const started = await waiting();
      const completes = (count: number) =>
        Array.from({ length: count }, () => other.complete(started.fileId));
      // One delete among six completes, at varying positions.
      const first = completes(round % 2 === 0 ? 6 : 3);
      const [deleted, ...completed] = await Promise.all([
        other.delete(started.fileId),
        ...first,
        ...completes(6 - first.length),
      ]);
      for (const answer of completed) requireEitherEnd(answer);
      // The delete may take time, but requires no further request.
      if (deleted.status !== 200) bodyOf(deleted, 202);
      await eventually(async () => {
        bodyOf(await other.delete(started.fileId), 200);
      });
      assert.equal(await objectAt(started.provider, keyOf(started)), undefined);
    }
  });

  it('and a delete during the PUT end deleted, or wait for the late PUT to be swept', async () => {
    for (let round = 0; round < 8; round += 1) {
      const started = await other.start({ fileSizeBytes: BODY.length });
      const [, deleted] = await Promise.all([
        putAsTold(started, BODY),
        turns(round * 8).then(() => other.delete(started.fileId)),
      ]);
      bodyOf(deleted, 200);
      requireRefusal(await other.complete(started.fileId), 410, 'file_deleted');
      requireRefusal(await other.get(started.fileId), 410, 'file_deleted');
    }
  });
});

describe('Complete and the PUT at once', () => {
  before(() => other.configure('aws', 'r2', 'b2'));

  it('end active with one usage record in either order', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = await other.usage();
      const started = await other.start({ fileSizeBytes: BODY.length });
      const [early] = await Promise.all([
        turns(round * 4).then(() => other.complete(started.fileId)),
        putAsTold(started, BODY),
      ]);
      if (early.status !== 200) requireRefusal(early, 409, 'file_not_on_provider');
      await other.completed(started.fileId);
      bodyOf(await other.delete(started.fileId), 200);
      assert.deepEqual(difference(before, await other.usage()), {
        routedBytes: BODY.length,
        uploads: 1,
        bookedBytes: BODY.length,
        uploadsBooked: 1,
      });
    }
  });
});

/** A complete that the delete has overtaken says so, whatever the store answered during the delete. */
function requireEitherEnd(answer: Answer): void {
  if (answer.status !== 200) requireRefusal(answer, 410, 'file_deleted');
}

async function requireGone(started: Started): Promise<void> {
  requireRefusal(await other.get(started.fileId), 410, 'file_deleted');
  requireRefusal(await other.complete(started.fileId), 410, 'file_deleted');
  bodyOf(await other.delete(started.fileId), 200);
  assert.equal(await objectAt(started.provider, keyOf(started)), undefined);
}

/** Recorded and booked, or neither: one without the other would produce a wrong bill. */
async function requireExactFigures(
  before: Parameters<typeof difference>[0],
  anyCompleted: boolean,
): Promise<void> {
  await eventually(async () => {
    const moved = difference(before, await other.usage());
    assert.ok(moved.uploads === 0 || moved.uploads === 1, `${moved.uploads} usage records`);
    if (anyCompleted) assert.equal(moved.uploads, 1, 'a complete that succeeded is recorded');
    assert.deepEqual(moved, {
      uploads: moved.uploads,
      uploadsBooked: moved.uploads,
      routedBytes: moved.uploads * BODY.length,
      bookedBytes: moved.uploads * BODY.length,
    });
  });
}
