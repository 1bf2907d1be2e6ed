import assert from 'node:assert/strict';
import { bucketAddress } from '../../../adapters/object-store/address.ts';
import type { StoreLocation } from '../../../domain/providers/catalogue.ts';
import { catalogue, endpointsAt } from '../../harness/catalogue.ts';

const aws = (bucketName: string): StoreLocation => ({
  provider: 'aws',
  bucketName,
  region: 'eu-central-1',
});
const r2 = { provider: 'r2', bucketName: 'photos', region: 'auto', accountId: '0a1b' } as const;
const b2 = { provider: 'b2', bucketName: 'photos', region: 'us-west-004' } as const;

/** The path of an object is held against the official SDK by presigned-urls.test.ts. */
describe('the address of a bucket', () => {
  for (const [location, hostname, pathPrefix] of [
    [aws('photos'), 'photos.s3.eu-central-1.amazonaws.com', ''],
    [aws('photos.example.com'), 's3.eu-central-1.amazonaws.com', '/photos.example.com'],
    [aws('x'.repeat(63)), `${'x'.repeat(63)}.s3.eu-central-1.amazonaws.com`, ''],
    [r2, 'photos.0a1b.r2.cloudflarestorage.com', ''],
    [{ ...r2, jurisdiction: 'eu' }, 'photos.0a1b.eu.r2.cloudflarestorage.com', ''],
    [{ ...r2, jurisdiction: 'fedramp' }, 'photos.0a1b.fedramp.r2.cloudflarestorage.com', ''],
    [b2, 'photos.s3.us-west-004.backblazeb2.com', ''],
  ] satisfies [StoreLocation, string, string][])
    it(`of ${location.bucketName.slice(0, 20)} at ${location.provider} is ${hostname.slice(-40)}`, () => {
      const { provider, region } = location;
      const endpoint = catalogue.entry(provider).endpoint(location);
      const place = { provider, protocol: 'https:', hostname, port: undefined, endpoint };
      assert.deepEqual(bucketAddress(location, endpointsAt()), { ...place, pathPrefix, region });
    });

  it("at an operator's endpoint is in path style, with its port and protocol, of its provider only", () => {
    for (const [endpoint, protocol, hostname, port] of [
      ['http://127.0.0.1:9000', 'http:', '127.0.0.1', 9000],
      ['https://minio.internal', 'https:', 'minio.internal', undefined],
    ] as const) {
      const { provider, region } = r2;
      const there = { provider, protocol, hostname, port, endpoint, pathPrefix: '/photos', region };
      assert.deepEqual(bucketAddress(r2, endpointsAt({ r2: endpoint })), there);
      const elsewhere = bucketAddress(r2, endpointsAt({ aws: endpoint, b2: endpoint }));
      assert.equal(elsewhere.hostname, 'photos.0a1b.r2.cloudflarestorage.com');
    }
  });
});
