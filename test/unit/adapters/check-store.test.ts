import assert from 'node:assert/strict';
import { checkCors, checkStore } from '../../../operations/providers/store-check.ts';
import { StoreError } from '../../../adapters/object-store/errors.ts';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import { describeObject, UNUSED_STORE } from '../../harness/unused-store.ts';

const OPTIONS = { timeoutMs: 1_000 };

/** A bucket in memory, with some of its methods replaced. */
function bucket(overrides: Partial<ObjectStore> = {}): ObjectStore & { calls: string[] } {
  const objects = new Map<string, Buffer>();
  const calls: string[] = [];
  return {
    calls,
    ...UNUSED_STORE,
    async write(key, { body }) {
      calls.push('write');
      objects.set(key, body as Buffer);
      return 'etag';
    },
    async head(key) {
      calls.push('head');
      const found = objects.get(key);
      return found && describeObject(found.length);
    },
    async get(key) {
      calls.push('get');
      return objects.get(key);
    },
    async delete(key) {
      calls.push('delete');
      objects.delete(key);
    },
    ...overrides,
  };
}

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

  it('writes, measures, reads and deletes, in this order, and leaves no object', async () => {
    const store = bucket();
    assert.deepEqual(await resultsOf(store), {
      write: 'ok',
      head: 'ok',
      read: 'ok',
      delete: 'ok',
    });
    assert.deepEqual(store.calls, ['write', 'head', 'get', 'delete']);
    assert.equal(await store.head('canary', OPTIONS), undefined);
  });

  it('reports all four checks where the write is refused', async () => {
    assert.deepEqual(await resultsOf(bucket({ write: refused })), {
      write: words,
      head: 'the object that was written is not there',
      read: 'other bytes came back than were written',
      delete: 'ok',
    });
  });

  for (const [method, name] of [
    ['head', 'head'],
    ['get', 'read'],
    ['delete', 'delete'],
  ] as const) {
    it(`reports all four checks where ${name} is refused`, async () => {
      assert.deepEqual(await resultsOf(bucket({ [method]: refused })), {
        write: 'ok',
        head: 'ok',
        read: 'ok',
        delete: 'ok',
        [name]: words,
      });
    });
  }

  it('fails for an object of another size, or with other bytes', async () => {
    const found = await resultsOf(
      bucket({ head: async () => describeObject(1), get: async () => Buffer.from('other') }),
    );
    assert.equal(found['head'], 'the object that was written is not there');
    assert.equal(found['read'], 'other bytes came back than were written');
  });

  it('has the rules to set where a page may not upload, and why', async () => {
    const page = { origin: 'https://app.example.com', corsRules: [{ rule: 'x' }] };
    const answers = { allowOrigin: '*', allowMethods: 'PUT', allowHeaders: 'content-type' };
    const checked = async (preflight: ObjectStore['preflight']) => {
      const { latencyMs, ...rest } = await checkCors(bucket({ preflight }), 'k', page, OPTIONS);
      assert.ok(Number.isInteger(latencyMs));
      return rest;
    };
    assert.deepEqual(await checked(async () => ({ status: 200, ...answers })), {
      name: 'cors',
      ok: true,
    });
    const { corsRules: corsRule } = page;
    const refusal = (code: string, message: string) => ({
      name: 'cors',
      ok: false,
      error: { code, message },
      corsRule,
    });
    assert.deepEqual(
      await checked(async () => ({ status: 200, ...answers, allowMethods: 'GET' })),
      refusal(
        'cors_refused',
        'a browser would not send an upload from this origin: the method PUT is not allowed',
      ),
    );
    assert.deepEqual(await checked(refused), refusal('access_denied', words));
  });

  it("throws an error that is not the store's", async () => {
    const defect = bucket({ get: () => Promise.reject(new TypeError('a defect')) });
    await assert.rejects(checkStore(defect, 'canary', OPTIONS), TypeError);
  });
});
