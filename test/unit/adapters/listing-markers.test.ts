import assert from 'node:assert/strict';
import { readObjectsPage, readVersionsPage } from '../../../adapters/object-store/list-answers.ts';
import { listUploadsPage } from '../../../adapters/object-store/multipart-uploads.ts';
import type { S3Call } from '../../../adapters/object-store/s3-client.ts';

const objects = (...keys: string[]) =>
  Buffer.from(
    `<ListBucketResult><IsTruncated>true</IsTruncated>${keys
      .map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`)
      .join('')}</ListBucketResult>`,
  );
const versions = (key: string, versionId: string) =>
  Buffer.from(
    `<ListVersionsResult><IsTruncated>true</IsTruncated><NextKeyMarker>${key}</NextKeyMarker>` +
      `<NextVersionIdMarker>${versionId}</NextVersionIdMarker></ListVersionsResult>`,
  );
const uploads =
  (Key: string, UploadId: string): S3Call =>
  async () =>
    ({ Uploads: [{ Key, UploadId }], IsTruncated: true }) as never;

const entry = (kind: string, key: string, day: number) =>
  `<${kind}><Key>${key}</Key><VersionId>${key}${day}</VersionId>` +
  `<LastModified>2026-11-0${day}T00:00:00.000Z</LastModified><Size>1</Size></${kind}>`;
const page = (...entries: string[]) =>
  Buffer.from(
    `<ListVersionsResult><IsTruncated>true</IsTruncated>${entries.join('')}</ListVersionsResult>`,
  );

/** A store that sends the same page again must not be listed without end. */
describe('a truncated page of a listing', () => {
  it('of objects must lead to a later key', () => {
    assert.equal(readObjectsPage(objects('b', 'c'), 'a').next?.key, 'c');
    assert.equal(readObjectsPage(objects('\u{e000}'), 'z').next?.key, '\u{e000}');
    for (const after of ['c', 'd']) assert.throws(() => readObjectsPage(objects('b', 'c'), after));
    // In UTF-8, not in UTF-16, an emoji is behind U+E000.
    assert.throws(() => readObjectsPage(objects('\u{e000}'), '\u{1f600}'));
  });

  it('of versions must lead to a later key, or to another version of the key', () => {
    const after = { key: 'b', versionId: '2' };
    assert.equal(readVersionsPage(versions('c', '1'), after).next?.key, 'c');
    assert.equal(readVersionsPage(versions('b', '1'), after).next?.versionId, '1');
    for (const [key, versionId] of [
      ['b', '2'],
      ['b', ''],
      ['a', '9'],
    ] as const)
      assert.throws(() => readVersionsPage(versions(key, versionId), after), /advance/);
  });

  it('of versions is merged by key where the store lists its delete markers first', () => {
    const markers = [entry('DeleteMarker', 'b', 2), entry('DeleteMarker', 'd', 3)];
    const written = [entry('Version', 'a', 1), entry('Version', 'b', 1), entry('Version', 'b', 3)];
    const { entries, next } = readVersionsPage(page(...markers, ...written), null);
    assert.deepEqual(
      entries.map(({ key, kind, lastModified }) => [key, kind, lastModified.slice(9, 10)]),
      [
        ['a', 'old_version', '1'],
        ['b', 'old_version', '3'],
        ['b', 'delete_marker', '2'],
        ['b', 'old_version', '1'],
        ['d', 'delete_marker', '3'],
      ],
    );
    assert.deepEqual(next, { key: 'd', versionId: 'd3' });
    const falling = page(...markers.toReversed(), ...written);
    assert.throws(() => readVersionsPage(falling, null), /order/);
  });

  it('of versions has the newest of a key first, where the markers of one key come first too', () => {
    const kindsOf = (...entries: string[]) =>
      readVersionsPage(page(...entries), null).entries.map(
        ({ kind, lastModified }) => `${kind} ${lastModified.slice(9, 10)}`,
      );
    const markers = [entry('DeleteMarker', 'a', 4), entry('DeleteMarker', 'a', 2)];
    const written = [5, 3, 1].map((day) => entry('Version', 'a', day));
    assert.deepEqual(kindsOf(...markers, ...written), [
      'old_version 5',
      'delete_marker 4',
      'old_version 3',
      'delete_marker 2',
      'old_version 1',
    ]);
    // S3 dates an upload in parts by its start: the order of its listing is kept.
    const [newest, marker, oldest] = [
      entry('Version', 'a', 2),
      entry('DeleteMarker', 'a', 3),
      entry('Version', 'a', 1),
    ];
    assert.deepEqual(kindsOf(newest, marker, oldest), [
      'old_version 2',
      'delete_marker 3',
      'old_version 1',
    ]);
  });

  it('of uploads must lead to a later key, or to another upload of the key', async () => {
    const after = { key: 'b', uploadId: '2' };
    const list = (call: S3Call) => listUploadsPage(call, { Bucket: 'bucket', after });
    assert.equal((await list(uploads('b', '3'))).isTruncated, true);
    assert.equal((await list(uploads('c', '1'))).isTruncated, true);
    await assert.rejects(list(uploads('b', '2')));
    await assert.rejects(list(uploads('a', '3')));
  });
});
