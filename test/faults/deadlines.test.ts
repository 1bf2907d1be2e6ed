import assert from 'node:assert/strict';
import { startService, type Service } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import {
  createCustomer,
  eventually,
  openDatabase,
  type Answer,
  type Customer,
} from '../harness/customer.ts';
import { everyCall } from '../harness/every-call.ts';
import { assertInvariants } from '../harness/invariants.ts';
import { openMongoProxy, type MongoProxy } from '../harness/mongo-proxy.ts';
import { startOwnStack } from '../servers.ts';

const ADDED_MS = 2_000;
const IN_TIME_MS = 5_500;
const LONG_IN_TIME_MS = 15_500;
/** Calls that wait for a store, a role or a payment page, and one that reads a whole result. */
const MAY_TAKE_LONG = new Set([
  'complete',
  'part list',
  'delete',
  'test',
  'connect',
  'checkout',
  'portal',
  'report',
]);
/** They replace the key that other calls use. */
const REPLACE_THE_KEY = new Set(['regenerate', 'rotate']);

describe('the deadline of a call', () => {
  let stack: Stack;
  let service: Service;
  let proxy: MongoProxy;
  let customer: Customer;
  let database: Awaited<ReturnType<typeof openDatabase>>;

  before(async () => {
    stack = await startOwnStack();
    proxy = await openMongoProxy(stack.environment['MONGODB_URI'] ?? '');
    const environment = { MONGODB_URI: proxy.uri, DEFAULT_PLAN: 'growth' };
    service = await startService(stack, { environment, workerCount: 0 });
    customer = await createCustomer(stack, service.baseUrl, ['aws', 'r2']);
    database = await openDatabase(stack);
  });
  beforeEach(() => proxy.slowDown(0));
  after(async () => {
    await database?.close();
    await service?.stop();
    await proxy?.close();
    await stack?.stop();
  });

  it('holds for every endpoint while the database takes two seconds for each answer', async () => {
    const { fileId } = await customer.send();
    const calls = everyCall(customer, fileId);
    proxy.slowDown(ADDED_MS);
    const ask = async (these: typeof calls) =>
      await Promise.all(these.map(async ([name, call]) => [name, await call()] as const));
    const answers = [
      ...(await ask(calls.filter(([name]) => !REPLACE_THE_KEY.has(name)))),
      ...(await ask(calls.filter(([name]) => REPLACE_THE_KEY.has(name)))),
    ];
    const wrong = answers.filter(([name, answer]) => !isInTime(name, answer)).map(describeAnswer);
    assert.deepEqual(wrong, []);
    const init = answers.find(([name]) => name === 'init')?.[1];
    assert.deepEqual([init?.status, init?.body['code']], [503, 'unavailable']);
  });

  it('of an init leaves no file and nothing booked', async () => {
    const who = await createCustomer(stack, service.baseUrl);
    proxy.slowDown(ADDED_MS);
    const refused = await who.announce();
    assert.deepEqual([refused.status, refused.body['code']], [503, 'unavailable']);
    assert.ok(refused.ms < IN_TIME_MS, `${refused.ms} ms`);
    proxy.slowDown(0);
    const files = async () => await database.read('files', { accountId: who.accountId });
    await eventually('the booking is released', async () => (await files()).length > 0);
    assert.deepEqual(
      (await files()).map(({ tombstone }) => tombstone),
      [true],
    );
    await eventually('nothing is booked', async () => (await who.uploadsBooked()) === 0);
  });

  it('holds where a store hangs as well', async () => {
    const who = await createCustomer(stack, service.baseUrl, ['aws']);
    const { fileId } = await who.send({ priority: 'cold' });
    stack.cloud?.double.addFault({ effect: 'hang', service: 's3' });
    proxy.slowDown(ADDED_MS);
    try {
      const origin = 'https://app.example';
      const [tested, completed] = await Promise.all([
        who.manage('POST /v1/providers/test', { provider: 'aws', origin }),
        who.complete(fileId),
      ]);
      assert.equal(tested.status, 200, tested.text);
      assert.equal(tested.body['ok'], false);
      assert.ok(tested.ms < LONG_IN_TIME_MS, `the test took ${tested.ms} ms`);
      assert.deepEqual([completed.status, completed.body['code']], [502, 'provider_error']);
      assert.ok(completed.ms < LONG_IN_TIME_MS, `the complete took ${completed.ms} ms`);
    } finally {
      stack.cloud?.double.clearFaults();
    }
  });

  it('leaves every invariant intact', async () => {
    // The calls before ran without a worker, and what they left is due.
    await service.addWorker();
    await assertInvariants({ stack, service });
  });
});

function isInTime(name: string, { status, body, ms }: Answer): boolean {
  const bound = MAY_TAKE_LONG.has(name) ? LONG_IN_TIME_MS : IN_TIME_MS;
  const isRight =
    status < 500 || ['unavailable', 'billing_not_configured'].includes(String(body['code']));
  return isRight && ms < bound;
}

function describeAnswer([name, { status, text, ms }]: readonly [string, Answer]): string {
  return `${name}: ${status} after ${Math.round(ms)} ms ${text.slice(0, 100)}`;
}
