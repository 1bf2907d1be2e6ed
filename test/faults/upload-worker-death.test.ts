import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { startService, type Service, type ServiceProcess } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import { createClient, StorageRoutingError } from '../../sdk/src/index.ts';
import { createCustomer, eventually, openDatabase } from '../harness/customer.ts';
import type { Customer, StoredDocument } from '../harness/customer.ts';
import { openMongoProxy, type MongoProxy } from '../harness/mongo-proxy.ts';
import { startOwnStack } from '../servers.ts';

const KILLS = 10;
const UPLOADS = 30;
/** The reconciliation leaves alone what was released within the last half minute. */
const IN_FLIGHT_MS = 31_000;

describe('the death of a worker', () => {
  let stack: Stack;
  let service: Service;
  let worker: ServiceProcess;
  let line: MongoProxy;
  let database: Awaited<ReturnType<typeof openDatabase>>;
  /** Files whose usage record a dead worker did not write. */
  const owed: string[] = [];

  before(async () => {
    stack = await startOwnStack();
    line = await openMongoProxy(stack.environment['MONGODB_URI'] ?? '');
    service = await startService(stack, { workerCount: 0 });
    worker = await service.addWorker({ MONGODB_URI: line.uri, WORKER_QUEUES: 'uploads' });
    database = await openDatabase(stack);
  });
  after(async () => {
    await database?.close();
    await service?.stop();
    await line?.close();
    await stack?.stop();
  });

  const statusOf = async (fileId: string) =>
    (await database.read('files', { _id: fileId }))[0]?.status;
  const recordsOf = async (fileId: string) =>
    (await database.read('usage', { _id: fileId })).length;

  for (const [how, manner] of [
    ['before it could tell anyone', 'swallowInsertInto'],
    ['after its write had failed', 'cutAtInsertInto'],
  ] as const) {
    it(`between activation and usage record, ${how}, keeps the file active and the answer the same`, async () => {
      const customer = await createCustomer(stack, service.baseUrl);
      const { fileId } = await customer.send();
      const reached = line[manner]('usage');
      const first = customer.complete(fileId);
      await reached;
      assert.equal(await statusOf(fileId), 'active');
      assert.equal(await recordsOf(fileId), 0);
      if (manner === 'cutAtInsertInto') assert.equal((await first).status, 503);
      await worker.kill('SIGKILL');
      line.mend();
      await worker.restart();
      await first;

      const repeated = await Promise.all(
        Array.from({ length: 5 }, () => customer.complete(fileId)),
      );
      for (const { status, text } of repeated) {
        assert.equal(status, 200, text);
        assert.equal(text, repeated[0]?.text);
      }
      assert.equal((await customer.get(fileId)).body['status'], 'active');
      assert.equal(await customer.uploadsBooked(), 1);
      owed.push(fileId);
    });
  }

  it('between the write of a delete and its history leaves it to the next call', async () => {
    const customer = await createCustomer(stack, service.baseUrl);
    const { fileId } = await customer.send();
    // The write is stored, and the workflow still sleeps.
    const left = { status: 'deleting', deletePending: new Date() };
    await database.db
      .collection<StoredDocument>('files')
      .updateOne({ _id: fileId }, { $set: left });
    const deleted = await customer.delete(fileId);
    assert.equal(deleted.status, 200, deleted.text);
  });

  it(`${KILLS} times while ${UPLOADS} uploads are completed and deleted leaves nothing half done`, async () => {
    const customer = await createCustomer(stack, service.baseUrl);
    const { apiKey, baseUrl } = customer;
    const client = createClient({ baseUrl, apiKey, maxRetries: 10, timeoutMs: 15_000 });
    const first = await customer.send();
    const others = Array.from({ length: UPLOADS - 1 }, () => customer.send());
    const uploads = [first, ...(await Promise.all(others))];
    let done = 0;
    const insist = async (attempt: () => Promise<unknown>) => {
      const untilDone = async () => await attempt().then(() => true, isFinal);
      await eventually('a call succeeds', untilDone);
      done += 1;
    };
    const lives = uploads.map(async ({ fileId }, index) => {
      const complete = async () => await insist(() => client.complete(fileId));
      const remove = async () => await insist(() => client.deleteFile(fileId));
      // A third only completes, a third is deleted afterwards, a third has both at once.
      await (index % 3 === 2 ? Promise.all([complete(), remove()]) : complete());
      if (index % 3 === 1) await remove();
    });
    let isOver = false;
    const all = Promise.all(lives).finally(() => (isOver = true));
    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = done;
      const oneMore = async () => done > before || isOver;
      await eventually('something moves on', oneMore);
      await worker.kill('SIGKILL');
      await worker.restart();
    }
    await all;
    await assertConsistent(
      customer,
      uploads.map(({ fileId }) => fileId),
    );
  });

  // spec: state.pending-active-usage
  it('costs no record, and makes no second one', async () => {
    assert.equal(owed.length, 2);
    for (const fileId of owed) {
      const isRecorded = async () => (await recordsOf(fileId)) === 1;
      await eventually('the usage is recorded', isRecorded);
    }
  });

  /** A call is over when it succeeded, or when it was refused for what a rival call did. */
  function isFinal(error: unknown): boolean {
    return error instanceof StorageRoutingError && error.code === 'file_deleted';
  }

  /** Never too low. What a kill left between a delete's write and its release is subtracted later. */
  async function assertBooked(customer: Customer, count: number): Promise<void> {
    const booked = await customer.uploadsBooked();
    assert.ok(booked >= count, `${booked} of ${count}`);
    if (booked === count) return;
    await wait(IN_FLIGHT_MS);
    const address = stack.environment['TEMPORAL_ADDRESS'];
    const connection = await Connection.connect({ ...(address && { address }) });
    await new Client({ connection }).schedule.getHandle('reconcile-quota').trigger();
    await connection.close();
    const isExact = async () => (await customer.uploadsBooked()) === count;
    await eventually('the quota is exact', isExact);
  }

  async function assertConsistent(customer: Customer, ids: string[]): Promise<void> {
    const { accountId } = customer;
    const isSettled = async () =>
      (await database.read('files', { accountId, status: { $in: ['pending', 'deleting'] } }))
        .length === 0;
    await eventually('every file is active or deleted', isSettled);
    const files = await database.read('files', { accountId });
    assert.deepEqual(files.map(({ _id }) => _id).sort(), [...ids].sort());
    const activated = files.filter(({ completedAt }) => completedAt !== undefined);
    const isRecorded = async () =>
      (await database.read('usage', { accountId })).length >= activated.length;
    await eventually('every activation has a usage record', isRecorded);
    const usage = await database.read('usage', { accountId });
    assert.deepEqual(usage.map(({ _id }) => _id).sort(), activated.map(({ _id }) => _id).sort());
    await assertBooked(customer, activated.length);

    const statusById = new Map(files.map(({ _id, status }) => [_id, status]));
    const expected = ids.map((_, index) => (index % 3 === 0 ? 'active' : 'deleted'));
    assert.deepEqual(
      ids.map((id) => statusById.get(id)),
      expected,
    );
    const answers = await Promise.all(ids.map((id) => customer.complete(id)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      expected.map((status) => (status === 'active' ? 200 : 410)),
    );
  }
});
