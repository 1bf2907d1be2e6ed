import assert from 'node:assert/strict';
import { checkStore } from '../../../adapters/object-store/check.ts';
import { StoreError } from '../../../adapters/object-store/errors.ts';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';

const OPTIONS = { timeoutMs: 1_000 };

/** A bucket in memory, with some of its methods replaced. */
function bucket(overrides: Partial<ObjectStore> = {}): ObjectStore & { calls: string[] } {
  const objects = new Map<string, Buffer>();
  const calls: string[] = [];
  return {
    calls,
    presignUpload: () => Promise.reject(new Error('not expected')),
    presignPart: () => Promise.reject(new Error('not expected')),
    presignDownload: () => Promise.reject(new Error('not expected')),
    async put(key, body) {
      calls.push('put');
      objects.set(key, body);
    },
    async head(key) {
      calls.push('head');
      const found = objects.get(key);
      return found && { sizeBytes: found.length };
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
    assert.deepEqual(store.calls, ['put', 'head', 'get', 'delete']);
    assert.equal(await store.head('canary', OPTIONS), undefined);
  });

  it('reports all four checks where the write is refused', async () => {
    assert.deepEqual(await resultsOf(bucket({ put: refused })), {
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
      bucket({ head: async () => ({ sizeBytes: 1 }), get: async () => Buffer.from('other') }),
    );
    assert.equal(found['head'], 'the object that was written is not there');
    assert.equal(found['read'], 'other bytes came back than were written');
  });

  it("throws an error that is not the store's", async () => {
    const defect = bucket({ get: () => Promise.reject(new TypeError('a defect')) });
    await assert.rejects(checkStore(defect, 'canary', OPTIONS), TypeError);
  });
});
