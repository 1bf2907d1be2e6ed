import assert from 'node:assert/strict';
import { createCustomer, eventually } from '../../harness/customer.ts';
import { localServers, localService } from '../../servers.ts';

const LIMIT = 5;

describe('an account with as many pending files as it may have', () => {
  it('is refused a further one with 429 and nothing booked, until one is deleted', async () => {
    const [{ stack }, service] = [await localServers(), await localService()];
    const api = await service.addApi({ MAX_PENDING_FILES: String(LIMIT) });
    const customer = await createCustomer(stack, api.url);
    const files = [];
    for (let index = 0; index < LIMIT; index += 1) files.push(await customer.init());
    const refused = await customer.announce();
    assert.deepEqual([refused.status, refused.body['code']], [429, 'rate_limited']);
    assert.equal(refused.headers.get('retry-after'), '60');
    assert.match(refused.text, /pending/);
    assert.equal(await customer.uploadsBooked(), LIMIT);
    assert.equal((await customer.delete(files[0]?.fileId ?? '')).status, 200);
    await eventually('there is room', async () => (await customer.announce()).status === 201);
    await api.stop();
  });
});
