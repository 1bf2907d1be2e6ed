import assert from 'node:assert/strict';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import * as fc from 'fast-check';
import type { StoreLocation } from '../../../domain/providers/catalogue.ts';
import { catalogue } from '../../harness/catalogue.ts';
import { CREDENTIALS, openStoreAt } from './raw-stores.ts';

const LOCATIONS: StoreLocation[] = [
  { provider: 'aws', bucketName: 'photos', region: 'eu-central-1' },
  { provider: 'aws', bucketName: 'photos.example.com', region: 'us-east-1' },
  { provider: 'r2', bucketName: 'photos', region: 'auto', accountId: '0123456789abcdef' },
  { provider: 'r2', bucketName: 'photos', region: 'auto', accountId: '01', jurisdiction: 'eu' },
  { provider: 'b2', bucketName: 'photos', region: 'us-west-004' },
];
const ODD_KEYS = "a b\na+b\n'()*!\n%41\na//b\n./a\n../a\na/./b\na/../b\n/a\na/\n日本/é/😀"
  .split('\n')
  .concat(['?#&=;:@$,', '\\"<>^`{|}~']);
const SIGNED_AT = new Date('2026-11-20T12:00:00Z');
/** An upload to each odd key, and of an empty file. */
const EXAMPLES = [...ODD_KEYS.map((key) => [key, 12_345] as const), ['empty', 0] as const].map(
  ([key, sizeBytes]): [string, string, number, Date] => [key, 'text/plain', sizeBytes, SIGNED_AT],
);
const EXPIRES = { expiresInSeconds: 3600 };

/** The same request through `getSignedUrl`. No store reads the SDK's `x-id` parameter. */
function createOracle(location: StoreLocation, endpoint?: string) {
  const client = new S3Client({
    region: location.region,
    credentials: CREDENTIALS,
    endpoint: endpoint ?? catalogue.entry(location.provider).endpoint(location),
    forcePathStyle: endpoint !== undefined || location.bucketName.includes('.'),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  client.middlewareStack.add(
    (next) => (args) => {
      delete (args.request as { query?: Record<string, unknown> }).query?.['x-id'];
      return next(args);
    },
    { step: 'build', name: 'withoutOperationName' },
  );
  const signableHeaders = new Set(['host', 'content-type', 'content-length']);
  const of = (Key: string) => ({ Bucket: location.bucketName, Key });
  return {
    upload(key: string, ContentType: string, ContentLength: number, signingDate: Date) {
      const command = new PutObjectCommand({ ...of(key), ContentType, ContentLength });
      return getSignedUrl(client, command, { expiresIn: 3600, signingDate, signableHeaders });
    },
    download(key: string, ResponseContentDisposition: string, signingDate: Date) {
      const command = new GetObjectCommand({ ...of(key), ResponseContentDisposition });
      return getSignedUrl(client, command, { expiresIn: 3600, signingDate });
    },
  };
}

/** Split by hand: a URL parser would normalise the path. */
function partsOf(url: string): { address: string; query: Record<string, string> } {
  const [address = '', query = ''] = url.split('?');
  const pairs = query.split('&').map((pair) => pair.split('=') as [string, string]);
  assert.equal(new Set(pairs.map(([name]) => name)).size, pairs.length, 'no parameter twice');
  return {
    address,
    query: Object.fromEntries(pairs.map(([name, value]) => [name, decodeURIComponent(value)])),
  };
}

const key = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 });
const date = fc.date({
  min: new Date('2020-01-01T00:00:00Z'),
  max: new Date('2039-12-31T00:00:00Z'),
  noInvalidDate: true,
});

describe('presigned URLs, held against the official SDK', () => {
  for (const location of LOCATIONS) {
    const store = openStoreAt({}, location);
    const oracle = createOracle(location);
    const samePut = async (key: string, type: string, sizeBytes: number, signedAt: Date) => {
      const given = { key, contentType: type, sizeBytes, signedAt };
      const ours = await store.presignUpload({ ...given, ...EXPIRES });
      const theirs = await oracle.upload(key, type, sizeBytes, signedAt);
      assert.deepEqual(partsOf(ours), partsOf(theirs));
    };

    describe(`${location.provider}, bucket ${location.bucketName}`, () => {
      // spec: upload-sequence.decrypts-and-signs
      it('are the same for any key, type, size and date, also for odd keys and an empty file', () =>
        fc.assert(
          fc.asyncProperty(
            key,
            fc.constantFrom('text/plain', 'text/plain; charset="utf-8"', 'image/svg+xml'),
            fc.nat({ max: Number.MAX_SAFE_INTEGER }),
            date,
            samePut,
          ),
          { numRuns: 60 + EXAMPLES.length, examples: EXAMPLES },
        ));

      // spec: upload-sequence.decrypts-and-signs
      it('are the same for a download of any key', () =>
        fc.assert(
          fc.asyncProperty(key, date, async (name, signedAt) => {
            const given = { key: name, fileName: name, signedAt };
            const ours = partsOf(await store.presignDownload({ ...given, ...EXPIRES }));
            const disposition = ours.query['response-content-disposition'] ?? '';
            assert.deepEqual(ours, partsOf(await oracle.download(name, disposition, signedAt)));
          }),
          { numRuns: 60 },
        ));
    });
  }

  // spec: upload-sequence.decrypts-and-signs
  it("are the same at an operator's endpoint, in path style and with its port, without the secret", async () => {
    const location = LOCATIONS[0] as StoreLocation;
    const endpoint = 'http://127.0.0.1:9000';
    const given = { key: 'a b/c', contentType: 'image/png', sizeBytes: 5, signedAt: SIGNED_AT };
    const store = openStoreAt({ aws: endpoint }, location);
    const ours = await store.presignUpload({ ...given, ...EXPIRES });
    const oracle = createOracle(location, endpoint);
    const theirs = await oracle.upload('a b/c', 'image/png', 5, SIGNED_AT);
    assert.deepEqual(partsOf(ours), partsOf(theirs));
    const { query } = partsOf(ours);
    assert.equal(query['X-Amz-SignedHeaders'], 'content-length;content-type;host');
    assert.doesNotMatch(Object.keys(query).join(), /checksum|crc/i);
    assert.ok(!ours.includes(CREDENTIALS.secretAccessKey));
  });
});
