import assert from 'node:assert/strict';
import type { Service } from '../../../dev/service.ts';
import { startIsolatedService } from '../../servers.ts';
import { call, createCustomer, eventually, type Customer } from '../../harness/customer.ts';

const CALLERS_PER_API = 4;

/** One call with a key: when it was sent, and its status. */
interface KeyCall {
  sentAt: number;
  status: number;
}

describe('the rotation of an API key', () => {
  let service: Service;
  let urls: string[];
  let newCustomer: () => Promise<Customer>;

  before(async () => {
    const isolated = await startIsolatedService({ apiCount: 4, workerCount: 0 });
    const { stack } = isolated;
    ({ service } = isolated);
    urls = service.apis.map(({ url }) => url);
    newCustomer = async () => await createCustomer(stack, service.baseUrl, []);
  });
  after(async () => await service?.stop());

  const statusesOf = async (bearer: string) =>
    await Promise.all(urls.map(async (url) => (await call(url, 'GET /v1/me', { bearer })).status));

  /** Calls every API process with the key, several at a time, until `end()`. */
  function hammer(bearer: string) {
    const calls = urls.map((): KeyCall[] => []);
    const over = new AbortController();
    const run = async (url: string, list: KeyCall[]) => {
      while (!over.signal.aborted) {
        const sentAt = performance.now();
        const { status } = await call(url, 'GET /v1/me', { bearer });
        list.push({ sentAt, status });
      }
    };
    const callers = urls.flatMap((url, index) =>
      Array.from({ length: CALLERS_PER_API }, () => run(url, calls[index] ?? [])),
    );
    return {
      calls,
      async everywhere(count: number, since: number) {
        await eventually('calls through every API process', async () =>
          calls.every((list) => list.filter(({ sentAt }) => sentAt > since).length >= count),
        );
      },
      async end() {
        over.abort();
        await Promise.all(callers);
      },
    };
  }

  // spec: api-key.rotation-invalidates, auth.rotation-at-once
  it('refuses the old key for every call sent after the answer, on all four processes', async () => {
    const customer = await newCustomer();
    let old = customer.apiKey;
    for (const url of urls) {
      const calls = hammer(old);
      await calls.everywhere(5, 0);
      const { status, body } = await call(url, 'POST /v1/keys/rotate', { bearer: customer.token });
      const answeredAt = performance.now();
      assert.equal(status, 200);
      const fresh = String(body['newApiKey']);
      assert.deepEqual(await statusesOf(fresh), [200, 200, 200, 200]);
      await calls.everywhere(20, answeredAt);
      await calls.end();
      for (const list of calls.calls) {
        assert.ok(
          list.some(({ status }) => status === 200),
          'the old key never worked',
        );
        const late = list.filter(({ sentAt }) => sentAt > answeredAt);
        assert.deepEqual([...new Set(late.map(({ status }) => status))], [401]);
        assert.ok(list.every(({ status }) => status === 200 || status === 401));
      }
      old = fresh;
    }
  });
});
