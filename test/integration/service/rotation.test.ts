import assert from 'node:assert/strict';
import type { ServiceProcess } from '../../../dev/service.ts';
import { localService } from '../../servers.ts';
import { call } from '../../harness/customer.ts';
import { newCustomer } from '../customers.ts';

const CALLS = 20;

describe('the rotation of an API key', () => {
  let second: ServiceProcess;
  let urls: readonly string[];
  before(async () => {
    const service = await localService();
    second = await service.addApi({});
    urls = [service.baseUrl, second.url];
  });
  after(() => second?.stop());

  async function statusesOf(bearer: string): Promise<Set<number>> {
    const calls = urls
      .flatMap((url) => Array.from({ length: CALLS }, () => url))
      .map((url) => call(url, 'GET /v1/me', { bearer }));
    return new Set((await Promise.all(calls)).map(({ status }) => status));
  }

  // spec: api-key.rotation-invalidates, auth.rotation-at-once
  it('refuses the old key for every call sent after the answer, on both processes', async () => {
    const customer = await newCustomer();
    let { apiKey: old } = customer;
    for (const url of urls) {
      assert.deepEqual(await statusesOf(old), new Set([200]));
      const [{ status, body }] = await Promise.all([
        customer.manage('POST /v1/keys/rotate', undefined, url),
        statusesOf(old),
      ]);
      assert.equal(status, 200);
      assert.deepEqual(await statusesOf(old), new Set([401]));
      old = String(body['newApiKey']);
      assert.deepEqual(await statusesOf(old), new Set([200]));
    }
  });
});
