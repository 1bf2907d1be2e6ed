import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';

import { EMPTY_SHA256 } from '../src/signature/canonical.ts';
import { decodeChunked } from '../src/signature/chunked.ts';
import { parseTimestamp } from '../src/signature/parsed-signature.ts';
import { verifySignature } from '../src/signature/verification.ts';
import { AwsError } from '../src/wire/errors.ts';
import { parseQuery } from '../src/wire/query.ts';
import type { WireRequest } from '../src/wire/request.ts';

/**
 * The examples that AWS publishes with their results in the Amazon S3 API Reference: "Authorization
 * Header: Transferring Payload in a Single Chunk", "... in Multiple Chunks", and "Query Parameters".
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
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payloadHash: string;
  readonly signature: string;
}

function wireRequest(example: Example, extra: Readonly<Record<string, string>>): WireRequest {
  const headers = { host: example.host ?? 'examplebucket.s3.amazonaws.com', ...example.headers };
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
  const verified = verifySignature(request, {
    service: 's3',
    nowMs,
    find: (accessKeyId) =>
      accessKeyId === ACCESS_KEY_ID
        ? { secretAccessKey: SECRET, token: null, expiresAtMs: null }
        : undefined,
    payloadHash: () => payloadHash,
  });
  return verified.ok ? 'believed' : verified.failure.reason;
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
      assert.equal(judge(signedRequest(changed), example.payloadHash), 'mismatch');
    });
  }

  it('accepts the presigned example until it expires', () => {
    const request = wireRequest(PRESIGNED_EXAMPLE, {});
    assert.equal(judge(request, 'UNSIGNED-PAYLOAD'), 'believed');
    assert.equal(judge(request, 'UNSIGNED-PAYLOAD', NOW_MS + 86_400_000), 'believed');
    assert.equal(judge(request, 'UNSIGNED-PAYLOAD', NOW_MS + 86_401_000), 'url_expired');
  });

  it('refuses a presigned URL signed more than 15 minutes ahead', () => {
    const request = wireRequest(PRESIGNED_EXAMPLE, {});
    assert.equal(judge(request, 'UNSIGNED-PAYLOAD', NOW_MS - 901_000), 'not_yet_valid');
  });

  it('refuses a signed header that the request does not carry, even when signed as empty', () => {
    const [example] = HEADER_EXAMPLES;
    assert.ok(example);
    const { headers: _range, ...bare } = example;
    const request = signedRequest(bare);
    const authorization = request.headers.get('authorization') ?? '';
    const headers = new Map(request.headers);
    headers.set('authorization', authorization.replace('host;', 'host;range;'));
    assert.equal(judge({ ...request, headers }, example.payloadHash), 'mismatch');
  });

  it('refuses an x-amz- header that was added after signing', () => {
    const [example] = HEADER_EXAMPLES;
    assert.ok(example);
    const request = signedRequest(example);
    const headers = new Map([...request.headers, ['x-amz-meta-added', 'yes']]);
    assert.equal(judge({ ...request, headers }, example.payloadHash), 'header_not_signed');
  });
});

const CHUNK_SIGNATURES = [
  'ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648',
  '0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497',
  'b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9',
];
const CHUNKED_EXAMPLE: Example = {
  method: 'PUT',
  path: '/examplebucket/chunkObject.txt',
  host: 's3.amazonaws.com',
  headers: {
    'content-encoding': 'aws-chunked',
    'content-length': '66824',
    'x-amz-decoded-content-length': '66560',
    'x-amz-storage-class': 'REDUCED_REDUNDANCY',
  },
  payloadHash: 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
  signature: '4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9',
};

async function decodeExample(signatures: readonly string[], pieceBytes: number): Promise<Buffer> {
  const sizes = [65_536, 1024, 0];
  const wire = Buffer.concat(
    sizes.map((size, at) =>
      Buffer.from(
        `${size.toString(16)};chunk-signature=${signatures[at]}\r\n${'a'.repeat(size)}\r\n`,
      ),
    ),
  );
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let at = 0; at < wire.length; at += pieceBytes) yield wire.subarray(at, at + pieceBytes);
  }
  const request = signedRequest(CHUNKED_EXAMPLE);
  const verified = verifySignature(request, {
    service: 's3',
    nowMs: NOW_MS,
    find: () => ({ secretAccessKey: SECRET, token: null, expiresAtMs: null }),
    payloadHash: () => CHUNKED_EXAMPLE.payloadHash,
  });
  assert.ok(verified.ok);
  const decoded: Buffer[] = [];
  const { key } = verified;
  const seedSignature = CHUNKED_EXAMPLE.signature;
  const options = {
    signing: { key, timestamp: TIMESTAMP, scope: SCOPE, seedSignature },
    trailers: false,
    onTrailers: () => {},
  };
  for await (const piece of decodeChunked(pieces(), options)) decoded.push(piece);
  return Buffer.concat(decoded);
}

describe("aws-chunked bodies against AWS's published example", () => {
  it('accepts seed and chunks for any packet boundaries', async () => {
    for (const pieceBytes of [1, 1000, 65_536, 100_000]) {
      const decoded = await decodeExample(CHUNK_SIGNATURES, pieceBytes === 1 ? 7 : pieceBytes);
      assert.equal(decoded.length, 66_560);
    }
  });

  it('refuses a chunk with the signature of another', async () => {
    const [first = '', , last = ''] = CHUNK_SIGNATURES;
    await assert.rejects(
      decodeExample([first, first, last], 5000),
      (error) => error instanceof AwsError && error.code === 'SignatureDoesNotMatch',
    );
  });
});
