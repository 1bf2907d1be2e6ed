import assert from 'node:assert/strict';
import { PutObjectTaggingCommand } from '@aws-sdk/client-s3';
import { readIfSame } from '../../../activities/object-copy/verify-object.ts';
import { StoreError } from '../../../adapters/object-store/errors.ts';
import { PART_BYTES } from '../../../domain/common/parts.ts';
import { toTargetKey } from '../../../domain/migration/copying.ts';
import { onTheWire } from '../../contract/store-under-test.ts';
import { opened } from '../../harness/opened.ts';
import {
  copyErrorOf,
  createCopyHarness,
  isAtTarget,
  MIB,
  SOURCE_BUCKET,
  TARGET_BUCKET,
  unlimited,
  type CopyHarness,
} from '../../harness/object-copy.ts';

type Copied = Awaited<ReturnType<CopyHarness['copy']>>;
type Entry = Parameters<CopyHarness['copy']>[0];

describe('copying an object', () => {
  const harness = opened(createCopyHarness);

  async function requireVerified(entry: Entry, copied: Copied): Promise<void> {
    const key = toTargetKey(SOURCE_BUCKET, entry.key);
    const found = (await harness.stores.target.head(key)) ?? assert.fail(key);
    const { sha256, notCarried } = copied;
    const mayBeOurs = { mayBeOurs: true };
    const read = await readIfSame(harness.deps(), entry, { key, ...found }, mayBeOurs);
    assert.deepEqual(read, { sha256, notCarried });
  }

  // Other sizes, and every kind of key: `move.test.ts`.
  for (const size of [PART_BYTES, 2 * PART_BYTES + 1])
    it(`copies and verifies ${size} bytes, in parts where they are more than one`, async () => {
      const entry = await harness.seed({ key: `sizes/${size}`, size });
      const uploads: string[] = [];
      const copied = await harness.copy(entry, {
        uploads: {
          note: ({ uploadId }) => Promise.resolve(void uploads.push(uploadId)),
          remove: () => Promise.resolve(),
        },
      });
      const head = await isAtTarget(harness, entry, copied.sha256);
      assert.equal(head.ETag, `"${copied.targetEtag}"`);
      assert.equal(uploads.length, size > PART_BYTES ? 1 : 0);
      if (size > PART_BYTES) assert.match(copied.targetEtag, /-3$/);
      else assert.equal(copied.targetEtag, entry.etag);
      await requireVerified(entry, copied);
    });

  it('copies parts side by side, and hashes them in their order, also where one is copied again', async () => {
    const PARTS = 5;
    const entry = await harness.seed({ key: 'parts', size: (PARTS - 1) * PART_BYTES + 1 });
    const limits = unlimited({ bufferedBytes: 3 * PART_BYTES });
    const { target } = harness.stores;
    const writing = new Set<number>();
    let mostAtOnce = 0;
    let hasFailed = false;
    let isAheadDone = (): void => {};
    const aheadDone = new Promise<void>((resolve) => {
      isAheadDone = resolve;
    });
    const writePart: typeof target.writePart = async (key, id, part, body, options) => {
      writing.add(part);
      mostAtOnce = Math.max(mostAtOnce, writing.size);
      try {
        const etag = await target.writePart(key, id, part, body, options);
        // The first part ends after the others, one of which fails once.
        if (part === 1) await aheadDone;
        if (part === 4) isAheadDone();
        if (part !== 3 || hasFailed) return etag;
        hasFailed = true;
        throw new StoreError('unreachable');
      } finally {
        writing.delete(part);
      }
    };
    const copied = await harness.copy(entry, { limits, target: { ...target, writePart } });
    await isAtTarget(harness, entry, copied.sha256);
    assert.equal(mostAtOnce, 4);
  });

  for (const encryption of ['aws:kms', 'aws:kms:dsse'])
    for (const size of [5, 9 * MIB, PART_BYTES + 5]) {
      it(`copies ${size} bytes under ${encryption}, whose ETag is no MD5 of them`, async () => {
        const entry = await harness.seed({ key: `${encryption}/${size}`, size, encryption });
        assert.match(entry.etag, /^[0-9a-f]{32}$/);
        const copied = await harness.copy(entry);
        await isAtTarget(harness, entry, copied.sha256);
        assert.notEqual(copied.targetEtag, entry.etag);
        await requireVerified(entry, copied);
      });
    }

  it('leaves an object whose ETag proves nothing, and whose bytes nothing else proves', async () => {
    const encryption = '<SSEAlgorithm>aws:kms</SSEAlgorithm>';
    harness.target.putBucket({ name: TARGET_BUCKET, settings: { encryption } });
    try {
      for (const size of [5, 9 * MIB, PART_BYTES + 5]) {
        const entry = await harness.seed({ key: `unproven/${size}`, size });
        // It was not measured whether the target checks Content-MD5.
        const { code, isTransient } = await copyErrorOf(harness.copy(entry));
        assert.deepEqual([code, isTransient], ['target_differs', true]);
        // The next attempt finds it there, and reads it back.
        const key = toTargetKey(SOURCE_BUCKET, entry.key);
        const found = (await harness.stores.target.head(key)) ?? assert.fail(key);
        const same = await readIfSame(
          harness.deps(),
          entry,
          { key, ...found },
          { mayBeOurs: true },
        );
        assert.notEqual(same?.sha256, undefined);
      }
    } finally {
      harness.target.putBucket({ name: TARGET_BUCKET, settings: { encryption: '' } });
    }
  });

  it("does not copy an object under its owner's key, which no service has", async () => {
    for (const size of [5, PART_BYTES + 5]) {
      const entry = await harness.seed({ key: `customer/${size}`, size, encryption: 'customer' });
      const { code, side } = await copyErrorOf(harness.copy(entry));
      assert.deepEqual([code, side], ['source_refused', 'source']);
    }
  });

  for (const size of [5, 9 * MIB, PART_BYTES + 5]) {
    it(`carries each header of ${size} bytes, and counts what it cannot`, async () => {
      const key = `headers/${size}`;
      const headers = {
        'content-encoding': 'gzip',
        'content-language': 'de-CH, fr',
        'content-disposition': `attachment; filename="a  b.txt"`,
        'cache-control': 'private, max-age=60',
        expires: 'Thu, 01 Jan 2032 00:00:00 GMT',
      };
      const metadata = {
        plain: 'a value, with  "marks"',
        unicode: onTheWire('à la carte: 日本語 😀 Ã\u00a0'),
      };
      const lock = { 'x-amz-object-lock-mode': 'GOVERNANCE' };
      const contentType = 'text/x-test; charset=utf-8';
      const kept = { contentType, headers: { ...headers, ...lock }, metadata };
      const entry = await harness.seed({ key, size, ...kept });
      const tagging = { TagSet: [{ Key: 'a', Value: 'b' }] };
      await harness.sourceClient.send(
        new PutObjectTaggingCommand({ Bucket: SOURCE_BUCKET, Key: key, Tagging: tagging }),
      );
      const { notCarried } = await harness.copy(entry);
      assert.deepEqual(notCarried, ['tags', 'lock']);
      const found = await harness.stores.target.head(toTargetKey(SOURCE_BUCKET, key));
      assert.deepEqual(found?.headers, {
        'content-type': contentType,
        ...headers,
        'x-amz-meta-plain': metadata.plain,
        'x-amz-meta-unicode': metadata.unicode,
        'x-amz-meta-src-etag': entry.etag,
        'x-amz-meta-src-last-modified': entry.lastModified,
        'x-amz-meta-migration-id': 'mig_0123456789',
      });
      assert.deepEqual(found.notCarried, []);
    });
  }

  it('does not store aws-chunked as an encoding of the object', async () => {
    for (const [encoding, kept] of [
      ['aws-chunked', undefined],
      ['aws-chunked,gzip', 'gzip'],
    ] as const) {
      const headers = { 'content-encoding': encoding };
      const entry = await harness.seed({ key: `encoding/${encoding}`, text: 'x', headers });
      await harness.copy(entry);
      const found = await harness.stores.target.head(toTargetKey(SOURCE_BUCKET, entry.key));
      assert.equal(found?.headers['content-encoding'], kept);
    }
  });
});
