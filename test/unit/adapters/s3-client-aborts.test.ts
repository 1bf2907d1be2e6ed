import assert from 'node:assert/strict';
import { withinBounds } from '../../../adapters/object-store/call-bounds.ts';
import { createStoreHttp } from '../../../adapters/object-store/http-client.ts';
import { createObjectStores } from '../../../adapters/object-store/s3-store.ts';
import { listen, type Listener } from '../../contract/connections.ts';

describe('a rare call to a store', () => {
  const http = createStoreHttp();
  let server: Listener;

  before(async () => {
    server = await listen((socket) => void socket.on('data', () => undefined));
  });
  after(async () => {
    http.close();
    await server.close();
  });

  const openStore = () =>
    createObjectStores({ http, endpoints: { aws: server.origin }, now: () => new Date() })(
      { provider: 'aws', bucketName: 'photos', region: 'us-east-1' },
      { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'secret' },
    );

  for (const [what, timeoutMs] of [
    ['during the call', 200],
    ['before the request is sent', 0],
  ] as const) {
    it(`that is out of time ${what} fails with timed_out`, async () => {
      const store = openStore();
      const call = withinBounds({ timeoutMs }, async (options) => {
        if (timeoutMs === 0) await new Promise((resolve) => setTimeout(resolve, 20));
        return await store.beginUpload('k', { 'content-type': 'a/b' }, options);
      });
      await assert.rejects(call, { name: 'StoreError', failure: 'timed_out' });
    });
  }
});
