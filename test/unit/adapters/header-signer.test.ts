import assert from 'node:assert/strict';
import { HttpRequest } from '@smithy/core/transport';
import { SignatureV4 } from '@smithy/signature-v4';
import * as fc from 'fast-check';
import {
  objectPath,
  queryString,
  type BucketAddress,
} from '../../../adapters/object-store/address.ts';
import { createHeaderSigner } from '../../../adapters/object-store/header-signer.ts';
import { NodeSha256 } from '../../../adapters/object-store/presigner.ts';

const ADDRESS: BucketAddress = {
  provider: 'aws',
  protocol: 'https:',
  hostname: 'photos.s3.eu-central-1.amazonaws.com',
  port: undefined,
  endpoint: 'https://s3.eu-central-1.amazonaws.com',
  pathPrefix: '',
  region: 'eu-central-1',
};
const WITH_PORT: BucketAddress = { ...ADDRESS, protocol: 'http:', port: 9_000, pathPrefix: '/p' };
const CREDENTIALS = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalr/XUt+FEMI' };
const SIGNED_AT = new Date('2026-03-01T23:59:59.900Z');

type Texts = Readonly<Record<string, string>>;
/** Its headers are text, not bytes. */
type Case = { readonly method: string; readonly key: string; query: Texts; headers: Texts };

/** The signature of the SDK, which takes header values as text and hashes their UTF-8. */
async function expected(given: Case, address: BucketAddress, sessionToken?: string) {
  const signature = new SignatureV4({
    service: 's3',
    region: address.region,
    credentials: { ...CREDENTIALS, ...(sessionToken === undefined ? {} : { sessionToken }) },
    sha256: NodeSha256,
    uriEscapePath: false,
    applyChecksum: false,
  });
  const host =
    address.port === undefined ? address.hostname : `${address.hostname}:${address.port}`;
  const request = new HttpRequest({
    method: given.method,
    protocol: address.protocol,
    hostname: address.hostname,
    path: objectPath(address, given.key),
    query: { ...given.query },
    headers: { ...given.headers, host, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
  });
  return (await signature.sign(request, { signingDate: SIGNED_AT })).headers;
}

function actual({ method, key, ...given }: Case, address: BucketAddress, sessionToken?: string) {
  const session = sessionToken === undefined ? {} : { sessionToken };
  const sign = createHeaderSigner(address, { ...CREDENTIALS, ...session });
  const inOrder = Object.entries(given.query).sort(([a], [b]) => (a < b ? -1 : 1));
  const query = queryString(Object.fromEntries(inOrder)).slice(1);
  const headers = Object.fromEntries(
    Object.entries(given.headers).map(([name, value]) => [name, onTheWire(value)]),
  );
  return sign({ method, path: objectPath(address, key), query, headers }, SIGNED_AT);
}

const onTheWire = (text: string) => Buffer.from(text).toString('latin1');

async function agree(given: Case, address: BucketAddress, sessionToken?: string): Promise<void> {
  const wanted = await expected(given, address, sessionToken);
  const got = actual(given, address, sessionToken);
  assert.equal(got['authorization'], wanted['authorization'], JSON.stringify(given));
  assert.equal(got['x-amz-date'], wanted['x-amz-date']);
  assert.equal(got['x-amz-security-token'], wanted['x-amz-security-token']);
}

describe('the signature of headers', () => {
  it('equals that of the SDK for any request, with a session or without, with a port or without', async () => {
    const text = fc.string({ unit: 'grapheme' });
    const cases = fc.record({
      method: fc.constantFrom('GET', 'HEAD', 'PUT', 'POST', 'DELETE'),
      key: text,
      query: fc.dictionary(fc.constantFrom('uploads', 'uploadId', 'partNumber', 'prefix'), text),
      headers: fc.dictionary(
        fc.constantFrom('content-type', 'content-md5', 'range', 'x-amz-meta-a', 'x-amz-meta-b-c'),
        // The SDK also folds Unicode spaces, which a server does not.
        text.map((value) => value.replace(/[^\S \t]|\r|\n|\ufeff/gu, '')),
      ),
    });
    const addresses = fc.constantFrom(ADDRESS, WITH_PORT);
    const sessions = fc.option(fc.constant('to/k='), { nil: undefined });
    await fc.assert(fc.asyncProperty(cases, addresses, sessions, agree));
  });

  it('omits headers that proxies change, and keeps their values', () => {
    const headers = { 'cache-control': 'no-store', 'x-amz-meta-name': 'Ã\u00a0 la  carte' };
    const signed = actual({ method: 'PUT', key: 'k', query: {}, headers }, ADDRESS);
    assert.doesNotMatch(signed['authorization'] ?? '', /cache-control/);
    assert.equal(signed['cache-control'], 'no-store');
    assert.equal(signed['x-amz-meta-name'], onTheWire('Ã\u00a0 la  carte'));
  });

  it('uses a signing key per day', async () => {
    const sign = createHeaderSigner(ADDRESS, CREDENTIALS);
    const request = { method: 'GET', path: '/k', query: '', headers: {} };
    const [first, second] = ['2026-03-01T10:00:00Z', '2026-03-02T10:00:00Z'].map(
      (at) => sign(request, new Date(at))['authorization'],
    );
    assert.match(first ?? '', /20260301/);
    assert.match(second ?? '', /20260302/);
    assert.equal(sign(request, new Date('2026-03-01T10:00:00Z'))['authorization'], first);
    assert.notEqual(first?.slice(-64), second?.slice(-64));
  });
});
