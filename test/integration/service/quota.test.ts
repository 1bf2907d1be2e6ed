import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { Long } from 'mongodb';
import type { Service } from '../../../dev/service.ts';
import { startIsolatedService } from '../../servers.ts';
import {
  createCustomer,
  eventually,
  openDatabase,
  type Answer,
  type Customer,
} from '../../harness/customer.ts';
import { openTemporalClient } from '../../harness/temporal.ts';

const UPLOADS_OF_FREE = 1_000;
const BYTES_OF_FREE = 10e9;

describe('the quota of an account', () => {
  let service: Service;
  let database: Awaited<ReturnType<typeof openDatabase>>;
  let temporal: Client;
  let urls: string[];
  let newCustomer: (providers?: readonly ('aws' | 'r2' | 'b2')[]) => Promise<Customer>;

  before(async () => {
    const environment = { DEFAULT_PLAN: 'free' };
    const isolated = await startIsolatedService({ environment, apiCount: 2 });
    const { stack } = isolated;
    ({ service } = isolated);
    urls = service.apis.map(({ url }) => url);
    database = await openDatabase(stack);
    temporal = await openTemporalClient(stack);
    newCustomer = async (providers) => await createCustomer(stack, service.baseUrl, providers);
  });
  after(async () => {
    await temporal?.connection.close();
    await database?.close();
    await service?.stop();
  });

  const periodOf = async (customer: Customer) => {
    const { body } = await customer.call('GET /v1/me');
    return (body['usage'] as { period: string }).period;
  };
  const seed = async (customer: Customer, booked: { bytes: number; uploads: number }) => {
    const { accountId } = customer;
    const month = await periodOf(customer);
    await database.db.collection<{ _id: string; [field: string]: unknown }>('quota').insertOne({
      _id: `${month}/${accountId}`,
      accountId,
      month,
      bytes: Long.fromNumber(booked.bytes),
      uploads: Long.fromNumber(booked.uploads),
    });
  };
  const announceMany = async (customer: Customer, count: number, sizeBytes: number) =>
    await Promise.all(
      Array.from({ length: count }, (_, index) =>
        customer.announce({ sizeBytes }, urls[index % urls.length]),
      ),
    );
  const countByStatus = (answers: readonly Answer[]) =>
    Object.fromEntries(
      [201, 402].flatMap((expected) => {
        const count = answers.filter(({ status }) => status === expected).length;
        return count === 0 ? [] : [[expected, count] as const];
      }),
    );
  const workflowsOf = async ({ accountId }: Customer) =>
    (await temporal.workflow.count(`AccountId = '${accountId}'`)).count;
  /** Waits until the visibility store lists a workflow that was started last. */
  const untilListed = async () => {
    const barrier = await newCustomer();
    await barrier.init();
    await eventually('a later workflow is listed', async () => (await workflowsOf(barrier)) === 1);
  };

  // spec: plans.entitlements
  it('lets 50 of 200 parallel inits pass where 50 uploads are left', async () => {
    const customer = await newCustomer();
    await seed(customer, { bytes: 0, uploads: UPLOADS_OF_FREE - 50 });
    const answers = await announceMany(customer, 200, 8);
    assert.deepEqual(countByStatus(answers), { 201: 50, 402: 150 });
    for (const { status, body } of answers) {
      if (status === 402) assert.equal(body['code'], 'plan_limit');
    }
    const { body } = await customer.call('GET /v1/me');
    const usage = body['usage'] as Record<string, unknown>;
    assert.equal(usage['uploadsBooked'], UPLOADS_OF_FREE);
    assert.equal(usage['uploadQuota'], UPLOADS_OF_FREE);
    assert.equal(usage['gbBooked'], (50 * 8) / 1e9);
    const { accountId } = customer;
    assert.equal((await database.read('files', { accountId })).length, 50);
    await untilListed();
    assert.equal(await workflowsOf(customer), 50, 'a refused init started a workflow');
  });

  // spec: errors.plan-limit
  it('lets 5 of 60 parallel inits pass where the bytes of 5 are left, to the last byte', async () => {
    const customer = await newCustomer();
    const sizeBytes = 1_000_001;
    await seed(customer, { bytes: BYTES_OF_FREE - 5 * sizeBytes, uploads: 0 });
    const answers = await announceMany(customer, 60, sizeBytes);
    assert.deepEqual(countByStatus(answers), { 201: 5, 402: 55 });
    const { body } = await customer.call('GET /v1/me');
    const usage = body['usage'] as Record<string, unknown>;
    assert.equal(usage['gbBooked'], 10);
    assert.equal(usage['uploadsBooked'], 5);
    assert.equal((await customer.announce({ sizeBytes: 0 })).status, 201, 'no byte more is needed');
    assert.equal((await customer.announce({ sizeBytes: 1 })).status, 402);
  });

  it('counts no init twice where the counter itself is made by 40 at once', async () => {
    const customer = await newCustomer();
    const answers = await announceMany(customer, 40, 8);
    assert.deepEqual(countByStatus(answers), { 201: 40 });
    assert.equal(await customer.uploadsBooked(), 40);
  });

  it('gets back what a pending file held exactly once, however often and wherever it is deleted', async () => {
    const customer = await newCustomer();
    const first = await customer.init();
    const others = await Promise.all(Array.from({ length: 11 }, () => customer.init()));
    const files = [first, ...others];
    assert.equal(await customer.uploadsBooked(), 12);
    const deleted = files.slice(0, 10);
    const answers = await Promise.all(
      deleted.flatMap(({ fileId }) =>
        Array.from({ length: 4 }, (_, index) => customer.delete(fileId, urls[index % 2])),
      ),
    );
    for (const { status, text } of answers) assert.ok(status === 200 || status === 202, text);
    assert.equal(await customer.uploadsBooked(), 2);
    await Promise.all(deleted.map(({ fileId }) => customer.delete(fileId)));
    assert.equal(await customer.uploadsBooked(), 2);
  });

  it('keeps what an active file was booked with when the file is deleted', async () => {
    const customer = await newCustomer();
    const { fileId } = await customer.send();
    assert.equal((await customer.complete(fileId)).status, 200);
    const answers = await Promise.all(urls.map((url) => customer.delete(fileId, url)));
    for (const { status, text } of answers) assert.ok(status === 200 || status === 202, text);
    assert.equal(await customer.uploadsBooked(), 1);
  });

  // spec: errors.plan-limit
  it('books nothing for an init that is refused, and starts no workflow', async () => {
    const customer = await newCustomer(['r2']);
    const withoutStore = await newCustomer([]);
    const used = await newCustomer();
    await seed(used, { bytes: 17, uploads: UPLOADS_OF_FREE });
    const name = randomUUID();
    const body = { fileName: name, contentType: 'text/plain', fileSizeBytes: 8 };
    const refusals: [Customer, unknown, number, string][] = [
      [customer, { ...body, fileSizeBytes: -1 }, 400, 'invalid_request'],
      [customer, { ...body, unknown: 1 }, 400, 'invalid_request'],
      [customer, { ...body, fileSizeBytes: 5_363_466_241 }, 400, 'file_too_large'],
      [withoutStore, body, 400, 'no_providers_configured'],
      [used, body, 402, 'plan_limit'],
    ];
    for (const [who, refused, status, code] of refusals) {
      const answer = await who.call('POST /v1/upload/init', refused);
      assert.deepEqual([answer.status, answer.body['code']], [status, code], answer.text);
    }
    assert.equal(await customer.uploadsBooked(), 0);
    assert.equal(await withoutStore.uploadsBooked(), 0);
    assert.equal(await used.uploadsBooked(), UPLOADS_OF_FREE);
    assert.deepEqual(await database.read('files', { fileName: name }), []);
    await untilListed();
    for (const who of [customer, withoutStore, used]) assert.equal(await workflowsOf(who), 0);
  });
});
