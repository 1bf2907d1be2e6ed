import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createAccessKey } from '../../../dev/parts/cloud-account.ts';
import { toCredentials } from '../../../dev/first-account.ts';
import type { Stack } from '../../../dev/stack.ts';
import {
  assertRefused,
  eventually,
  type Customer,
  type StoredDocument,
} from '../../harness/customer.ts';
import { localServers } from '../../servers.ts';
import { newCustomer, sharedDatabase, sharedTemporal } from '../customers.ts';

const EIGHT_DAYS_MS = 8 * 86_400_000;

describe('a delete that cannot succeed', () => {
  let stack: Stack;
  const [database, temporal] = [sharedDatabase(), sharedTemporal()];

  before(async () => {
    ({ stack } = await localServers());
  });

  const save = async (customer: Customer, changes: Record<string, string> = {}) => {
    const settings = { ...toCredentials('r2', stack.environment), ...changes };
    const saved = await customer.manage('POST /v1/providers', settings);
    assert.equal(saved.status, 200, saved.text);
  };
  const removeProvider = async (customer: Customer) =>
    (await customer.manage('DELETE /v1/providers/r2')).status;

  it('is shown with its error, gives its provider free, and goes on with new credentials', async () => {
    const customer = await newCustomer('r2');
    const { fileId } = await customer.send();
    assert.equal((await customer.complete(fileId)).status, 200);
    await save(customer, { secretAccessKey: 'wrong-secret-wrong-secret' });
    assert.equal((await customer.delete(fileId)).status, 202);
    assertRefused(await customer.get(fileId), { status: 410, code: 'file_deleted' });
    assert.equal(await removeProvider(customer), 409);
    const deleteStartedAt = new Date(Date.now() - EIGHT_DAYS_MS);
    await database.db
      .collection<StoredDocument>('files')
      .updateOne({ _id: fileId }, { $set: { deleteStartedAt } });
    await eventually('the delete stops', async () => (await customer.get(fileId)).status === 200);

    const { body } = await customer.get(fileId);
    assert.deepEqual([body['status'], body['downloadUrl']], ['deleting', null]);
    assert.deepEqual(body['error'], {
      code: 'provider_error',
      message: 'Cloudflare R2 (r2): it refused the credentials, or they do not permit this.',
    });
    assertRefused(await customer.complete(fileId), { status: 410, code: 'file_deleted' });
    assert.equal(await removeProvider(customer), 204);
    assert.deepEqual((await customer.get(fileId)).body, body, 'also without the provider');
    assertRefused(await customer.delete(fileId), { status: 400, code: 'provider_not_configured' });

    await save(customer);
    assertRefused(await customer.get(fileId), { status: 410, code: 'file_deleted' });
    await temporal.schedule.getHandle('sweep-uploads').trigger('CANCEL_OTHER');
    await eventually('the sweep continues it', async () => {
      const [file] = await database.read('files', { _id: fileId });
      return file?.status === 'deleted';
    });
    assert.equal((await customer.delete(fileId)).status, 200);
  });

  for (const multipart of [false, true])
    it(`has succeeded where the bucket is gone, ${multipart ? 'also of parts' : 'of one PUT'}`, async () => {
      const double = stack.cloud?.double ?? assert.fail('the stack has no AWS double');
      const place = { provider: 'aws', bucketName: `gone-${randomUUID()}`, region: 'us-east-1' };
      const key = createAccessKey();
      double.putUser(key);
      double.putBucket({ name: place.bucketName, region: place.region });
      const customer = await newCustomer();
      const saved = await customer.manage('POST /v1/providers', { ...place, ...key });
      assert.equal(saved.status, 200, saved.text);
      const file = { fileName: 'a.bin', contentType: 'a/b', fileSizeBytes: 10, multipart };
      const announced = await customer.call('POST /v1/upload/init', file);
      assert.equal(announced.status, 201, announced.text);
      double.removeBucket(place.bucketName);
      assert.equal((await customer.delete(String(announced.body['fileId']))).status, 200);
    });
});
