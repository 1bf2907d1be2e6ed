import assert from 'node:assert/strict';
import type { Me } from '../../../sdk/src/index.ts';
import { localServers } from '../../servers.ts';
import { createCustomer, eventually, type Customer } from '../../harness/customer.ts';
import { addedApi, bookQuota, sharedDatabase, sharedTemporal } from '../customers.ts';

const UPLOADS_OF_FREE = 1_000;
const BYTES_OF_FREE = 10e9;
const PENDING_LIMIT = 5;

/** Of two processes. The counter itself: `adapters/records`. */
describe('the quota of an account', () => {
  const [database, temporal] = [sharedDatabase(), sharedTemporal()];
  const free = { DEFAULT_PLAN: 'free' };
  const [first, second] = [addedApi(free), addedApi(free)];

  const newCustomer = async () => await createCustomer((await localServers()).stack, first.url);
  const usageOf = async (customer: Customer) =>
    (await customer.call('GET /v1/me')).body['usage'] as Me['usage'];
  const seed = async ({ accountId }: Customer, booked: { bytes: number; uploads: number }) =>
    await bookQuota(database.db, accountId, booked);
  const announceMany = async (
    customer: Customer,
    { count, sizeBytes, accepted }: Readonly<Record<'count' | 'sizeBytes' | 'accepted', number>>,
  ) => {
    const answers = await Promise.all(
      Array.from({ length: count }, (_, at) =>
        customer.announce({ sizeBytes }, (at % 2 === 0 ? first : second).url),
      ),
    );
    for (const { status, body, text } of answers)
      assert.ok(status === 201 || (status === 402 && body['code'] === 'plan_limit'), text);
    assert.equal(answers.filter(({ status }) => status === 201).length, accepted);
  };
  const workflowsOf = async ({ accountId }: Customer) =>
    (await temporal.workflow.count(`AccountId = '${accountId}'`)).count;
  const untilListed = async () => {
    const barrier = await newCustomer();
    await barrier.init();
    await eventually('a later workflow is listed', async () => (await workflowsOf(barrier)) === 1);
  };

  // spec: plans.entitlements
  it('lets 50 of 200 parallel inits pass where 50 uploads are left', async () => {
    const customer = await newCustomer();
    await seed(customer, { bytes: 0, uploads: UPLOADS_OF_FREE - 50 });
    await announceMany(customer, { count: 200, sizeBytes: 8, accepted: 50 });
    const { uploadsBooked, uploadQuota, gbBooked } = await usageOf(customer);
    assert.deepEqual([uploadsBooked, uploadQuota], [UPLOADS_OF_FREE, UPLOADS_OF_FREE]);
    assert.equal(gbBooked, (50 * 8) / 1e9);
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
    await announceMany(customer, { count: 60, sizeBytes, accepted: 5 });
    const { gbBooked, uploadsBooked } = await usageOf(customer);
    assert.deepEqual([gbBooked, uploadsBooked], [10, 5]);
    assert.equal((await customer.announce({ sizeBytes: 0 })).status, 201, 'no byte more is needed');
    assert.equal((await customer.announce({ sizeBytes: 1 })).status, 402);
  });
});

describe('an account with as many pending files as it may have', () => {
  const api = addedApi({ MAX_PENDING_FILES: String(PENDING_LIMIT) });

  it('is refused a further one with 429 and nothing booked, until one is deleted', async () => {
    const { stack } = await localServers();
    const customer = await createCustomer(stack, api.url);
    const files = [];
    for (let index = 0; index < PENDING_LIMIT; index += 1) files.push(await customer.init());
    const refused = await customer.announce();
    assert.deepEqual([refused.status, refused.body['code']], [429, 'rate_limited']);
    assert.equal(refused.headers.get('retry-after'), '60');
    assert.match(refused.text, /pending/);
    assert.equal(await customer.uploadsBooked(), PENDING_LIMIT);
    assert.equal((await customer.delete(files[0]?.fileId ?? '')).status, 200);
    await eventually('there is room', async () => (await customer.announce()).status === 201);
  });
});
