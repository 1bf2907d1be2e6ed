import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import {
  carriedBy,
  namedWriter,
  withOrigin,
} from '../../../../domain/migrations/object-headers.ts';
import { catalogue } from '../../../harness/catalogue.ts';

const META = 'x-amz-meta-';
const S3 = catalogue.entry('wasabi').metadata;
const [AWS, B2] = [catalogue.entry('aws').metadata, catalogue.entry('b2').metadata];
const TYPE = { 'content-type': 'text/plain' };
const ORIGIN = {
  etag: '5d41402abc4b2a76b9719d911017c592',
  lastModified: '2024-05-01T10:00:00.000Z',
};

/** So many entries of so many bytes of names and values together. */
function entriesOf(count: number, bytes = 4 * count): Record<string, string> {
  const names = Array.from({ length: count }, (_unused, at) => `m${String(at).padStart(2, '0')}`);
  const rest = bytes - 4 * count;
  return Object.fromEntries(
    names.map((name, at) => [`${META}${name}`, 'v'.repeat(at ? 1 : 1 + rest)]),
  );
}

const sourceOf = (headers: Record<string, string>) => ({ headers, notCarried: [] });
const origin = (headers: Record<string, string>, limits = S3) =>
  withOrigin(limits, { headers, ...ORIGIN }, 'mig_1');

describe('the headers of a copy', () => {
  it('are the source’s and the origin of the object', () => {
    assert.deepEqual(origin(TYPE), {
      ...TYPE,
      'x-amz-meta-migration-id': 'mig_1',
      'x-amz-meta-src-etag': ORIGIN.etag,
      'x-amz-meta-src-last-modified': ORIGIN.lastModified,
    });
  });

  for (const [what, limits, headers, fitting] of [
    ['2,048 bytes', S3, entriesOf(1, 2_048), 0],
    ['2,000 bytes', S3, entriesOf(1, 2_000), 1],
    ['1,950 bytes', S3, entriesOf(1, 1_950), 2],
    ['ten entries at B2', B2, entriesOf(10), 0],
    ['nine entries at B2', B2, entriesOf(9), 1],
    ['seven entries at B2', B2, entriesOf(7), 3],
  ] as const)
    it(`beside ${what} have ${fitting} of the origin, the id first`, () => {
      assert.deepEqual(carriedBy(limits, sourceOf(headers)), sourceOf(headers));
      const added = Object.keys(origin(headers, limits)).filter((name) => !(name in headers));
      const names = ['migration-id', 'src-etag', 'src-last-modified'];
      assert.deepEqual(
        added,
        names.slice(0, fitting).map((name) => `${META}${name}`),
      );
    });

  it('keep an owner’s entries of our names, and the id is read back under its second name', () => {
    const own = { [`${META}migration-id`]: 'flyway-7', [`${META}src-etag`]: 'theirs' };
    const written = origin({ ...own });
    assert.deepEqual(written, {
      ...own,
      'x-amz-meta-storage-routing-migration-id': 'mig_1',
      'x-amz-meta-storage-routing-src-etag': ORIGIN.etag,
      'x-amz-meta-src-last-modified': ORIGIN.lastModified,
    });
    assert.equal(namedWriter(written), 'mig_1');
    assert.equal(namedWriter(origin({})), 'mig_1');
    assert.equal(namedWriter(own), 'flyway-7');
    // What the move before has written under its second names is replaced.
    assert.deepEqual(carriedBy(S3, sourceOf(written)).headers, {
      ...own,
      'x-amz-meta-src-last-modified': ORIGIN.lastModified,
    });
  });

  it('leave out what a target does not take, and say so', () => {
    const redirect = { 'x-amz-website-redirect-location': '/new' };
    const headers = { ...redirect, ...entriesOf(12) };
    const source = { headers, notCarried: ['tags'] as const };
    assert.deepEqual(carriedBy(AWS, source), source);
    assert.deepEqual(carriedBy(B2, source), {
      headers: entriesOf(10),
      notCarried: ['tags', 'redirect', 'metadata'],
    });
  });

  it('never exceed what a target takes, and lose nothing that it does', () => {
    const metadata = fc.dictionary(
      fc.stringMatching(/^x-amz-meta-[a-z]{1,9}$/),
      fc.string({ maxLength: 700 }),
      { maxKeys: 14, noNullPrototype: true },
    );
    const sizeOf = (headers: object) =>
      Object.entries(headers).reduce(
        (sum, [name, value]) => sum + `${name}${value}`.length - META.length,
        0,
      );
    fc.assert(
      fc.property(metadata, fc.constantFrom(S3, B2), (headers, limits) => {
        const carried = carriedBy(limits, sourceOf(headers));
        const written = origin(carried.headers, limits);
        assert.ok(sizeOf(written) <= limits.bytes && Object.keys(written).length <= limits.entries);
        const isWhole =
          sizeOf(headers) <= limits.bytes && Object.keys(headers).length <= limits.entries;
        assert.equal(carried.notCarried.length, isWhole ? 0 : 1);
        if (isWhole) assert.deepEqual(carried.headers, headers);
      }),
    );
  });
});
