import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';

import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';

import type { AwsDouble } from '../src/index.ts';
import { failsWith, s3Client, startDouble } from './fixture.ts';

const Bucket = 'objects';

describe('objects in the AWS double', () => {
  let double: AwsDouble;
  let s3: S3Client;

  before(async () => {
    double = await startDouble();
    double.putBucket({ name: Bucket });
    s3 = s3Client(double);
  });
  after(async () => {
    s3.destroy();
    await double.close();
  });

  async function read(Key: string): Promise<Buffer> {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
    return Buffer.from((await Body?.transformToByteArray()) ?? []);
  }

  it('stores bytes, headers and metadata, and answers the MD5 as ETag', async () => {
    const Body = randomBytes(10_000);
    const headers = {
      ContentType: 'text/plain; charset=utf-8',
      ContentEncoding: 'gzip',
      ContentLanguage: 'de',
      ContentDisposition: 'attachment; filename="a.txt"',
      CacheControl: 'max-age=60',
      Expires: new Date('2031-01-01T00:00:00Z'),
      StorageClass: 'STANDARD_IA',
    } as const;
    const Metadata = { colour: 'blue', 'two-words': 'a  b' };
    const put = await s3.send(
      new PutObjectCommand({ Bucket, Key: 'a', Body, ...headers, Metadata, Tagging: 'x=1&y=2' }),
    );
    assert.equal(put.ETag, `"${createHash('md5').update(Body).digest('hex')}"`);
    const head = await s3.send(new HeadObjectCommand({ Bucket, Key: 'a' }));
    assert.equal(head.ContentLength, 10_000);
    assert.equal(head.ContentType, headers.ContentType);
    assert.equal(head.ContentEncoding, 'gzip');
    assert.equal(head.ContentLanguage, 'de');
    assert.equal(head.ContentDisposition, headers.ContentDisposition);
    assert.equal(head.CacheControl, 'max-age=60');
    assert.equal(head.StorageClass, 'STANDARD_IA');
    assert.deepEqual(head.Metadata, Metadata);
    assert.ok(head.LastModified instanceof Date);
    assert.deepEqual(await read('a'), Body);
  });

  it('stores a body above the memory limit on disk', async () => {
    const Body = randomBytes(6 * 1024 * 1024);
    await s3.send(new PutObjectCommand({ Bucket, Key: 'large', Body }));
    assert.deepEqual(await read('large'), Body);
    await s3.send(new CopyObjectCommand({ Bucket, Key: 'large-2', CopySource: `${Bucket}/large` }));
    await s3.send(new DeleteObjectCommand({ Bucket, Key: 'large' }));
    assert.deepEqual(await read('large-2'), Body);
  });

  it('accepts a stream of the SDK in chunks with a trailing checksum', async () => {
    const bytes = randomBytes(300_000);
    await s3.send(
      new PutObjectCommand({
        Bucket,
        Key: 'stream',
        Body: Readable.from([bytes.subarray(0, 100_000), bytes.subarray(100_000)]),
        ContentLength: bytes.length,
        ContentEncoding: 'br',
      }),
    );
    assert.deepEqual(await read('stream'), bytes);
    const head = await s3.send(new HeadObjectCommand({ Bucket, Key: 'stream' }));
    assert.equal(head.ContentEncoding, 'br');
  });

  for (const ChecksumAlgorithm of ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const) {
    it(`verifies and gives back the checksum ${ChecksumAlgorithm}`, async () => {
      const Key = `sum-${ChecksumAlgorithm}`;
      const Body = randomBytes(1000);
      await s3.send(new PutObjectCommand({ Bucket, Key, Body, ChecksumAlgorithm }));
      assert.deepEqual(await read(Key), Body);
    });
  }

  it('refuses a body that does not match its checksum or MD5', async () => {
    const put = { Bucket, Key: 'bad', Body: 'body' };
    const md5 = createHash('md5').update('other').digest('base64');
    await assert.rejects(
      s3.send(new PutObjectCommand({ ...put, ContentMD5: md5 })),
      failsWith('BadDigest', 400),
    );
    await assert.rejects(
      s3.send(new PutObjectCommand({ ...put, ContentMD5: 'short' })),
      failsWith('InvalidDigest', 400),
    );
    await assert.rejects(
      s3.send(new PutObjectCommand({ ...put, ChecksumCRC32: 'AAAAAA==' })),
      failsWith('BadDigest', 400),
    );
    await assert.rejects(
      s3.send(new HeadObjectCommand({ Bucket, Key: 'bad' })),
      failsWith('NotFound', 404),
    );
  });

  it('answers ranges, and 416 outside of the object', async () => {
    await s3.send(new PutObjectCommand({ Bucket, Key: 'digits', Body: '0123456789' }));
    const get = async (Range: string): Promise<[string | undefined, string | undefined]> => {
      const answer = await s3.send(new GetObjectCommand({ Bucket, Key: 'digits', Range }));
      return [await answer.Body?.transformToString(), answer.ContentRange];
    };
    assert.deepEqual(await get('bytes=2-4'), ['234', 'bytes 2-4/10']);
    assert.deepEqual(await get('bytes=7-'), ['789', 'bytes 7-9/10']);
    assert.deepEqual(await get('bytes=-3'), ['789', 'bytes 7-9/10']);
    assert.deepEqual(await get('bytes=8-99'), ['89', 'bytes 8-9/10']);
    await assert.rejects(get('bytes=10-'), failsWith('InvalidRange', 416));
  });

  it('supports conditional reads', async () => {
    const { ETag } = await s3.send(new PutObjectCommand({ Bucket, Key: 'cond', Body: 'x' }));
    const get = (conditions: object): Promise<unknown> =>
      s3.send(new GetObjectCommand({ Bucket, Key: 'cond', ...conditions }));
    await get({ IfMatch: ETag });
    await assert.rejects(get({ IfMatch: '"other"' }), failsWith('PreconditionFailed', 412));
    await assert.rejects(get({ IfNoneMatch: ETag }), failsWith('Unknown', 304));
    await assert.rejects(
      get({ IfModifiedSince: new Date(Date.now() - 1000) }).then(() =>
        get({ IfModifiedSince: new Date(Date.now()) }),
      ),
      failsWith('Unknown', 304),
    );
  });

  it('supports conditional writes', async () => {
    const put = (conditions: object, Key = 'once'): Promise<{ ETag?: string | undefined }> =>
      s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x', ...conditions }));
    const { ETag } = await put({ IfNoneMatch: '*' });
    await assert.rejects(put({ IfNoneMatch: '*' }), failsWith('PreconditionFailed', 412));
    await put({ IfMatch: ETag });
    await assert.rejects(put({ IfMatch: '"other"' }), failsWith('PreconditionFailed', 412));
    await assert.rejects(put({ IfMatch: ETag }, 'absent'), failsWith('NoSuchKey', 404));
  });

  it('lets only one of many writers win with If-None-Match', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, (_unused, at) =>
        s3.send(new PutObjectCommand({ Bucket, Key: 'race', Body: `${at}`, IfNoneMatch: '*' })),
      ),
    );
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
  });

  it('overrides headers of the answer', async () => {
    await s3.send(new PutObjectCommand({ Bucket, Key: 'over', Body: 'x' }));
    const answer = await s3.send(
      new GetObjectCommand({
        Bucket,
        Key: 'over',
        ResponseContentDisposition: 'attachment; filename="b"',
        ResponseContentType: 'application/x-test',
      }),
    );
    assert.equal(answer.ContentDisposition, 'attachment; filename="b"');
    assert.equal(answer.ContentType, 'application/x-test');
    await answer.Body?.transformToString();
  });

  it('answers AWS codes for missing objects', async () => {
    await assert.rejects(
      s3.send(new GetObjectCommand({ Bucket, Key: 'absent' })),
      failsWith('NoSuchKey', 404),
    );
    await assert.rejects(
      s3.send(new GetObjectCommand({ Bucket: 'no-such-bucket', Key: 'a' })),
      failsWith('NoSuchBucket', 404),
    );
    const gone = await s3.send(new DeleteObjectCommand({ Bucket, Key: 'absent' }));
    assert.equal(gone.$metadata.httpStatusCode, 204);
  });

  it('refuses GET of archived objects, and answers HEAD', async () => {
    for (const StorageClass of ['GLACIER', 'DEEP_ARCHIVE'] as const) {
      const Key = `cold-${StorageClass}`;
      await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x', StorageClass }));
      await assert.rejects(
        s3.send(new GetObjectCommand({ Bucket, Key })),
        failsWith('InvalidObjectState', 403),
      );
      const head = await s3.send(new HeadObjectCommand({ Bucket, Key }));
      assert.equal(head.StorageClass, StorageClass);
    }
    await s3.send(
      new PutObjectCommand({ Bucket, Key: 'ir', Body: 'x', StorageClass: 'GLACIER_IR' }),
    );
    assert.equal((await read('ir')).toString(), 'x');
  });

  it('copies with or without new metadata', async () => {
    const source = { Bucket, Key: 'from ä+?', Body: 'copied', ContentType: 'text/x-a' };
    await s3.send(new PutObjectCommand({ ...source, Metadata: { a: '1' }, Tagging: 't=1' }));
    const CopySource = `${Bucket}/${encodeURIComponent(source.Key)}`;
    const copy = await s3.send(new CopyObjectCommand({ Bucket, Key: 'to', CopySource }));
    assert.equal(
      copy.CopyObjectResult?.ETag,
      `"${createHash('md5').update('copied').digest('hex')}"`,
    );
    const head = await s3.send(new HeadObjectCommand({ Bucket, Key: 'to' }));
    assert.deepEqual([head.ContentType, head.Metadata], ['text/x-a', { a: '1' }]);
    await s3.send(
      new CopyObjectCommand({
        Bucket,
        Key: 'to',
        CopySource,
        MetadataDirective: 'REPLACE',
        Metadata: { b: '2' },
        StorageClass: 'STANDARD_IA',
      }),
    );
    const replaced = await s3.send(new HeadObjectCommand({ Bucket, Key: 'to' }));
    assert.deepEqual(replaced.Metadata, { b: '2' });
    assert.equal(replaced.StorageClass, 'STANDARD_IA');
  });

  it('refuses to copy an object onto itself unchanged', async () => {
    await s3.send(new PutObjectCommand({ Bucket, Key: 'self', Body: 'x' }));
    await assert.rejects(
      s3.send(new CopyObjectCommand({ Bucket, Key: 'self', CopySource: `${Bucket}/self` })),
      failsWith('InvalidRequest', 400),
    );
  });

  const ODD_KEYS = [
    'a//b',
    '/leading',
    'trailing/',
    '.',
    '..',
    'a/./b',
    'a/../b',
    'a/../../b',
    ' blank ',
    'plus+sign',
    'percent%41',
    'question?mark&amp;=',
    'hash#tag',
    'control\u0001\u001f\u007f',
    'line\nfeed\r\ttab',
    'umlaut-ä-日本語',
    'emoji-😀-\u{10ffff}',
    '\ufeffbom',
    'back\\slash',
    'quote\'"<>',
    '~-_.!*()',
    'k'.repeat(1024),
  ];
  it('preserves unusual keys from PUT to listing', async () => {
    double.putBucket({ name: 'odd' });
    for (const Key of ODD_KEYS) {
      await s3.send(new PutObjectCommand({ Bucket: 'odd', Key, Body: Key }));
    }
    for (const Key of ODD_KEYS) {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: 'odd', Key }));
      assert.equal(await Body?.transformToString(), Key);
    }
    const list = await s3.send(new ListObjectsV2Command({ Bucket: 'odd', EncodingType: 'url' }));
    const listed = (list.Contents ?? []).map(({ Key = '' }) =>
      decodeURIComponent(Key.replaceAll('+', ' ')),
    );
    assert.deepEqual([...listed].sort(), [...ODD_KEYS].sort());
  });

  it('refuses a key over 1,024 bytes', async () => {
    await assert.rejects(
      s3.send(new PutObjectCommand({ Bucket, Key: 'ä'.repeat(513), Body: '' })),
      failsWith('KeyTooLongError', 400),
    );
  });
});
