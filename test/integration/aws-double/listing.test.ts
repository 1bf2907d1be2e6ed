import assert from 'node:assert/strict';

import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  paginateListObjectsV2,
  PutBucketVersioningCommand,
  PutObjectCommand,
  type ListObjectsV2CommandInput,
  type ListObjectVersionsCommandInput,
  type S3Client,
} from '@aws-sdk/client-s3';

import type { AwsDouble } from '../../../dev/aws-double/index.ts';
import { failsWith, s3Client, startDouble } from '../../harness/aws-double.ts';

const Bucket = 'listed';

function byBytes(keys: readonly string[]): string[] {
  return [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

describe('listings of the AWS double', () => {
  let double: AwsDouble;
  let s3: S3Client;

  beforeEach(async () => {
    double = await startDouble();
    double.putBucket({ name: Bucket });
    s3 = s3Client(double);
  });
  afterEach(async () => {
    s3.destroy();
    await double.close();
  });

  function seed(...keys: readonly string[]): void {
    double.seed({ bucket: Bucket, objects: keys.map((key) => ({ key })) });
  }
  async function pages(input: Partial<ListObjectsV2CommandInput>): Promise<string[][]> {
    const found: string[][] = [];
    for await (const page of paginateListObjectsV2({ client: s3 }, { Bucket, ...input })) {
      const keys = (page.Contents ?? []).map(({ Key = '' }) => Key);
      const groups = (page.CommonPrefixes ?? []).map(({ Prefix = '' }) => `${Prefix}*`);
      assert.equal(page.KeyCount, keys.length + groups.length);
      found.push([...keys, ...groups]);
    }
    return found;
  }

  it('orders keys by their UTF-8 bytes, also beyond the basic plane', async () => {
    const keys = ['a', 'B', 'b', 'ä', '\uffee', '😀', '\ue000', 'a/', 'a\u0000', '\u{10ffff}', 'é'];
    seed(...keys);
    assert.notDeepEqual([...keys].sort(), byBytes(keys), 'JavaScript orders otherwise');
    const listed = await s3.send(new ListObjectsV2Command({ Bucket, EncodingType: 'url' }));
    assert.deepEqual(
      listed.Contents?.map(({ Key = '' }) => decodeURIComponent(Key)),
      byBytes(keys),
    );
    for (const StartAfter of keys) {
      const after = await s3.send(
        new ListObjectsV2Command({ Bucket, EncodingType: 'url', StartAfter }),
      );
      const expected = byBytes(keys).slice(byBytes(keys).indexOf(StartAfter) + 1);
      const found = (after.Contents ?? []).map(({ Key = '' }) => decodeURIComponent(Key));
      assert.deepEqual(found, expected);
    }
  });

  it('pages through everything once with every page size', async () => {
    const keys = Array.from({ length: 25 }, (_unused, at) => `k${at}`);
    seed(...keys);
    for (const MaxKeys of [1, 7, 25, 1000]) {
      const found = await pages({ MaxKeys });
      assert.deepEqual(found.flat(), byBytes(keys));
      assert.equal(found.length, Math.ceil(25 / MaxKeys));
    }
    const none = await s3.send(new ListObjectsV2Command({ Bucket, MaxKeys: 0 }));
    assert.deepEqual([none.KeyCount, none.IsTruncated], [0, false]);
    await assert.rejects(
      s3.send(new ListObjectsV2Command({ Bucket, MaxKeys: -1 })),
      failsWith('InvalidArgument', 400),
    );
  });

  it('groups by delimiter, and counts a group as one', async () => {
    seed('a/1', 'a/2', 'a/b/3', 'b', 'c/1', 'd//x', 'd/x');
    assert.deepEqual((await pages({ Delimiter: '/' })).flat(), ['b', 'a/*', 'c/*', 'd/*']);
    assert.deepEqual((await pages({ Delimiter: '/', Prefix: 'a/' })).flat(), [
      'a/1',
      'a/2',
      'a/b/*',
    ]);
    assert.deepEqual(await pages({ Delimiter: '/', MaxKeys: 1 }), [
      ['a/*'],
      ['b'],
      ['c/*'],
      ['d/*'],
    ]);
    assert.deepEqual((await pages({ Delimiter: '/', Prefix: 'd/' })).flat(), ['d/x', 'd//*']);
    assert.deepEqual((await pages({ Delimiter: '/', Prefix: 'zzz' })).flat(), []);
  });

  it('supports the version 1 listing with markers', async () => {
    seed('a/1', 'a/2', 'b', 'c/1');
    const first = await s3.send(new ListObjectsCommand({ Bucket, Delimiter: '/', MaxKeys: 1 }));
    assert.deepEqual([first.NextMarker, first.IsTruncated], ['a/', true]);
    const second = await s3.send(
      new ListObjectsCommand({ Bucket, Delimiter: '/', Marker: first.NextMarker }),
    );
    assert.deepEqual([second.Contents?.[0]?.Key, second.CommonPrefixes?.[0]?.Prefix], ['b', 'c/']);
    assert.ok(second.Contents?.[0]?.Owner?.ID);
  });
});

describe('versions in the AWS double', () => {
  let double: AwsDouble;
  let s3: S3Client;

  beforeEach(async () => {
    double = await startDouble();
    double.putBucket({ name: Bucket });
    s3 = s3Client(double);
  });
  afterEach(async () => {
    s3.destroy();
    await double.close();
  });

  function setVersioning(Status: 'Enabled' | 'Suspended'): Promise<unknown> {
    return s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status } }));
  }
  async function put(Key: string, Body: string): Promise<string> {
    const { VersionId } = await s3.send(new PutObjectCommand({ Bucket, Key, Body }));
    return VersionId ?? '';
  }
  async function read(Key: string, VersionId?: string): Promise<string | undefined> {
    const command = new GetObjectCommand({ Bucket, Key, VersionId });
    return (await s3.send(command)).Body?.transformToString();
  }
  async function list(input: Partial<ListObjectVersionsCommandInput> = {}): Promise<string[]> {
    const lines: string[] = [];
    let markers: Pick<ListObjectVersionsCommandInput, 'KeyMarker' | 'VersionIdMarker'> = {};
    for (;;) {
      const page = await s3.send(new ListObjectVersionsCommand({ Bucket, ...input, ...markers }));
      for (const { Key, IsLatest, Size } of page.Versions ?? []) {
        lines.push(`${Key} ${Size}${IsLatest ? ' latest' : ''}`);
      }
      for (const { Key, IsLatest } of page.DeleteMarkers ?? []) {
        lines.push(`${Key} marker${IsLatest ? ' latest' : ''}`);
      }
      if (page.IsTruncated !== true) return lines;
      markers = { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker };
    }
  }

  it('stores every version, and hides a deleted key behind a marker', async () => {
    await put('k', '0');
    await setVersioning('Enabled');
    const first = await put('k', '11');
    const second = await put('k', '222');
    assert.notEqual(first, second);
    assert.deepEqual(
      [await read('k'), await read('k', first), await read('k', 'null')],
      ['222', '11', '0'],
    );
    const gone = await s3.send(new DeleteObjectCommand({ Bucket, Key: 'k' }));
    assert.equal(gone.DeleteMarker, true);
    await assert.rejects(read('k'), failsWith('NoSuchKey', 404));
    await assert.rejects(read('k', gone.VersionId), failsWith('MethodNotAllowed', 405));
    assert.equal((await s3.send(new ListObjectsV2Command({ Bucket }))).KeyCount, 0);
    assert.deepEqual(await list(), ['k 3', 'k 2', 'k 1', 'k marker latest']);
    await s3.send(new DeleteObjectCommand({ Bucket, Key: 'k', VersionId: gone.VersionId }));
    assert.equal(await read('k'), '222');
    await s3.send(new DeleteObjectCommand({ Bucket, Key: 'k', VersionId: second }));
    assert.equal(await read('k'), '11');
    await assert.rejects(read('k', second), failsWith('NoSuchVersion', 404));
  });

  it('overwrites the null version while versioning is suspended', async () => {
    await setVersioning('Enabled');
    await put('k', '1');
    await setVersioning('Suspended');
    assert.equal(await put('k', '22'), 'null');
    assert.equal(await put('k', '333'), 'null');
    assert.deepEqual(await list(), ['k 3 latest', 'k 1']);
    const gone = await s3.send(new DeleteObjectCommand({ Bucket, Key: 'k' }));
    assert.deepEqual([gone.DeleteMarker, gone.VersionId], [true, 'null']);
    assert.deepEqual(await list(), ['k 1', 'k marker latest']);
  });

  it('pages through versions once with every page size', async () => {
    double.putBucket({ name: Bucket, versioning: 'Enabled' });
    const objects = ['a', 'b/1', 'b/2', 'c'].flatMap((key, at) =>
      [1, 2, 3].map((size) => ({
        key,
        size,
        lastModified: `2024-01-0${size}T00:00:0${at}Z`,
      })),
    );
    double.seed({ bucket: Bucket, objects });
    const whole = await list();
    assert.equal(whole.length, 12);
    assert.deepEqual(whole.slice(0, 3), ['a 3 latest', 'a 2', 'a 1']);
    for (const MaxKeys of [1, 2, 5]) assert.deepEqual(await list({ MaxKeys }), whole);
    const grouped = await s3.send(new ListObjectVersionsCommand({ Bucket, Delimiter: '/' }));
    assert.deepEqual([grouped.Versions?.length, grouped.CommonPrefixes], [6, [{ Prefix: 'b/' }]]);
  });
});
