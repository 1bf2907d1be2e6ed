import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';

import type { AwsDouble } from '../../../dev/aws-double/index.ts';
import { parseTimestamp } from '../../../dev/aws-double/signature/parse.ts';
import { decodeChunked } from '../../../dev/aws-double/signature/payload.ts';
import { EMPTY_SHA256 } from '../../../dev/aws-double/signature/sigv4.ts';
import { verifySignature } from '../../../dev/aws-double/signature/verification.ts';
import { AwsError } from '../../../dev/aws-double/wire/errors.ts';
import { parseQuery, type WireRequest } from '../../../dev/aws-double/wire/request.ts';
import { ADMIN, codeOf, failsWith, s3Client, startDouble } from '../../harness/aws-double.ts';

/**
 * The examples that AWS publishes with their results in the Amazon S3 API Reference: "Authorization
 * Header: Transferring Payload in a Single Chunk", and "Query Parameters".
 */
const ACCESS_KEY_ID = 'AKIAIOSFODNN7EXAMPLE';
const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const SCOPE = '20130524/us-east-1/s3/aws4_request';
const TIMESTAMP = '20130524T000000Z';
const NOW_MS = parseTimestamp(TIMESTAMP) ?? 0;

interface Example {
  readonly method: string;
  readonly path: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payloadHash: string;
  readonly signature: string;
}

function wireRequest(example: Example, extra: Readonly<Record<string, string>>): WireRequest {
  const headers = { host: 'examplebucket.s3.amazonaws.com', ...example.headers };
  return {
    method: example.method,
    rawPath: example.path,
    query: parseQuery(example.query ?? ''),
    headers: new Map(Object.entries({ ...headers, ...extra })),
    incoming: {} as IncomingMessage,
    outgoing: {} as ServerResponse,
    expectsContinue: false,
  };
}

function signedRequest(example: Example): WireRequest {
  const names = [
    'host',
    'x-amz-content-sha256',
    'x-amz-date',
    ...Object.keys(example.headers ?? {}),
  ];
  const signed = names.sort().join(';');
  return wireRequest(example, {
    'x-amz-date': TIMESTAMP,
    'x-amz-content-sha256': example.payloadHash,
    authorization: `AWS4-HMAC-SHA256 Credential=${ACCESS_KEY_ID}/${SCOPE},SignedHeaders=${signed},Signature=${example.signature}`,
  });
}

function judge(request: WireRequest, payloadHash: string, nowMs = NOW_MS): string {
  try {
    verifySignature(request, {
      service: 's3',
      nowMs,
      find: () => ({ secretAccessKey: SECRET, token: null, expiresAtMs: null }),
      payloadHash: () => payloadHash,
    });
    return 'believed';
  } catch (error) {
    assert.ok(error instanceof AwsError);
    return error.code === 'AccessDenied' ? error.message : error.code;
  }
}

const HEADER_EXAMPLES: readonly (Example & { readonly title: string })[] = [
  {
    title: 'GET of a range of an object',
    method: 'GET',
    path: '/test.txt',
    headers: { range: 'bytes=0-9' },
    payloadHash: EMPTY_SHA256,
    signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
  {
    title: 'PUT of an object whose key the client left unencoded',
    method: 'PUT',
    path: '/test$file.text',
    headers: {
      date: 'Fri, 24 May 2013 00:00:00 GMT',
      'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    },
    payloadHash: '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
    signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  },
  {
    title: 'GET of a sub-resource without a value',
    method: 'GET',
    path: '/',
    query: 'lifecycle',
    payloadHash: EMPTY_SHA256,
    signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  },
  {
    title: 'listing with parameters',
    method: 'GET',
    path: '/',
    query: 'max-keys=2&prefix=J',
    payloadHash: EMPTY_SHA256,
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
];

const PRESIGNED = `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${encodeURIComponent(
  `${ACCESS_KEY_ID}/${SCOPE}`,
)}&X-Amz-Date=${TIMESTAMP}&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=`;
const PRESIGNED_EXAMPLE: Example = {
  method: 'GET',
  path: '/test.txt',
  query: `${PRESIGNED}aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404`,
  payloadHash: 'UNSIGNED-PAYLOAD',
  signature: '',
};

describe("SigV4 of the AWS double against AWS's published examples", () => {
  for (const example of HEADER_EXAMPLES) {
    it(`accepts the example: ${example.title}`, () => {
      assert.equal(judge(signedRequest(example), example.payloadHash), 'believed');
    });
    it(`refuses the example with one character of the path changed: ${example.title}`, () => {
      const changed = { ...example, path: `${example.path}x` };
      assert.equal(judge(signedRequest(changed), example.payloadHash), 'SignatureDoesNotMatch');
    });
  }

  it('accepts the presigned example until it expires', () => {
    const request = wireRequest(PRESIGNED_EXAMPLE, {});
    assert.equal(judge(request, 'UNSIGNED-PAYLOAD'), 'believed');
    assert.equal(judge(request, 'UNSIGNED-PAYLOAD', NOW_MS + 86_400_000), 'believed');
    assert.equal(judge(request, 'UNSIGNED-PAYLOAD', NOW_MS + 86_401_000), 'Request has expired');
  });

  it('refuses a presigned URL signed more than 15 minutes ahead', () => {
    const request = wireRequest(PRESIGNED_EXAMPLE, {});
    assert.equal(judge(request, 'UNSIGNED-PAYLOAD', NOW_MS - 901_000), 'Request is not yet valid');
  });

  it('refuses a signed header that the request does not carry, even when signed as empty', () => {
    const [example] = HEADER_EXAMPLES;
    assert.ok(example);
    const { headers: _range, ...bare } = example;
    const request = signedRequest(bare);
    const authorization = request.headers.get('authorization') ?? '';
    const headers = new Map(request.headers);
    headers.set('authorization', authorization.replace('host;', 'host;range;'));
    assert.equal(judge({ ...request, headers }, example.payloadHash), 'SignatureDoesNotMatch');
  });

  it('refuses an x-amz- header that was added after signing', () => {
    const [example] = HEADER_EXAMPLES;
    assert.ok(example);
    const request = signedRequest(example);
    const headers = new Map([...request.headers, ['x-amz-meta-added', 'yes']]);
    assert.equal(
      judge({ ...request, headers }, example.payloadHash),
      'There were headers present in the request which were not signed',
    );
  });
});

describe('aws-chunked bodies at the AWS double', () => {
  const decode = async (wire: string, trailers: Map<string, string>, pieceBytes: number) => {
    async function* pieces(): AsyncGenerator<Buffer> {
      for (let at = 0; at < wire.length; at += pieceBytes)
        yield Buffer.from(wire.slice(at, at + pieceBytes));
    }
    let text = '';
    for await (const piece of decodeChunked(pieces(), trailers)) text += piece.toString();
    return text;
  };

  it('are read with their trailers, for any packet boundaries', async () => {
    const wire = '5\r\nhello\r\n6\r\n world\r\n0\r\nx-amz-checksum-crc32:DUoRhQ==\r\n\r\n';
    for (const pieceBytes of [1, 7, 1000]) {
      const trailers = new Map<string, string>();
      assert.equal(await decode(wire, trailers, pieceBytes), 'hello world');
      assert.deepEqual([...trailers], [['x-amz-checksum-crc32', 'DUoRhQ==']]);
      await assert.rejects(decode(wire.slice(0, -1), trailers, pieceBytes), AwsError);
      await assert.rejects(decode(wire.replace('5', '4'), trailers, pieceBytes), AwsError);
    }
  });
});

describe('presigned URLs at the AWS double', () => {
  const Bucket = 'presigned';
  const BODY = 'twelve bytes';
  let double: AwsDouble;
  let s3: S3Client;

  before(async () => {
    double = await startDouble();
    double.putBucket({ name: Bucket });
    s3 = presigner();
  });
  after(async () => {
    s3.destroy();
    await double.close();
  });

  const presigner = (credentials = ADMIN): S3Client =>
    s3Client(double, { requestChecksumCalculation: 'WHEN_REQUIRED', credentials });
  const signPut = (Key: string, options: object = {}, client = s3): Promise<string> => {
    const ContentType = 'text/plain';
    const command = new PutObjectCommand({ Bucket, Key, ContentType, ContentLength: BODY.length });
    const signableHeaders = new Set(['content-type', 'content-length', 'host']);
    return getSignedUrl(client, command, { expiresIn: 60, signableHeaders, ...options });
  };
  const put = async (url: string, body = BODY, headers: Record<string, string> = {}) => {
    const init = { method: 'PUT', body, headers: { 'content-type': 'text/plain', ...headers } };
    const answer = await fetch(url, init);
    const text = await answer.text();
    return answer.ok ? 'stored' : `${answer.status} ${codeOf(text)}`;
  };
  const MISMATCH = '403 SignatureDoesNotMatch';

  it('take the body that was signed, and no other type, size, key, query or added header', async () => {
    const url = await signPut('mine');
    assert.equal(await put(url), 'stored');
    assert.equal(await put(url, BODY, { 'content-type': 'text/html' }), MISMATCH);
    assert.equal(await put(url, `${BODY}!`), MISMATCH);
    assert.equal(await put(url.replace('/mine?', '/yours?')), MISMATCH);
    assert.equal(await put(`${url}&versionId=x`), MISMATCH);
    assert.equal(await put(url.replace('Expires=60', 'Expires=61')), MISMATCH);
    assert.equal(await put(url, BODY, { 'x-amz-acl': 'public-read' }), '403 AccessDenied');
    assert.equal(codeOf(await (await fetch(url)).text()), 'SignatureDoesNotMatch');
  });

  it('are refused once they are expired, with an expiry above a week, and by unknown keys', async () => {
    const signingDate = new Date(Date.now() - 3_600_000);
    assert.equal(await put(await signPut('k', { signingDate })), '403 AccessDenied');
    const week = (await signPut('k')).replace('Expires=60', 'Expires=604801');
    assert.equal(await put(week), '400 AuthorizationQueryParametersError');
    const unknown = presigner({ ...ADMIN, accessKeyId: 'AKIAUNKNOWN' });
    assert.equal(await put(await signPut('k', {}, unknown)), '403 InvalidAccessKeyId');
    const wrong = presigner({ ...ADMIN, secretAccessKey: 'wrong' });
    assert.equal(await put(await signPut('k', {}, wrong)), MISMATCH);
    assert.equal(await put(`${double.s3Endpoint}/${Bucket}/k`), '403 AccessDenied');
  });

  it('have no bearing on signed headers, which are refused with a clock 16 minutes off', async () => {
    const late = await startDouble({ now: () => Date.now() + 16 * 60_000 });
    const command = new PutObjectCommand({ Bucket, Key: 'k', Body: 'x' });
    await assert.rejects(s3Client(late).send(command), failsWith('RequestTimeTooSkewed', 403));
    await late.close();
  });

  it('are checked against the checksum in them', async () => {
    const url = await getSignedUrl(s3Client(double), new PutObjectCommand({ Bucket, Key: 'crc' }));
    assert.equal(await put(url, BODY), '400 BadDigest');
  });
});
