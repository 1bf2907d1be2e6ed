import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { createClient as createBrowserClient } from '../../../sdk/src/browser.ts';
import { ADMIN } from '../../harness/aws-double.ts';
import { assertRefusal } from '../customers.ts';
import { startAnyStore, type AnyStore } from '../migration/own-stores.ts';

const MIB = 2 ** 20;
const RETENTION = {
  'object-lock': '<DefaultRetention><Mode>GOVERNANCE</Mode><Days>1</Days></DefaultRetention>',
};
const FILE = { fileName: 'a.bin', contentType: 'text/plain', fileSizeBytes: 3 };

describe('a store whose bucket has a default Object Lock retention', () => {
  let any: AnyStore;
  before(async () => {
    any = await startAnyStore();
  });
  after(() => any?.close());

  async function lockedCustomer() {
    const customer = await any.customer('own-minio');
    const name = customer.bucketOf('own-minio');
    any.doubles['own-minio'].putBucket({ name, versioning: 'Enabled', settings: RETENTION });
    return customer;
  }

  it('passes its test, which finds the lock; from then on an init must have a digest', async () => {
    const { client, bucketOf } = await lockedCustomer();
    // Before any test nobody is asked for one.
    const begun = [await client.init(FILE)];
    const { ok, checks } = await client.providers.test('own-minio');
    assert.ok(ok, JSON.stringify(checks));
    assert.equal(checks.find(({ name }) => name === 'object_lock')?.supported, true);
    const refused = await client.init(FILE).catch((error: unknown) => error);
    const { status, code, details } = refused as Record<string, unknown>;
    assert.deepEqual([status, code], [400, 'invalid_request']);
    assert.deepEqual(
      (details as { path: string }[]).map(({ path }) => path),
      ['/contentMd5'],
    );
    const contentMd5 = createHash('md5').update('abc').digest('base64');
    begun.push(await client.init({ ...FILE, contentMd5 }));
    assert.equal(begun[1]?.requiredHeaders['Content-MD5'], contentMd5);
    await assertRefusal(
      client.init({ ...FILE, multipart: true }),
      400,
      'provider_not_usable',
      /Our MinIO \(own-minio\).*digest/,
    );
    // The measurement is that of the place.
    const bucketName = `another-${bucketOf('own-minio')}`;
    any.doubles['own-minio'].putBucket({ name: bucketName });
    const { accessKeyId, secretAccessKey } = ADMIN;
    const keys = { accessKeyId, secretAccessKey, region: 'us-east-1' };
    for (const { fileId } of begun) await client.deleteFile(fileId);
    await client.providers.save({ provider: 'own-minio', ...keys, bucketName });
    await client.init(FILE);
  });

  it('takes uploads of the client library, which computes the digest where the source can be read again', async () => {
    const { client, options } = await lockedCustomer();
    await client.providers.test('own-minio');
    const inBrowser = createBrowserClient(options);
    for (const [uploader, size] of [
      [client, 0],
      [client, 65 * MIB],
      [inBrowser, 5 * MIB],
    ] as const) {
      const source = randomBytes(size);
      const { fileId } = await uploader.upload({ fileName: 'a.bin', source: new Blob([source]) });
      const { body } = await client.download(fileId);
      const found = Buffer.from(await new Response(body).arrayBuffer());
      assert.ok(found.equals(source), `${size} bytes`);
    }
    const stream = {
      fileName: 'a.bin',
      source: Readable.from([Buffer.from('abc')]),
      fileSizeBytes: 3,
    };
    await assertRefusal(
      client.upload(stream),
      400,
      'invalid_request',
      /a stream can be read only once/,
    );
  });

  it('is passed over for a file in parts where there is another store', async () => {
    const { client, bucketOf } = await any.customer('r2', 'own-minio');
    any.doubles.r2.putBucket({ name: bucketOf('r2'), settings: RETENTION });
    await client.providers.test('r2');
    const { provider, routingWarning } = await client.init({ ...FILE, multipart: true });
    assert.equal(provider, 'own-minio');
    assert.match(routingWarning ?? '', /R2 \(r2\) .*takes no file in parts/);
  });
});
