import assert from 'node:assert/strict';
import { keyOf, objectAt, putAsTold } from './store.ts';
import { difference, other, type Started } from './tenant.ts';
import { bodyOf } from './wire.ts';

const BODY = Buffer.from('hello world');
const ROUNDS = 2;

async function active(): Promise<Started> {
  const started = await other.start({ fileSizeBytes: BODY.length });
  await putAsTold(started, BODY);
  await other.completed(started.fileId);
  return started;
}

/** Uses the other account, for the reason given in `races.test.ts`. */
describe('Deletes at once', () => {
  before(() => other.configure('aws', 'r2', 'b2'));

  for (const times of [10, 30]) {
    it(`of one active file all give the same answer: ${times} of them`, async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const started = await active();
        const before = await other.usage();
        await requireAllAlike(started, times);
        assert.equal(await objectAt(started.provider, keyOf(started)), undefined);
        assert.deepEqual(await other.usage(), before);
      }
    });

    it(`of one pending file release its reservation once: ${times} of them`, async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const before = await other.usage();
        const started = await other.start({ fileSizeBytes: 1_000_000 });
        await requireAllAlike(started, times);
        const moved = difference(before, await other.usage());
        assert.deepEqual(new Set(Object.values(moved)), new Set([0]));
      }
    });
  }

  it('of many files all succeed', async () => {
    const files = await Promise.all(Array.from({ length: 20 }, active));
    const answers = await Promise.all(files.map(({ fileId }) => other.delete(fileId)));
    for (const answer of answers) bodyOf(answer, 200);
  });
});

async function requireAllAlike({ fileId }: Started, times: number): Promise<void> {
  const answers = await Promise.all(Array.from({ length: times }, () => other.delete(fileId)));
  const statuses = answers.map(({ status }) => status);
  assert.deepEqual(new Set(statuses), new Set([200]), `answered with ${statuses.join(' ')}`);
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
}
