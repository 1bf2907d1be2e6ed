import assert from 'node:assert/strict';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
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
import { everyCall } from '../harness/every-call.ts';
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

  const health = async () => await call(service.baseUrl, 'GET /health');
  const ready = async () => await call(service.baseUrl, 'GET /ready');
  const assertDegraded = async (dependency: 'mongodb' | 'temporal') => {
    const alive = await health();
    assert.equal(alive.status, 200);
    assert.equal(alive.body['status'], 'degraded');
    assert.equal((alive.body['dependencies'] as Record<string, string>)[dependency], 'down');
    assertRefused(await ready(), UNAVAILABLE, 'GET /ready');
  };
  const untilWell = async () =>
    await eventually('it is ready', async () => (await ready()).status === 200);
  /** A repeated complete is answered from the file, which may be ahead of the usage records. */
  const untilRecorded = async (fileId: string) =>
    await eventually(
      'the usage is recorded once',
      async () => (await database.read('usage', { _id: fileId })).length === 1,
    );
  const until = async (what: string, status: number, ask: () => Promise<Answer>) =>
    await eventually(what, async () => (await ask()).status === status);

  for (const [how, begin, end] of [
    ['gone', () => stack.temporal?.kill('SIGKILL'), () => stack.temporal?.restart()],
    ['hung', () => stack.temporal?.pause(), () => stack.temporal?.resume()],
  ] as const) {
    it(`of Temporal, ${how}, and of the workers refuses inits in time, books nothing, and affects no other call`, async () => {
      const [worker] = service.workers;
      const [waiting, toDelete, completed] = [
        await customer.send(),
        await customer.init(),
        await customer.send(),
      ];
      assert.equal((await customer.complete(completed.fileId)).status, 200);
      const booked = await customer.uploadsBooked();
      await worker?.kill('SIGKILL');
      await begin();
      try {
        for (const refused of await Promise.all([customer.announce(), customer.announce()]))
          assertRefused(refused, UNAVAILABLE, 'init');
        await assertDegraded('temporal');
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
        await end();
        await worker?.restart();
      }
      await untilWell();
      await untilRecorded(waiting.fileId);
      assert.equal(await customer.uploadsBooked(), booked - 1);
      assert.equal((await customer.announce()).status, 201);
    });

    it(`of Temporal, ${how}, and of the store is outlived by a delete that nobody repeats`, async () => {
      const { fileId } = await customer.send({ priority: 'hot' });
      assert.equal((await customer.complete(fileId)).status, 200);
      await begin();
      await stack.r2?.pause();
      let deleted: Answer;
      try {
        deleted = await customer.delete(fileId);
      } finally {
        stack.r2?.resume();
        await end();
      }
      assert.deepEqual([deleted.status, deleted.body], [202, { fileId, status: 'deleting' }]);
      assert.ok(deleted.ms < IN_TIME_MS, `it took ${deleted.ms} ms`);
      await untilWell();
      const isDeleted = async () =>
        (await database.read('files', { _id: fileId, status: 'deleted' })).length === 1;
      await eventually('the file is deleted', isDeleted);
    });
  }

  it('affects every endpoint with authentication', async () => {
    const { body } = await call(service.baseUrl, 'GET /openapi.json');
    const described = Object.values(body['paths'] as Record<string, Record<string, unknown>>)
      .flatMap((methods) => Object.values(methods) as { security?: unknown[] }[])
      .filter(({ security }) => (security ?? []).length > 0);
    assert.equal(everyCall(customer, '').length, described.length);
  });

  for (const [how, begin, end] of [
    ['gone', () => stack.mongodb?.kill('SIGKILL'), () => stack.mongodb?.restart()],
    ['hung', () => stack.mongodb?.pause(), () => stack.mongodb?.resume()],
  ] as const) {
    it(`of MongoDB, ${how}, makes every endpoint unavailable in time, and passes`, async () => {
      const { fileId } = await customer.send();
      const booked = await customer.uploadsBooked();
      await begin();
      try {
        for (let round = 0; round < 2; round += 1) {
          const answers = await Promise.all(
            everyCall(customer, fileId).map(async ([name, ask]) => [name, await ask()] as const),
          );
          for (const [name, answer] of answers) {
            assertRefused(answer, UNAVAILABLE, name);
          }
        }
        await assertDegraded('mongodb');
      } finally {
        await end();
      }
      await untilWell();
      await until('the key works again', 200, () => customer.call('GET /v1/me'));
      assert.equal(await customer.uploadsBooked(), booked);
      await until('the upload is completed', 200, () => customer.complete(fileId));
      await untilRecorded(fileId);
    });
  }

  for (const [name, priority, begin, end] of [
    ['that takes requests and never answers', 'cold', hangCloud, wakeCloud],
    ['that stands still', 'hot', () => stack.r2?.pause(), () => stack.r2?.resume()],
  ] as const) {
    it(`of a store ${name} is reported as the store’s, and a delete is finished later`, async () => {
      const who = await createCustomer(stack, service.baseUrl, [
        priority === 'cold' ? 'aws' : 'r2',
      ]);
      const upload = await who.send({ priority });
      const toDelete = await who.send({ priority });
      assert.equal((await who.complete(toDelete.fileId)).status, 200);
      await begin();
      try {
        const [completed, deleted] = await Promise.all([
          who.complete(upload.fileId),
          who.delete(toDelete.fileId),
        ]);
        const refusal = { status: 502, code: 'provider_error' };
        assertRefused(completed, refusal, 'complete');
        assert.deepEqual(
          [deleted.status, deleted.body],
          [202, { fileId: toDelete.fileId, status: 'deleting' }],
        );
        assert.ok(deleted.ms < IN_TIME_MS, `the delete took ${deleted.ms} ms`);
        assert.equal((await who.get(toDelete.fileId)).status, 410);
        assert.equal((await who.delete(toDelete.fileId)).status, 202);
      } finally {
        end();
      }
      // No further call: the stored status itself must change.
      const isDeleted = async () =>
        (await database.read('files', { _id: toDelete.fileId, status: 'deleted' })).length === 1;
      await eventually('the file is deleted', isDeleted);
      assert.equal((await who.delete(toDelete.fileId)).status, 200);
      assert.equal((await who.complete(upload.fileId)).status, 200);
    });
  }

  it('of a store that never answers, beside a slow database, ends in time for those who wait', async () => {
    const proxy = await openMongoProxy(stack.environment['MONGODB_URI'] ?? '');
    const api = await service.addApi({ MONGODB_URI: proxy.uri });
    const who = await createCustomer(stack, service.baseUrl, ['aws']);
    const { fileId } = await who.send({ priority: 'cold' });
    await hangCloud();
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
      wakeCloud();
      await api.stop();
      await proxy.close();
    }
  });

  async function hangCloud(): Promise<void> {
    stack.cloud?.double.addFault({ effect: 'hang', service: 's3' });
  }
  function wakeCloud(): void {
    stack.cloud?.double.clearFaults();
  }

  describe('of the identity provider', () => {
    let silent: Server;
    const held = new Set<Socket>();
    before(async () => {
      silent = createServer((socket) => void held.add(socket)).listen(0, '127.0.0.1');
      await once(silent, 'listening');
    });
    after(() => {
      for (const socket of held) socket.destroy();
      silent.close();
    });

    it('keeps valid tokens valid, and answers a token with an unknown key with 503', async () => {
      const { identity } = stack;
      assert.ok(identity);
      const later = identity.issueToken({ account: 'new-account', algorithm: 'RS256' });
      await identity.close();
      assert.equal((await customer.manage('GET /v1/providers')).status, 200);
      const asLater = { bearer: later };
      assert.equal((await call(service.baseUrl, 'GET /v1/providers', asLater)).status, 200);
      const bearer = withUnknownKey(customer.token);
      const ask = async () => await call(service.baseUrl, 'GET /v1/providers', { bearer });
      assertRefused(await ask(), UNAVAILABLE);
      assertRefused(await ask(), UNAVAILABLE);
      assert.equal((await customer.call('GET /v1/me')).status, 200);
      assert.equal((await customer.manage('GET /v1/providers')).status, 200);
    });

    for (const [how, urlOf] of [
      ['silent', () => `http://127.0.0.1:${(silent.address() as AddressInfo).port}/jwks`],
      ['not there', () => stack.identity?.jwksUrl ?? ''],
    ] as const) {
      it(`that is ${how} from the start makes tokens unavailable and leaves keys alone`, async () => {
        const api = await service.addApi({ JWT_JWKS_URL: urlOf() });
        const { token: bearer, apiKey } = customer;
        const ask = async () => await call(api.url, 'GET /v1/providers', { bearer });
        const answers = [...(await Promise.all([ask(), ask(), ask()])), await ask()];
        for (const answer of answers) assertRefused(answer, UNAVAILABLE);
        assert.equal((await call(api.url, 'GET /v1/me', { bearer: apiKey })).status, 200);
        await api.stop();
      });
    }
  });

  it('leaves every invariant intact', async () => {
    await assertInvariants({ stack, service });
  });
});

/** The same token as if it were signed with a key that was added a moment ago. */
function withUnknownKey(token: string): string {
  const [header = '', ...rest] = token.split('.');
  const fields = JSON.parse(Buffer.from(header, 'base64url').toString()) as object;
  const changed = JSON.stringify({ ...fields, kid: 'added-a-moment-ago' });
  return [Buffer.from(changed).toString('base64url'), ...rest].join('.');
}
