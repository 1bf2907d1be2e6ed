import assert from 'node:assert/strict';
import { eventually } from './eventually.ts';
import { keyOf, objectAt, putAsTold, type Started } from './store.ts';
import { difference, NOTHING, other, type Usage } from './tenant.ts';
import { bodyOf, requireRefusal, type Answer } from './wire.ts';

const BODY = Buffer.from('hello world');
const ONE_UPLOAD = {
  routedBytes: BODY.length,
  uploads: 1,
  bookedBytes: BODY.length,
  uploadsBooked: 1,
};
const ROUNDS = 16;

/** Waits for a number of event loop turns: a small delay without a clock. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

const many = <T>(count: number, ask: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, ask));

async function waiting(): Promise<Started> {
  const started = await other.start({ fileSizeBytes: BODY.length });
  await putAsTold(started, BODY);
  return started;
}

function requireAllAlike(answers: readonly Answer[]): void {
  for (const answer of answers) bodyOf(answer, 200);
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
}

/** A complete that the delete has overtaken says so, whatever the store answered during the delete. */
function requireEitherEnd(answer: Answer): void {
  if (answer.status !== 200) requireRefusal(answer, 410, 'file_deleted');
}

/** Recorded and booked, or neither: one without the other would produce a wrong bill. */
async function requireExactFigures(before: Usage, anyCompleted: boolean): Promise<void> {
  await eventually(async () => {
    const moved = difference(before, await other.usage());
    const isRecorded = anyCompleted || moved.uploads > 0;
    assert.deepEqual(moved, isRecorded ? ONE_UPLOAD : NOTHING);
  });
}

/**
 * Uses the account for which no other file of the suite uploads: a file left behind in the middle of its delete would
 * keep that account's stores in use.
 */
describe('At once', () => {
  before(() => other.configure('aws', 'r2', 'b2'));

  for (const count of [1, 3]) {
    it(`${count} of each, complete and delete, end deleted at the store with exact usage: ${ROUNDS} times`, async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const before = await other.usage();
        const started = await waiting();
        const late = round % 2 === 0 ? 'delete' : 'complete';
        const ask = (name: 'complete' | 'delete') =>
          many(count, async () => {
            if (name === late) await turns(round * 4);
            return other[name](started.fileId);
          });
        const [completed, deleted] = await Promise.all([ask('complete'), ask('delete')]);
        requireAllAlike(deleted);
        for (const answer of completed) requireEitherEnd(answer);
        requireRefusal(await other.get(started.fileId), 410, 'file_deleted');
        requireRefusal(await other.complete(started.fileId), 410, 'file_deleted');
        bodyOf(await other.delete(started.fileId), 200);
        assert.equal(await objectAt(started.provider, keyOf(started)), undefined);
        const anyCompleted = completed.some(({ status }) => status === 200);
        await requireExactFigures(before, anyCompleted);
      }
    });
  }

  it('a delete and the PUT end deleted, or wait for the late PUT to be swept', async () => {
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

  it('a complete and the PUT end active with one usage record in either order', async () => {
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
      assert.deepEqual(difference(before, await other.usage()), ONE_UPLOAD);
    }
  });
});
