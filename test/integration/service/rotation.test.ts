import assert from 'node:assert/strict';
import type { ServiceProcess } from '../../../dev/service.ts';
import { localService } from '../../servers.ts';
import { call, eventually } from '../../harness/customer.ts';
import { newCustomer } from '../customers.ts';

const CALLERS = 4;

describe('the rotation of an API key', () => {
  let second: ServiceProcess;
  let urls: readonly string[];
  before(async () => {
    const service = await localService();
    second = await service.addApi({});
    urls = [service.baseUrl, second.url];
  });
  after(() => second?.stop());

  /** Calls an API process with the key, several at a time, until `end()`. */
  function hammer(url: string, bearer: string) {
    const calls: { sentAt: number; status: number }[] = [];
    const over = new AbortController();
    const run = async () => {
      while (!over.signal.aborted) {
        const sentAt = performance.now();
        calls.push({ sentAt, status: (await call(url, 'GET /v1/me', { bearer })).status });
      }
    };
    const callers = Array.from({ length: CALLERS }, run);
    return {
      /** The statuses of the calls that were sent since then, once there are so many. */
      async since(count: number, moment = 0) {
        const found = () => calls.filter(({ sentAt }) => sentAt > moment);
        await eventually('calls', () => Promise.resolve(found().length >= count));
        return new Set(found().map(({ status }) => status));
      },
      async end() {
        over.abort();
        await Promise.all(callers);
        return new Set(calls.map(({ status }) => status));
      },
    };
  }

  // spec: api-key.rotation-invalidates, auth.rotation-at-once
  it('refuses the old key for every call sent after the answer, on both processes', async () => {
    const customer = await newCustomer();
    let { apiKey: old } = customer;
    for (const url of urls) {
      const hammers = urls.map((each) => hammer(each, old));
      for (const each of hammers) assert.deepEqual(await each.since(5), new Set([200]));
      const { status, body } = await customer.manage('POST /v1/keys/rotate', undefined, url);
      const answeredAt = performance.now();
      assert.equal(status, 200);
      old = String(body['newApiKey']);
      for (const each of urls)
        assert.equal((await call(each, 'GET /v1/me', { bearer: old })).status, 200);
      for (const each of hammers)
        assert.deepEqual(await each.since(20, answeredAt), new Set([401]));
      for (const each of hammers) assert.deepEqual(await each.end(), new Set([200, 401]));
    }
  });
});
