import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { configureAccount } from '../../../dev/first-account.ts';
import type { Service } from '../../../dev/service.ts';
import type { StorageRoutingClient } from '../../../sdk/src/index.ts';
import { localServers, startIsolatedService } from '../../servers.ts';
import { eventually } from '../../harness/customer.ts';

/** Seconds instead of hours, on the real server. */
const URL_SECONDS = 2;
const GRACE_SECONDS = 1;

describe('the window of an upload', () => {
  let service: Service;
  let client: StorageRoutingClient;

  before(async () => {
    const { stack } = await localServers();
    const token = stack.identity?.issueToken({ account: `window-${randomUUID()}` }) ?? '';
    const window = {
      UPLOAD_URL_SECONDS: String(URL_SECONDS),
      UPLOAD_GRACE_SECONDS: String(GRACE_SECONDS),
    };
    const own = { ...window, DEFAULT_PLAN: 'growth' };
    ({ service } = await startIsolatedService({ environment: own }));
    ({ client } = await configureAccount(service.baseUrl, {
      ...stack.environment,
      DASHBOARD_TOKEN: token,
    }));
  });
  after(() => service?.stop());

  const announce = () =>
    client.init({ fileName: 'a.txt', contentType: 'text/plain', fileSizeBytes: 5 });
  const put = (url: string) =>
    fetch(url, { method: 'PUT', body: 'hello', headers: { 'content-type': 'text/plain' } });

  async function settled(fileId: string) {
    const isSettled = async () => (await client.getFile(fileId)).status !== 'pending';
    await eventually('it is settled', isSettled);
    return await client.getFile(fileId);
  }

  it('closes: the file expires, its URL is dead, its reservation is given back', async () => {
    const { uploadsBooked } = (await client.me()).usage;
    const { fileId, presignedUrl } = await announce();
    assert.equal((await client.me()).usage.uploadsBooked, uploadsBooked + 1);
    assert.equal((await settled(fileId)).status, 'expired');
    assert.equal((await put(presignedUrl)).status, 403);
    // The status is written first.
    const isGivenBack = async () => (await client.me()).usage.uploadsBooked === uploadsBooked;
    await eventually('its reservation is given back', isGivenBack);
    await assert.rejects(client.complete(fileId), { status: 409, code: 'file_expired' });
    assert.equal((await client.deleteFile(fileId)).status, 'deleted');
    await assert.rejects(client.complete(fileId), { status: 410, code: 'file_deleted' });
  });

  it('closes on bytes without a complete: the file is active and counted once', async () => {
    const before = (await client.me()).usage.uploads;
    const { fileId, presignedUrl } = await announce();
    assert.equal((await put(presignedUrl)).status, 200);
    const file = await settled(fileId);
    assert.equal(file.status, 'active');
    assert.notEqual(file.downloadUrl, null);
    assert.equal((await client.complete(fileId)).status, 'active');
    const isCounted = async () => (await client.me()).usage.uploads === before + 1;
    await eventually('it is counted', isCounted);
  });
});
