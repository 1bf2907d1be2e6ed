import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { bucketAddress, objectPath } from '../../../adapters/object-store/address.ts';
import { CATALOGUE, type StoreLocation } from '../../../domain/provider/catalogue.ts';

const aws = (bucketName: string): StoreLocation => ({
  provider: 'aws',
  bucketName,
  region: 'eu-central-1',
});
const r2: StoreLocation = {
  provider: 'r2',
  bucketName: 'photos',
  region: 'auto',
  accountId: '0a1b',
};

describe('the address of a bucket', () => {
  const hosts: [StoreLocation, hostname: string, pathPrefix: string][] = [
    [aws('photos'), 'photos.s3.eu-central-1.amazonaws.com', ''],
    [aws('a-1-z'), 'a-1-z.s3.eu-central-1.amazonaws.com', ''],
    [aws('photos.example.com'), 's3.eu-central-1.amazonaws.com', '/photos.example.com'],
    [aws('x'.repeat(63)), `${'x'.repeat(63)}.s3.eu-central-1.amazonaws.com`, ''],
    [r2, 'photos.0a1b.r2.cloudflarestorage.com', ''],
    [{ ...r2, jurisdiction: 'eu' }, 'photos.0a1b.eu.r2.cloudflarestorage.com', ''],
    [{ ...r2, jurisdiction: 'fedramp' }, 'photos.0a1b.fedramp.r2.cloudflarestorage.com', ''],
    [
      { provider: 'b2', bucketName: 'photos', region: 'us-west-004' },
      'photos.s3.us-west-004.backblazeb2.com',
      '',
    ],
  ];
  for (const [location, hostname, pathPrefix] of hosts) {
    it(`of ${location.bucketName.slice(0, 20)} at ${location.provider} is ${hostname.slice(-40)}`, () => {
      assert.deepEqual(bucketAddress(location, {}), {
        provider: location.provider,
        protocol: 'https:',
        hostname,
        port: undefined,
        endpoint: CATALOGUE[location.provider].endpoint(location),
        pathPrefix,
        region: location.region,
      });
    });
  }

  it("at an operator's endpoint is in path style, with its port and protocol, of its provider only", () => {
    for (const [endpoint, protocol, hostname, port] of [
      ['http://127.0.0.1:9000', 'http:', '127.0.0.1', 9000],
      ['https://minio.internal', 'https:', 'minio.internal', undefined],
    ] as const) {
      const { provider, region } = r2;
      const there = { provider, protocol, hostname, port, endpoint, pathPrefix: '/photos', region };
      assert.deepEqual(bucketAddress(r2, { r2: endpoint }), there);
      const elsewhere = bucketAddress(r2, { aws: endpoint, b2: endpoint });
      assert.equal(elsewhere.hostname, 'photos.0a1b.r2.cloudflarestorage.com');
    }
  });
});

describe('the path of an object', () => {
  const path = (key: string) => objectPath(bucketAddress(aws('photos'), {}), key);
  const rows: [key: string, path: string][] = [
    ['a b', '/a%20b'],
    ['a+b', '/a%2Bb'],
    ["'()*!", '/%27%28%29%2A%21'],
    ['%41', '/%2541'],
    ['a//b', '/a//b'],
    ['a/../b/./c', '/a/../b/./c'],
    ['/a/', '//a/'],
    ['é', '/%C3%A9'],
    ['?#', '/%3F%23'],
  ];
  for (const [key, expected] of rows) {
    it(`of ${JSON.stringify(key)} is ${expected}`, () => assert.equal(path(key), expected));
  }

  it('gives every byte of the key back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (key) => {
        assert.match(path(key), /^\/[A-Za-z0-9._~%/-]*$/);
        assert.equal(decodeURIComponent(path(key).slice(1)), key);
      }),
    );
  });
});
