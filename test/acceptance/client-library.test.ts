import assert from 'node:assert/strict';
import { createClient } from '../../sdk/src/index.ts';
import { putAsTold } from './store.ts';
import { baseUrl, storeAccess } from './target.ts';
import { refusal } from '../harness/cloud-customer.ts';
import { one } from './tenant.ts';

const BODY = Buffer.from('hello world');

describe('The client library', () => {
  before(() => one.configure());
  after(async () => {
    await one.configure('aws', 'r2', 'b2');
    await one.clear();
  });

  it('configures, lists, tests and removes stores, and tells the health of the service', async () => {
    const { providers } = await one.client();
    const { accountId, ...edge } = storeAccess('r2');
    const saved = await providers.save({
      ...edge,
      provider: 'r2',
      region: 'auto',
      accountId: String(accountId),
    });
    assert.equal(saved.provider, 'r2');
    assert.deepEqual((await providers.list()).items, [saved]);
    assert.equal((await providers.test('r2')).ok, true);
    assert.equal(await providers.delete('r2'), undefined);
    assert.deepEqual((await providers.list()).items, []);
    const { status } = await createClient({ baseUrl: baseUrl().href }).health();
    assert.equal(status, 'ok');
  });

  it('supports the lifecycle of a file step by step', async () => {
    await one.configure('aws', 'r2', 'b2');
    const client = await one.client();
    const started = await client.init({
      fileName: 'steps.bin',
      contentType: 'application/octet-stream',
      fileSizeBytes: BODY.length,
      priority: 'archive',
    });
    assert.match(started.savedVsAwsFixed, /^-?\d+\.\d{6}$/);
    assert.equal(Number(started.savedVsAwsFixed), started.savedVsAws);
    assert.equal((await client.getFile(started.fileId)).status, 'pending');
    await putAsTold(started, BODY);
    const completed = await client.complete(started.fileId);
    assert.deepEqual(await client.complete(started.fileId), completed);
    assert.equal((await client.getFile(started.fileId)).completedAt, completed.completedAt);
    const deleted = await client.deleteFile(started.fileId);
    assert.equal(deleted.status, 'deleted');
    assert.deepEqual(await client.deleteFile(started.fileId), deleted);
  });

  // spec: dashboard.api-key-view
  it('shows, regenerates and rotates the key', async () => {
    const client = await one.client();
    const { apiKey } = await client.apiKey.regenerate();
    const { newApiKey } = await client.keys.rotate();
    one.useKey(newApiKey);
    assert.notEqual(apiKey, newApiKey);
    const shown = await client.apiKey.get();
    assert.equal(shown.apiKey?.masked, `${newApiKey.slice(0, 12)}…${newApiKey.slice(-4)}`);
    assert.equal((await refusal(client.me())).code, 'unauthorized');
    assert.equal((await (await one.client()).me()).accountId, (await one.me()).accountId);
  });

  // spec: error-body.fields
  it('passes on status, code, details and the request id of a refusal', async () => {
    const client = await one.client();
    const requestId = `acceptance.${crypto.randomUUID()}`;
    const announcement = { fileName: '', contentType: 'none', fileSizeBytes: 1 };
    const error = await refusal(client.init(announcement, { requestId }));
    assert.deepEqual([error.status, error.code], [400, 'invalid_request']);
    assert.equal(error.requestId, requestId);
    assert.deepEqual(error.details?.map(({ path }) => path).sort(), ['/contentType', '/fileName']);
  });
});
