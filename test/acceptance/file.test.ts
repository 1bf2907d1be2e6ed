import assert from 'node:assert/strict';
import { endpointOverride, storeAccess } from './target.ts';
import { one, other, withStores } from './tenant.ts';
import { requireMoment, requireRecent, requireRefusal, type Answer } from './wire.ts';

const BODY = Buffer.from('abc');

describe('A file', () => {
  withStores(one, 'aws', 'r2', 'b2');

  // spec: file.further-fields, file.holds, file.status, state.none-pending, state.values
  // spec: upload-sequence.inserts
  it('that waits for its bytes is pending, with nulls where there is nothing yet', async () => {
    const announcement = { fileName: 'a b.txt', contentType: 'text/plain', fileSizeBytes: 3 };
    const { fileId, provider } = await one.start({ ...announcement, priority: 'archive' });
    const { createdAt, routing, ...rest } = await one.file(fileId);
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
    requireRecent(createdAt);
    assert.equal(routing.provider, provider);
  });

  // spec: endpoint.file-get, file.status, state.values
  it('that is active has a URL for an hour, made anew for each call, that reads and does nothing else', async () => {
    const { fileId, provider } = await one.active(BODY);
    const { status, downloadUrl, expiresAt } = await one.file(fileId);
    assert.equal(status, 'active');
    const url = new URL(downloadUrl ?? '');
    const override = endpointOverride(provider);
    if (override !== undefined) assert.equal(url.origin, new URL(override).origin);
    assert.equal(url.searchParams.get('X-Amz-Expires'), '3600');
    assert.equal(url.searchParams.get('X-Amz-SignedHeaders'), 'host');
    requireMoment(expiresAt, Date.now() + 3_600_000);
    assert.ok(!url.href.includes(storeAccess(provider).secretAccessKey));
    for (const method of ['DELETE', 'PUT']) {
      const response = await fetch(url, { method, body: method === 'PUT' ? 'xyz' : null });
      assert.ok(response.status >= 400 && response.status < 500, `${method}: ${response.status}`);
    }
    const elsewhere = new URL(url);
    elsewhere.pathname += 'x';
    assert.equal((await fetch(elsewhere)).status, 403);
    assert.equal(await (await fetch(url)).text(), 'abc');
  });

  // spec: retries.file-get, retries.no-idempotency-key, versioning.not-in-v1
  it('is the same in every answer, and reading it changes no usage', async () => {
    const { fileId } = await one.active(BODY);
    const before = await one.usage();
    const seen = await Promise.all([1, 2, 3].map(() => one.file(fileId)));
    for (const { downloadUrl, expiresAt, ...kept } of seen) {
      assert.ok(downloadUrl && expiresAt);
      assert.deepEqual(
        { ...kept, downloadUrl: '', expiresAt: '' },
        { ...seen[0], downloadUrl: '', expiresAt: '' },
      );
    }
    assert.deepEqual(await one.usage(), before);
  });

  // Of every kind of resource and at every route: `integration/owasp/api1`.
  // spec: errors.unknown-file
  it('of another account answers like one that does not exist', async () => {
    const { fileId } = await one.active(BODY);
    for (const ask of [other.get, other.delete, other.complete, other.url, other.listParts]) {
      const [foreign, missing] = [await ask(fileId), await ask(crypto.randomUUID())];
      requireRefusal(foreign, 404, 'file_not_found');
      assert.deepEqual(withoutChance(foreign), withoutChance(missing));
    }
    assert.equal((await one.file(fileId)).status, 'active', 'its owner still has it');
  });
});

/** An answer without its time-dependent fields. */
function withoutChance({ status, headers, text }: Answer): unknown {
  const { date: _date, 'x-request-id': _requestId, ...rest } = headers;
  return { status, headers: rest, text };
}
