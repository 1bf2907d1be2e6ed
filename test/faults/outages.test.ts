import assert from 'node:assert/strict';
import { startService, type Service } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import {
  assertRefused,
  call,
  createCustomer,
  eventually,
  IN_TIME_MS,
  openDatabase,
  type Answer,
  type Customer,
  type Upload,
} from '../harness/customer.ts';
import { assertInvariants } from '../harness/invariants.ts';
import { openMongoProxy } from '../harness/mongo-proxy.ts';
import { startOwnStack } from '../servers.ts';

/** A database that takes so long for each answer. */
const SLOW_MS = 2_000;
const LONG_IN_TIME_MS = 15_500;
const UNAVAILABLE = { status: 503, code: 'unavailable' };

describe('an outage', () => {
  let stack: Stack;
  let service: Service;
  let customer: Customer;
  let database: Awaited<ReturnType<typeof openDatabase>>;
  let active: Upload;

  before(async () => {
    stack = await startOwnStack({ persistent: true });
    service = await startService(stack, { environment: { DEFAULT_PLAN: 'growth' } });
    database = await openDatabase(stack);
    customer = await createCustomer(stack, service.baseUrl, ['aws', 'r2']);
    active = await customer.send();
    assert.equal((await customer.complete(active.fileId)).status, 200);
  });
  beforeEach(async () => await untilWell());
  after(async () => {
    await database?.close();
    await service?.stop();
    await stack?.stop();
  });

  const untilWell = async () =>
    await eventually('it is ready', async () => {
      return (await call(service.baseUrl, 'GET /ready')).status === 200;
    });

  it('of Temporal and of the workers refuses inits in time, books nothing, and affects no other call', async () => {
    const [worker] = service.workers;
    const [waiting, toDelete, completed] = [
      await customer.send(),
      await customer.init(),
      await customer.send(),
    ];
    assert.equal((await customer.complete(completed.fileId)).status, 200);
    const booked = await customer.uploadsBooked();
    await worker?.kill('SIGKILL');
    await stack.temporal?.kill('SIGKILL');
    try {
      for (const refused of await Promise.all([customer.announce(), customer.announce()]))
        assertRefused(refused, UNAVAILABLE, 'init');
      const answers = await Promise.all([
        customer.complete(waiting.fileId),
        customer.complete(active.fileId),
        customer.get(active.fileId),
        customer.delete(toDelete.fileId),
        customer.delete(completed.fileId),
        customer.call('GET /v1/me'),
      ]);
      for (const { status, text, ms } of answers) {
        assert.equal(status, 200, text);
        assert.ok(ms < IN_TIME_MS, `it took ${ms} ms`);
      }
      assert.equal((await customer.get(waiting.fileId)).body['status'], 'active');
      assert.equal(await customer.uploadsBooked(), booked - 1, 'a pending file was deleted');
    } finally {
      await stack.temporal?.restart();
      await worker?.restart();
    }
    await untilWell();
    // A repeated complete is answered from the file, which may be ahead of the usage records.
    await eventually('the usage is recorded once', async () => {
      return (await database.read('usage', { _id: waiting.fileId })).length === 1;
    });
    assert.equal(await customer.uploadsBooked(), booked - 1);
    assert.equal((await customer.announce()).status, 201);
  });

  it('of Temporal, which hangs, and of the store is outlived by a delete that nobody repeats', async () => {
    const { fileId } = await customer.send({ priority: 'hot' });
    assert.equal((await customer.complete(fileId)).status, 200);
    await stack.temporal?.pause();
    await stack.r2?.pause();
    let deleted: Answer;
    try {
      deleted = await customer.delete(fileId);
    } finally {
      stack.r2?.resume();
      stack.temporal?.resume();
    }
    assert.deepEqual([deleted.status, deleted.body], [202, { fileId, status: 'deleting' }]);
    assert.ok(deleted.ms < IN_TIME_MS, `it took ${deleted.ms} ms`);
    await untilWell();
    const isDeleted = async () =>
      (await database.read('files', { _id: fileId, status: 'deleted' })).length === 1;
    await eventually('the file is deleted', isDeleted);
  });

  it('of a store that never answers, beside a slow database, ends in time for those who wait', async () => {
    const proxy = await openMongoProxy(stack.environment['MONGODB_URI'] ?? '');
    const api = await service.addApi({ MONGODB_URI: proxy.uri });
    const who = await createCustomer(stack, service.baseUrl, ['aws']);
    const { fileId } = await who.send({ priority: 'cold' });
    stack.cloud?.double.addFault({ effect: 'hang', service: 's3' });
    proxy.slowDown(SLOW_MS);
    try {
      const asked = { provider: 'aws', origin: 'https://app.example' };
      const [tested, completed] = await Promise.all([
        who.manage('POST /v1/providers/test', asked, api.url),
        who.complete(fileId, api.url),
      ]);
      assert.deepEqual([tested.status, tested.body['ok']], [200, false], tested.text);
      assert.deepEqual([completed.status, completed.body['code']], [502, 'provider_error']);
      for (const { ms } of [tested, completed]) assert.ok(ms < LONG_IN_TIME_MS, `it took ${ms} ms`);
    } finally {
      stack.cloud?.double.clearFaults();
      await api.stop();
      await proxy.close();
    }
  });

  it('of the identity provider keeps valid tokens valid', async () => {
    const { identity } = stack;
    assert.ok(identity);
    const later = identity.issueToken({ account: 'new-account', algorithm: 'RS256' });
    await identity.close();
    const ask = (bearer: string) => call(service.baseUrl, 'GET /v1/providers', { bearer });
    assert.equal((await ask(customer.token)).status, 200);
    assert.equal((await ask(later)).status, 200);
  });

  it('leaves every invariant intact', async () => {
    await assertInvariants({ stack, service });
  });
});
