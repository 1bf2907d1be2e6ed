import assert from 'node:assert/strict';
import { localService } from '../../servers.ts';
import { call } from '../../harness/customer.ts';
import { addedApi, newCustomer } from '../customers.ts';

const CALLS = 20;

describe('the rotation of an API key', () => {
  const second = addedApi({});
  const urls = async () => [(await localService()).baseUrl, second.url];

  async function statusesOf(bearer: string): Promise<Set<number>> {
    const calls = (await urls())
      .flatMap((url) => Array.from({ length: CALLS }, () => url))
      .map((url) => call(url, 'GET /v1/me', { bearer }));
    return new Set((await Promise.all(calls)).map(({ status }) => status));
  }

  // spec: api-key.rotation-invalidates, auth.rotation-at-once
  it('refuses the old key for every call sent after the answer, on both processes', async () => {
    const customer = await newCustomer();
    let { apiKey: old } = customer;
    for (const url of await urls()) {
      assert.deepEqual(await statusesOf(old), new Set([200]));
      const meanwhile = statusesOf(old);
      const { status, body } = await customer.manage('POST /v1/keys/rotate', undefined, url);
      assert.equal(status, 200);
      assert.deepEqual(await statusesOf(old), new Set([401]));
      await meanwhile;
      old = String(body['newApiKey']);
      assert.deepEqual(await statusesOf(old), new Set([200]));
    }
  });
});
