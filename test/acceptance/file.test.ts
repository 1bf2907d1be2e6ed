import assert from 'node:assert/strict';
import { putAsTold } from './store.ts';
import { endpointOverride, storeAccess } from './target.ts';
import { one, other, withStores } from './tenant.ts';
import { call, requireRefusal, type Answer } from './wire.ts';

const FIELDS = [
  'completedAt',
  'contentType',
  'createdAt',
  'downloadUrl',
  'expiresAt',
  'fileId',
  'fileName',
  'fileSizeBytes',
  'priority',
  'provider',
  'routing',
  'status',
];

describe('A file', () => {
  withStores(one, 'aws', 'r2', 'b2');

  // spec: file.further-fields, file.holds, file.status, state.none-pending, state.values
  // spec: upload-sequence.inserts
  it('that waits for its bytes is pending, with nulls where there is nothing yet', async () => {
    const announcement = { fileName: 'a b.txt', contentType: 'text/plain', fileSizeBytes: 3 };
    const { fileId, provider } = await one.start({ ...announcement, priority: 'archive' });
    const file = await one.file(fileId);
    const { createdAt, routing, ...rest } = file;
    assert.deepEqual(Object.keys(file).sort(), FIELDS);
    assert.deepEqual(rest, {
      fileId,
      status: 'pending',
      ...announcement,
      priority: 'archive',
      provider,
      completedAt: null,
      downloadUrl: null,
      expiresAt: null,
    });
    assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000);
    assert.equal(routing.provider, provider);
  });

  // spec: endpoint.file-get, file.status, state.values
  it('that is active has a URL for an hour, made anew for each call', async () => {
    const started = await one.start({ fileSizeBytes: 3 });
    await putAsTold(started, Buffer.from('abc'));
    await one.completed(started.fileId);
    const file = await one.file(started.fileId);
    assert.deepEqual(Object.keys(file).sort(), FIELDS);
    assert.equal(file.status, 'active');
    const url = new URL(file.downloadUrl ?? '');
    const override = endpointOverride(started.provider);
    if (override !== undefined) assert.equal(url.origin, new URL(override).origin);
    assert.equal(url.searchParams.get('X-Amz-Expires'), '3600');
    assert.equal(url.searchParams.get('X-Amz-SignedHeaders'), 'host');
    assert.ok(Math.abs(Date.parse(file.expiresAt ?? '') - Date.now() - 3_600_000) < 60_000);
    assert.equal(await (await fetch(url)).text(), 'abc');
    assert.ok(!file.downloadUrl?.includes(storeAccess(started.provider).secretAccessKey));
  });

  // spec: endpoint.file-get
  it('has a URL that reads and does nothing else', async () => {
    const started = await one.start({ fileSizeBytes: 3 });
    await putAsTold(started, Buffer.from('abc'));
    await one.completed(started.fileId);
    const { downloadUrl } = await one.file(started.fileId);
    const url = downloadUrl ?? '';
    for (const method of ['DELETE', 'PUT']) {
      const response = await fetch(url, { method, body: method === 'PUT' ? 'xyz' : null });
      assert.ok(response.status >= 400 && response.status < 500, `${method}: ${response.status}`);
    }
    const elsewhere = new URL(url);
    elsewhere.pathname += 'x';
    assert.equal((await fetch(elsewhere)).status, 403);
    assert.equal(await (await fetch(url)).text(), 'abc');
  });
});

describe("Another account's file", () => {
  withStores(one, 'aws', 'r2', 'b2');

  const states = {
    pending: () => one.start({ fileSizeBytes: 3 }),
    active: async () => {
      const started = await one.start({ fileSizeBytes: 3 });
      await putAsTold(started, Buffer.from('abc'));
      await one.completed(started.fileId);
      return started;
    },
    deleted: async () => {
      const started = await states.active();
      assert.equal((await one.delete(started.fileId)).status, 200);
      return started;
    },
  };
  const askings = {
    get: (fileId: string) => other.get(fileId),
    delete: (fileId: string) => other.delete(fileId),
    complete: (fileId: string) => other.complete(fileId),
  };

  for (const [state, make] of Object.entries(states)) {
    for (const [name, ask] of Object.entries(askings)) {
      // spec: errors.unknown-file
      it(`that is ${state} answers ${name} exactly like one that does not exist`, async () => {
        const { fileId } = await make();
        const [foreign, missing] = [await ask(fileId), await ask(crypto.randomUUID())];
        requireRefusal(foreign, 404, 'file_not_found');
        assert.deepEqual(withoutChance(foreign), withoutChance(missing));
        const own = await one.get(fileId);
        assert.equal(own.status, state === 'deleted' ? 410 : 200, 'its owner still has it');
        if (state !== 'deleted') assert.equal((await one.file(fileId)).status, state);
      });
    }
  }

  it('answers an invalid body in the same way', async () => {
    const { fileId } = await one.start();
    const token = await other.key();
    const ask = (id: string) =>
      call('POST', '/v1/upload/complete', { token, json: { fileId: id, unknown: 1 } });
    const [foreign, missing] = [await ask(fileId), await ask(crypto.randomUUID())];
    assert.deepEqual(withoutChance(foreign), withoutChance(missing));
  });
});

/** An answer without its time-dependent fields. */
function withoutChance({ status, headers, text }: Answer): unknown {
  const { date: _date, 'x-request-id': _requestId, ...rest } = headers;
  return { status, headers: rest, text };
}
