import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';

import * as fc from 'fast-check';

import { createBucket } from '../src/store/bucket.ts';
import { compareUtf8 } from '../src/store/order.ts';
import { readSeeded, seededEtag } from '../src/store/seeded.ts';
import { walkBucket } from '../src/s3/walk.ts';
import { childText, element, parseXml, textElement } from '../src/wire/xml.ts';
import { AwsError } from '../src/wire/errors.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 8 });

function bytesOrder(a: string, b: string): number {
  return Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

describe('the order of keys', () => {
  it('is the order of their UTF-8 bytes', () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        assert.equal(Math.sign(compareUtf8(a, b)), bytesOrder(a, b));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a bucket', () => {
  function emptyBucket(): ReturnType<typeof createBucket> {
    return createBucket({ name: 'b', region: 'us-east-1', accountId: '1', createdAtMs: 0 });
  }
  function keysOf(bucket: ReturnType<typeof createBucket>): string[] {
    const filter = {
      prefix: '',
      delimiter: '',
      start: { kind: 'beginning' as const },
      visible: (versions: readonly unknown[]) => versions.length > 0,
    };
    return [...walkBucket(bucket, filter)].map((item) => (item.kind === 'key' ? item.key : ''));
  }

  it('lists the same keys as a sorted set after any sequence of generate, put and remove', () => {
    const step = fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 30 }));
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 0, max: 20 }),
        (steps, count) => {
          const bucket = emptyBucket();
          bucket.generate({ count, keyPattern: 'k{i}' }, 0);
          const [sample] = bucket.versionsOf('k0');
          const expected = new Set(Array.from({ length: count }, (_unused, at) => `k${at}`));
          for (const [put, at] of steps) {
            const key = `k${at}`;
            if (!put || sample === undefined) {
              bucket.remove(key, 0);
              expected.delete(key);
            } else {
              bucket.put(key, () => sample);
              expected.add(key);
            }
            assert.deepEqual(keysOf(bucket), [...expected].sort(bytesOrder));
          }
          assert.equal(bucket.isEmpty(), expected.size === 0);
        },
      ),
    );
  });
});

describe('seeded bytes', () => {
  it('are the same however they are read, and have the ETag of all of them', () => {
    const number = fc.integer({ min: 0, max: 600_000 });
    fc.assert(
      fc.property(number, number, number, fc.nat(), (sizeBytes, x, y, index) => {
        const content = { seed: 's', index, sizeBytes };
        const whole = Buffer.concat([...readSeeded(content, 0, sizeBytes)]);
        assert.equal(whole.length, sizeBytes);
        assert.equal(seededEtag(content), createHash('md5').update(whole).digest('hex'));
        const start = Math.min(x, y, sizeBytes);
        const end = Math.min(Math.max(x, y), sizeBytes);
        const piece = Buffer.concat([...readSeeded(content, start, end)]);
        assert.ok(piece.equals(whole.subarray(start, end)));
      }),
      { numRuns: 60 },
    );
  });
});

describe('XML', () => {
  it('is parsed as it was written', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const written = element('A', textElement('B', text), '<C/>');
        assert.equal(childText(parseXml(written), 'B'), text);
      }),
    );
  });

  it('is refused when it is malformed', () => {
    for (const text of [
      '',
      'text',
      '<A>',
      '</A>',
      '<A></B>',
      '<A>&bad;</A>',
      '<A><!DOCTYPE x></A>',
      '<A/',
    ]) {
      assert.throws(
        () => parseXml(text),
        (error) => error instanceof AwsError && error.code === 'MalformedXML',
        text,
      );
    }
  });

  it('may carry a prolog, comments, attributes and name spaces', () => {
    const text = '<?xml version="1.0"?>\n<!-- c --><x:A xmlns:x="u">\n <x:B a="1">t</x:B></x:A>\n';
    assert.equal(childText(parseXml(text), 'B'), 't');
  });
});
