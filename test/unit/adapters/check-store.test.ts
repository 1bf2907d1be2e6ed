import assert from 'node:assert/strict';
import { checkCors, checkStore } from '../../../operations/providers/store-check.ts';
import { StoreError } from '../../../adapters/object-store/errors.ts';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import { bucketInMemory, describeObject } from '../../harness/unused-store.ts';

const OPTIONS = { timeoutMs: 1_000 };

async function resultsOf(store: ObjectStore): Promise<Record<string, string>> {
  const checks = await checkStore(store, 'canary', OPTIONS);
  for (const { latencyMs } of checks) assert.ok(Number.isInteger(latencyMs) && latencyMs >= 0);
  return Object.fromEntries(
    checks.map(({ name, ok, error }) => [name, ok ? 'ok' : `${error?.message}`]),
  );
}

describe('the check of a store', () => {
  const refused = () => Promise.reject(new StoreError('access_denied', new Error('raw text')));
  const words = 'it refused the credentials, or they do not permit this';

  const done = { write: 'ok', head: 'ok', read: 'ok', delete: 'ok' };
  const otherSize = 'the object that was written is not there';
  const otherBytes = 'other bytes came back than were written';

  const others = { head: async () => describeObject(1), get: async () => Buffer.from('other') };

  for (const [what, methods, failed] of [
    ['write is refused', { write: refused }, { write: words, head: otherSize, read: otherBytes }],
    ['head is refused', { head: refused }, { head: words }],
    ['get is refused', { get: refused }, { read: words }],
    ['delete is refused', { delete: refused }, { delete: words }],
    ['the object is another', others, { head: otherSize, read: otherBytes }],
  ] as const)
    it(`reports all four checks where ${what}`, async () =>
      assert.deepEqual(await resultsOf(bucketInMemory(methods)), { ...done, ...failed }));

  it('has the rules to set where a page may not upload, and why', async () => {
    const page = { origin: 'https://app.example.com', corsRules: [{ rule: 'x' }] };
    const allows = { allowOrigin: '*', allowMethods: 'PUT', allowHeaders: 'content-type' };
    const checked = async (preflight: ObjectStore['preflight']) => {
      const { latencyMs, ...rest } = await checkCors(
        bucketInMemory({ preflight }),
        'k',
        page,
        OPTIONS,
      );
      assert.ok(Number.isInteger(latencyMs));
      return rest;
    };
    const cors = { name: 'cors', ok: true };
    assert.deepEqual(await checked(async () => ({ status: 200, ...allows })), cors);
    const lacking =
      'a browser would not send an upload from this origin: the method PUT is not allowed';
    for (const [preflight, code, message] of [
      [async () => ({ status: 200, ...allows, allowMethods: 'GET' }), 'cors_refused', lacking],
      [refused, 'access_denied', words],
    ] as const) {
      const failed = { ...cors, ok: false, error: { code, message }, corsRule: page.corsRules };
      assert.deepEqual(await checked(preflight), failed);
    }
  });

  it("throws an error that is not the store's", async () => {
    const defect = bucketInMemory({ get: () => Promise.reject(new TypeError('a defect')) });
    await assert.rejects(checkStore(defect, 'canary', OPTIONS), TypeError);
  });
});
