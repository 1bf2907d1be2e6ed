import assert from 'node:assert/strict';
import type { ClientOptions } from '../../../sdk/src/index.ts';
import { type Answer, errorOf, json, serve, startServer, text, URL_SECRET } from './servers.ts';

/** A file at a store that answers so. */
async function startStored(answer: Answer, file: object = {}, options?: Partial<ClientOptions>) {
  const store = await startServer(answer);
  const downloadUrl = `${store.url}/x?X-Amz-Signature=${URL_SECRET}`;
  const info = { fileId: 'f-1', status: 'active', fileSizeBytes: 5, downloadUrl, ...file };
  return { store, ...(await serve(json(200, info), options)) };
}

const bytes = text(200, 'hello');
const beginning: Answer = (_request, response) => void response.writeHead(200).write('hel');

describe('download', () => {
  it('returns the file and its bytes, and sends no service credentials to the store', async () => {
    const { client, store } = await startStored(bytes);
    const { file, body } = await client.download('f-1');
    assert.equal(file.fileId, 'f-1');
    assert.equal(await new Response(body).text(), 'hello');
    assert.equal(store.arrived[0]?.headers.authorization, undefined);
  });

  it('rejects a file that is not active, what the store refuses, without the URL, and a body of another size', async () => {
    const pending = await startStored(bytes, { status: 'pending', downloadUrl: null });
    assert.equal((await errorOf(pending.client.download('f-1'))).code, 'file_not_active');
    assert.equal(pending.store.arrived.length, 0);
    const refusing = await startStored(json(403, {}));
    const error = await errorOf(refusing.client.download('f-1'));
    assert.deepEqual([error.code, error.status], ['download_from_provider_failed', 403]);
    assert.doesNotMatch(error.message, /Signature/);
    for (const fileSizeBytes of [4, 6]) {
      const { client } = await startStored(bytes, { fileSizeBytes });
      const { body } = await client.download('f-1');
      const error = await errorOf(new Response(body).text());
      assert.equal(error.code, 'download_from_provider_failed');
    }
  });

  it('ends with the signal, also during the body', async () => {
    const controller = new AbortController();
    const { client } = await startStored(beginning);
    const { body } = await client.download('f-1', { signal: controller.signal });
    const reader = body.getReader();
    assert.equal(Buffer.from((await reader.read()).value ?? []).toString(), 'hel');
    controller.abort();
    assert.equal((await errorOf(reader.read())).code, 'aborted');
  });

  it('ends after the stall limit where the store stops sending', async () => {
    const { client } = await startStored(beginning, {}, { stallTimeoutMs: 1_000 });
    const { body } = await client.download('f-1');
    const error = await errorOf(new Response(body).text());
    assert.deepEqual([error.code, error.fileId], ['timeout', 'f-1']);
  });
});
