import assert from 'node:assert/strict';
import type { Service } from '../../../dev/service.ts';
import { createCustomer, eventually, type Customer } from '../../harness/customer.ts';
import { startIsolatedService } from '../../servers.ts';

const LIMIT = 5;

describe('an account with as many pending files as it may have', () => {
  let service: Service;
  let customer: Customer;

  before(async () => {
    const environment = { DEFAULT_PLAN: 'growth', MAX_PENDING_FILES: String(LIMIT) };
    const isolated = await startIsolatedService({ environment, workerCount: 0 });
    ({ service } = isolated);
    customer = await createCustomer(isolated.stack, service.baseUrl);
  });
  after(() => service?.stop());

  it('is refused a further one with 429 and nothing booked, until one is deleted', async () => {
    const files = [];
    for (let index = 0; index < LIMIT; index += 1) files.push(await customer.init());
    const refused = await customer.announce();
    assert.deepEqual([refused.status, refused.body['code']], [429, 'rate_limited']);
    assert.equal(refused.headers.get('retry-after'), '60');
    assert.match(refused.text, /pending/);
    assert.equal(await customer.uploadsBooked(), LIMIT);
    assert.equal((await customer.delete(files[0]?.fileId ?? '')).status, 200);
    await eventually('there is room', async () => (await customer.announce()).status === 201);
  });
});
