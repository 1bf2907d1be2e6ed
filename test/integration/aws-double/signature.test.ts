import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseTimestamp } from '../../../dev/aws-double/signature/parse.ts';
import { EMPTY_SHA256 } from '../../../dev/aws-double/signature/sigv4.ts';
import { verifySignature } from '../../../dev/aws-double/signature/verification.ts';
import { AwsError } from '../../../dev/aws-double/wire/errors.ts';
import { parseQuery } from '../../../dev/aws-double/wire/request.ts';

/**
 * The examples that AWS publishes with their results in the Amazon S3 API Reference: "Authorization
 * Header: Transferring Payload in a Single Chunk", and "Query Parameters". What the double refuses beside them, the
 * contract of the object stores shows: `contract/presigned-uploads.ts`.
 */
const ACCESS_KEY_ID = 'AKIAIOSFODNN7EXAMPLE';
const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const SCOPE = '20130524/us-east-1/s3/aws4_request';
const TIMESTAMP = '20130524T000000Z';
const NOW_MS = parseTimestamp(TIMESTAMP) ?? 0;
const NAMES = 'host;range;x-amz-content-sha256;x-amz-date';
const SIGNED =
  `AWS4-HMAC-SHA256 Credential=${ACCESS_KEY_ID}/${SCOPE},SignedHeaders=${NAMES},` +
  'Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41';
const PRESIGNED =
  `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${encodeURIComponent(`${ACCESS_KEY_ID}/${SCOPE}`)}` +
  `&X-Amz-Date=${TIMESTAMP}&X-Amz-Expires=86400&X-Amz-SignedHeaders=host` +
  '&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404';

interface Asked {
  readonly path?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payloadHash?: string;
  readonly nowMs?: number;
}

/** What the double says of a request: that it is signed, or why it is not. */
function judge({ path = '/test.txt', query = '', headers = {}, ...rest }: Asked): string {
  const { payloadHash = EMPTY_SHA256, nowMs = NOW_MS } = rest;
  const request = {
    method: 'GET',
    rawPath: path,
    query: parseQuery(query),
    headers: new Map(Object.entries({ host: 'examplebucket.s3.amazonaws.com', ...headers })),
    incoming: {} as IncomingMessage,
    outgoing: {} as ServerResponse,
    expectsContinue: false,
  };
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

describe("SigV4 of the AWS double against AWS's published examples", () => {
  const headers = {
    range: 'bytes=0-9',
    'x-amz-date': TIMESTAMP,
    'x-amz-content-sha256': EMPTY_SHA256,
    authorization: SIGNED,
  };
  const { range: _range, ...bare } = headers;
  const unsigned = 'There were headers present in the request which were not signed';

  for (const [what, asked, said] of [
    ['as it is', {}, 'believed'],
    ['with another path', { path: '/test.txtx' }, 'SignatureDoesNotMatch'],
    ['without a signed header', { headers: bare }, 'SignatureDoesNotMatch'],
    ['with an added header', { headers: { ...headers, 'x-amz-meta-added': 'yes' } }, unsigned],
    ['sixteen minutes late', { nowMs: NOW_MS + 16 * 60_000 }, 'RequestTimeTooSkewed'],
  ] as [string, Asked, string][])
    it(`finds the GET of a range ${what} ${said}`, () => {
      assert.equal(judge({ headers, ...asked }), said);
    });

  for (const [what, laterMs, said] of [
    ['at once', 0, 'believed'],
    ['at its end', 86_400_000, 'believed'],
    ['after it', 86_401_000, 'Request has expired'],
    ['fifteen minutes before', -901_000, 'Request is not yet valid'],
  ] as const)
    it(`finds the presigned GET ${what} ${said}`, () => {
      const payloadHash = 'UNSIGNED-PAYLOAD';
      assert.equal(judge({ query: PRESIGNED, payloadHash, nowMs: NOW_MS + laterMs }), said);
    });
});
