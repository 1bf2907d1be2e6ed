import assert from 'node:assert/strict';
import type { Service } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import { createCustomer, eventually, openDatabase, type Customer } from '../harness/customer.ts';
import { openHungServer, type HungServer } from '../harness/hung-server.ts';
import { assertInvariants } from '../harness/invariants.ts';
import { maxUnanswered } from '../../worker/tuning.ts';
import { startIsolatedService } from '../servers.ts';

/** More than the slots of a worker. */
const HUNG_FILES = 80;
const CALLERS = 40;
/** The other account's delete: some calls to a store that answers. */
const SOON_MS = 5_000;
/** The API and the first attempt of the workflow; the third is the activity's. */
const REFUSED_CALLS = 2;

describe('a store that accepts connections and never answers', () => {
  let stack: Stack;
  let service: Service;
  let hung: HungServer;
  let suffering: Customer;
  let other: Customer;
  let database: Awaited<ReturnType<typeof openDatabase>>;

  before(async () => {
    hung = await openHungServer();
    const environment = { DEFAULT_PLAN: 'growth', PROVIDER_ENDPOINT_B2: hung.url };
    ({ stack, service } = await startIsolatedService({ environment, workerCount: 0 }));
    suffering = await createCustomer(stack, service.baseUrl, ['b2']);
    other = await createCustomer(stack, service.baseUrl, ['aws']);
    database = await openDatabase(stack);
  });
  after(async () => {
    await database?.close();
    await service?.stop();
    hung?.close();
  });

  it('does not keep another account waiting for a worker', async () => {
    const { fileId } = await other.send();
    assert.equal((await other.complete(fileId)).status, 200);
    await deleteAll(suffering);
    await eventually('only the worker will wait for it', async () => hung.connections() === 0);
    await service.addWorker({ WORKER_QUEUES: 'uploads' });
    const most = maxUnanswered('uploads');
    await eventually('all that may wait for it does', async () => hung.connections() === most);

    const double = stack.cloud?.double ?? assert.fail();
    const deletes = { operation: 'DeleteObject', key: `*${fileId}*` };
    double.addFault({ effect: 'slow_down', ...deletes, times: REFUSED_CALLS });
    const startedAt = performance.now();
    assert.equal((await other.delete(fileId)).status, 202);
    const isDeleted = async () => (await statusOf(fileId)) === 'deleted';
    await eventually('the delete is done', isDeleted);
    const ms = Math.round(performance.now() - startedAt);
    assert.ok(ms < SOON_MS, `the delete took ${ms} ms`);
  });

  it('holds at most a quarter of the slots', () => {
    assert.ok(hung.most() <= maxUnanswered('uploads'), `${hung.most()} connections`);
  });

  it('keeps its own files deleting, and none fails', async () => {
    const files = await database.read('files', { accountId: suffering.accountId });
    assert.equal(files.length, HUNG_FILES);
    assert.deepEqual(
      files.filter(({ status, error }) => status !== 'deleting' || error !== undefined),
      [],
    );
  });

  const statusOf = async (fileId: string) =>
    (await database.read('files', { _id: fileId }))[0]?.status;

  /** Files whose deletes the API has handed to the worker. */
  async function deleteAll(customer: Customer): Promise<void> {
    let left = HUNG_FILES;
    const one = async () => {
      while (left > 0) {
        left -= 1;
        const upload = await customer.init();
        assert.equal((await customer.delete(upload.fileId)).status, 202);
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, one));
  }

  it('leaves every invariant intact', async () => {
    // The store of this account stays silent, so its deletes are never done.
    await assertInvariants({ stack, service, leftOut: [suffering.accountId] });
  });
});
