import assert from 'node:assert/strict';
import { CONTENT_KINDS } from '../../../../domain/inventory/bands.ts';
import { contentKindIndex } from '../../../../domain/inventory/content-kind.ts';
import { compareKeys } from '../../../../domain/inventory/key-order.ts';

/** Ages, sizes and the requests of parts are held against the second computation by segment.test.ts. */
describe('object classification', () => {
  const kinds: [key: string, kind: string][] = [
    ['a/b.JPG', 'image'],
    ['x.tar.gz', 'archive'],
    ['logs/x.log', 'log'],
    ['v1.2/report', 'other'],
    ['a/.csv', 'other'],
    ['.csv', 'other'],
    ['a.', 'other'],
    ['', 'other'],
    ['a.toString', 'other'],
    ['a.__proto__', 'other'],
    ['film.Mp4', 'video'],
    ['d/x.parquet', 'data'],
    ['d/x.sql', 'backup'],
    ['song.flac', 'audio'],
    ['paper.pdf', 'document'],
  ];
  for (const [key, kind] of kinds)
    // spec: scanner.lists-classifies-compares
    it(`by content: ${JSON.stringify(key)} is ${kind}`, () => {
      assert.equal(CONTENT_KINDS[contentKindIndex(key)], kind);
    });

  // spec: scanner.lists-classifies-compares
  it('orders keys by their bytes', () => {
    const keys = ['', 'A', 'a', 'a/', 'ab', 'é', '\u{e000}', '\u{ffff}', '\u{10000}', '\u{10ffff}'];
    const byBytes = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    assert.deepEqual(keys.toReversed().sort(compareKeys), byBytes);
  });
});
