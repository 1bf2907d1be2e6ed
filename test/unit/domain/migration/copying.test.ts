import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { MAX_PARTS, PART_BYTES, partSizeFor } from '../../../../domain/common/parts.ts';
import * as copying from '../../../../domain/migrations/copying.ts';
import { isKeyTooLong, maxSourceKeyBytes } from '../../../../domain/migrations/copying.ts';

const MIB = 2 ** 20;
const MD5 = '5d41402abc4b2a76b9719d911017c592';
const OTHER_MD5 = '7d793037a0760186574b0282f2f435e7';

describe('the rules of copying an object', () => {
  it('takes parts of the least whole MiB from 64 on with which 10,000 are enough', () => {
    const check = (sizeBytes: number) => {
      const part = partSizeFor(sizeBytes, PART_BYTES);
      assert.ok(part >= PART_BYTES && part % MIB === 0);
      assert.ok(Math.ceil(sizeBytes / part) <= MAX_PARTS);
      if (part > PART_BYTES) assert.ok(Math.ceil(sizeBytes / (part - MIB)) > MAX_PARTS);
    };
    const bounds = [0, 10_000 * 64 * MIB, 10_000 * 64 * MIB + 1, 10_000 * 65 * MIB];
    fc.assert(fc.property(fc.integer({ min: 0, max: 50 * 2 ** 40 }), check), {
      examples: bounds.map((sizeBytes) => [sizeBytes]),
    });
    assert.equal(partSizeFor(5 * 2 ** 40, PART_BYTES), 525 * MIB);
  });

  it('recognises an MD5 by its form', () => {
    assert.ok(copying.isPlainMd5(MD5));
    for (const etag of [`${MD5}-2`, MD5.toUpperCase(), MD5.slice(1), '', `"${MD5}"`])
      assert.ok(!copying.isPlainMd5(etag), etag);
  });

  const PARTS = `${MD5}-2`;
  const OTHER_PARTS = `${OTHER_MD5}-2`;
  const OPAQUE = { isOpaque: true, md5: null };
  for (const [what, expected, source, target, encryption] of [
    ['the same MD5', true, MD5, MD5],
    ['other MD5s', false, MD5, OTHER_MD5],
    ['the same ETag of as many parts', true, PARTS, PARTS],
    ['other ETags of as many parts', false, PARTS, OTHER_PARTS],
    ['ETags of other numbers of parts', undefined, PARTS, `${MD5}-3`],
    ['an MD5 and an ETag of parts', undefined, MD5, PARTS],
    ['no ETags at all', undefined, '', ''],
    ['the same ETag under a key of KMS', undefined, MD5, MD5, OPAQUE],
    ['the same ETag of parts under a key of KMS', undefined, PARTS, PARTS, OPAQUE],
  ] as [string, boolean | undefined, string, string, object?][]) {
    it(`${expected === undefined ? 'cannot tell' : expected ? 'takes as equal' : 'takes as different'} by ${what}`, () => {
      const { isPlainMd5, isSameByEtags } = copying;
      const etagOf = (etag: string, more = {}) => {
        return { etag, md5: isPlainMd5(etag) ? etag : null, isOpaque: false, ...more };
      };
      assert.equal(isSameByEtags(etagOf(source), etagOf(target, encryption)), expected);
    });
  }

  it('puts the prefix of the target in front of the key, and measures it in bytes', () => {
    const keyAt = (bucket: string, key: string) =>
      copying.toTargetKey(copying.defaultKeyPrefix(bucket), key);
    assert.equal(keyAt('photos', '/a/../b//'), 'photos//a/../b//');
    const keys = ['a'.repeat(1_024), 'a'.repeat(1_025), 'é'.repeat(512), 'é'.repeat(513)];
    assert.deepEqual(keys.map(isKeyTooLong), [false, true, false, true]);
    assert.equal(maxSourceKeyBytes('photos'), 1_017);
    for (const bucket of ['abc', 'photos.example', 'b'.repeat(63)]) {
      const longest = 'k'.repeat(maxSourceKeyBytes(bucket));
      const [fits, tooLong] = [longest, `${longest}k`].map((key) => keyAt(bucket, key));
      assert.deepEqual(
        [fits, tooLong].map((key) => isKeyTooLong(key ?? '')),
        [false, true],
      );
    }
  });
});
