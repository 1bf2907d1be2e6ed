import assert from 'node:assert/strict';
import { testProvider } from '../../../operations/providers/providers.ts';
import { checkCors, checkStore } from '../../../operations/providers/store-check.ts';
import { StoreError } from '../../../adapters/object-store/errors.ts';
import type { HeadOptions, ObjectStore } from '../../../adapters/object-store/object-store.ts';
import type { Account } from '../../../domain/accounts/account.ts';
import { catalogue, fakeAccountStores } from '../../harness/catalogue.ts';
import { bucketInMemory, describeObject } from '../../harness/unused-store.ts';

const OPTIONS = { timeoutMs: 1_000 };
const R2 = '0a1b2c.r2.cloudflarestorage.com';
const LISTING = 's3:ListBucket';

async function resultsOf(store: ObjectStore): Promise<Record<string, string>> {
  const checks = await checkStore(store, 'canary', OPTIONS, LISTING);
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

  /** Finds what was not deleted, and refuses to say that it finds nothing. */
  const guarded = async (_key: string, options?: HeadOptions) => {
    if (options?.throwsDenied) return await refused();
    return describeObject(64);
  };
  const lacking =
    'it refused to say that an object is missing: the permission s3:ListBucket is lacking';

  for (const [what, methods, failed, ofMissing] of [
    [
      'write is refused',
      { write: refused },
      { write: words, head: otherSize, read: otherBytes },
      words,
    ],
    ['head is refused', { head: refused }, { head: words }, words],
    ['get is refused', { get: refused }, { read: words }, words],
    ['delete is refused', { delete: refused }, { delete: words }, words],
    ['the object is another', others, { head: otherSize, read: otherBytes }, otherSize],
    ['nothing fails', {}, {}, 'ok'],
    [
      'nothing is deleted',
      { delete: async () => {} },
      {},
      'the object that was deleted is still there',
    ],
    ['a missing object is refused', { head: guarded }, {}, lacking],
  ] as const)
    it(`reports all five checks where ${what}`, async () => {
      const wanted = { ...done, ...failed, missing_object: ofMissing };
      assert.deepEqual(await resultsOf(bucketInMemory(methods)), wanted);
    });

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
    const notAllowed =
      'a browser would not send an upload from this origin: the method PUT is not allowed';
    for (const [preflight, code, message] of [
      [async () => ({ status: 200, ...allows, allowMethods: 'GET' }), 'cors_refused', notAllowed],
      [refused, 'access_denied', words],
    ] as const) {
      const failed = { ...cors, ok: false, error: { code, message }, corsRule: page.corsRules };
      assert.deepEqual(await checked(preflight), failed);
    }
  });

  it("throws an error that is not the store's", async () => {
    const defect = bucketInMemory({ get: () => Promise.reject(new TypeError('a defect')) });
    await assert.rejects(checkStore(defect, 'canary', OPTIONS, LISTING), TypeError);
  });

  const hex = (length: number) => 'a'.repeat(length);
  const swapped = (what: string) => `the ${what} has the wrong length; are the two swapped?`;
  const list = async () => ({ entries: [], isTruncated: false });
  const location = { provider: 'r2', bucketName: 'b', region: 'auto' };
  const account = { providers: { r2: { location } } } as unknown as Account;

  for (const [what, accessKeyId, secretAccessKey, host, doubt] of [
    ['of the right form', hex(32), hex(64), R2, undefined],
    ['that are swapped', hex(64), hex(32), R2, swapped('key id')],
    ['of another store', 'AKIAEXAMPLE', hex(64), R2, swapped('key id')],
    ['with a token for a secret', hex(32), hex(40), R2, swapped('secret')],
    ['of any form elsewhere', 'AKIAEXAMPLE', 'secret', 'minio.example.com', undefined],
  ] as const)
    it(`names what is wrong with keys ${what}, where they are refused`, async () => {
      const test = async (store: ObjectStore) => {
        const stores = fakeAccountStores({
          of: () => store,
          open: async (_account, _place, open) => open({ accessKeyId, secretAccessKey }),
        });
        const deps = { catalogue, stores, accounts: { saveCapabilities: async () => {} } };
        const findEndpoint = () => ({ origin: `https://${host}`, pathStyle: true });
        return await testProvider({ ...deps, findEndpoint } as never, account, { provider: 'r2' });
      };
      const [write] = await test(bucketInMemory({ write: refused }));
      assert.equal(write?.error?.message, doubt === undefined ? words : `${words}; ${doubt}`);
      const [written] = await test(bucketInMemory({ list, beginUpload: refused }));
      assert.deepEqual([written?.ok, written?.error], [true, undefined]);
    });
});
