import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { createCustomer, eventually, type Answer } from '../../harness/customer.ts';
import { assertInvariants } from '../../harness/invariants.ts';
import { isolatedService } from '../customers.ts';

const URL_SECONDS = 8;
const GRACE_SECONDS = 2;
const DEADLINE_MS = (URL_SECONDS + GRACE_SECONDS) * 1_000;
const ROUNDS = 8;
/** Calls are spread over this time around the deadline. */
const SPREAD_MS = 1_600;

/** Calls that race for one file, and whether its bytes are at the store. */
const RACES: Readonly<Record<string, { calls: ('complete' | 'delete')[]; hasBytes: boolean }>> = {
  'complete / complete / expiry': { calls: ['complete', 'complete'], hasBytes: true },
  'complete / delete / expiry': { calls: ['complete', 'delete'], hasBytes: true },
  'delete / complete / expiry': { calls: ['delete', 'complete'], hasBytes: true },
  'delete / delete / expiry': { calls: ['delete', 'delete'], hasBytes: false },
  'complete without bytes / expiry': { calls: ['complete', 'complete'], hasBytes: false },
};

describe('two API processes, the workflow and the sweep', () => {
  const own = isolatedService({
    apiCount: 2,
    environment: {
      UPLOAD_URL_SECONDS: String(URL_SECONDS),
      UPLOAD_GRACE_SECONDS: String(GRACE_SECONDS),
      DEFAULT_PLAN: 'growth',
    },
  });
  const refused: Answer[] = [];
  const sweep = () => own.temporal.schedule.getHandle('sweep-uploads').trigger('CANCEL_OTHER');

  it('that race for the same files leave every figure exact, and nothing to do', async () => {
    const { stack, service, database } = own;
    const customer = await createCustomer(stack, service.baseUrl);
    const uploads = await Promise.all(
      Object.values(RACES).flatMap(({ calls, hasBytes }) =>
        Array.from({ length: ROUNDS }, async (_, round) => {
          const startedAt = performance.now();
          const upload = hasBytes ? await customer.send() : await customer.init();
          return { upload, calls, hasBytes, startedAt, round };
        }),
      ),
    );
    const over = new AbortController();
    await eventually('the worker has set up its schedules', () =>
      sweep().then(
        () => true,
        () => false,
      ),
    );
    const sweeping = (async () => {
      while (!over.signal.aborted) {
        await sweep();
        await wait(250);
      }
    })();
    await Promise.all(
      uploads.map(async ({ upload, calls, startedAt, round }) => {
        const offset = (round / ROUNDS - 0.5) * SPREAD_MS;
        await wait(Math.max(0, startedAt + DEADLINE_MS + offset - performance.now()));
        const answers = await Promise.all(
          calls.map((name, index) =>
            customer[name](upload.fileId, service.apis[(index + round) % 2]?.url),
          ),
        );
        refused.push(...answers.filter(({ status }) => status >= 500));
      }),
    );
    await eventually('nothing is left to do but late looks', async () => {
      const files = await database.read('files', { accountId: customer.accountId });
      return files.every((file) => file['nextAttemptAt'] === undefined || 'lookAgainAt' in file);
    });
    over.abort();
    await sweeping;
    assert.deepEqual(refused, []);
    const files = await database.read('files', { accountId: customer.accountId });
    const byId = new Map(files.map(({ _id, status }) => [_id, status]));
    for (const { upload, hasBytes } of uploads) {
      const ends = [hasBytes ? 'active' : 'expired', 'deleted'];
      assert.ok(ends.includes(byId.get(upload.fileId) ?? ''), `${byId.get(upload.fileId)}`);
    }
    await assertInvariants({ stack, service });
  });
});
