import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { request, type IncomingHttpHeaders } from 'node:http';
import { crc32 } from 'node:zlib';

import {
  canonicalRequest,
  EMPTY_SHA256,
  sign,
  signingKey,
  stringToSign,
} from '../src/signature/canonical.ts';
import { formatTimestamp } from '../src/signature/parsed-signature.ts';
import { parseQuery } from '../src/wire/query.ts';
import type { AwsDouble } from '../src/index.ts';
import { ADMIN, codeOf, startDouble } from './fixture.ts';

const Bucket = 'wire';
const REGION = 'us-east-1';

interface Raw {
  readonly method: string;
  readonly path: string;
  readonly payloadHash?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | ((signing: Signing) => Buffer);
  readonly service?: string;
}

interface Signing {
  readonly key: Buffer;
  readonly timestamp: string;
  readonly scope: string;
  readonly signature: string;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly continued: boolean;
}

/** Signs and sends a request of which the SDK would not let the test choose every byte. */
function sendRaw(endpoint: string, raw: Raw): Promise<Answer> {
  const { host, port } = new URL(endpoint);
  const timestamp = formatTimestamp(Date.now());
  const scope = `${timestamp.slice(0, 8)}/${REGION}/${raw.service ?? 's3'}/aws4_request`;
  const payloadHash = raw.payloadHash ?? 'UNSIGNED-PAYLOAD';
  const headers: Record<string, string> = {
    host,
    'x-amz-date': timestamp,
    'x-amz-content-sha256': payloadHash,
    ...raw.headers,
  };
  const signedHeaders = Object.keys(headers).sort();
  const canonical = canonicalRequest({
    method: raw.method,
    rawPath: raw.path,
    query: parseQuery(''),
    headers: new Map(Object.entries(headers)),
    signedHeaders,
    payloadHash,
  });
  const key = signingKey(ADMIN.secretAccessKey, timestamp.slice(0, 8), REGION, raw.service ?? 's3');
  const signature = sign(key, stringToSign(timestamp, scope, canonical));
  headers['authorization'] =
    `AWS4-HMAC-SHA256 Credential=${ADMIN.accessKeyId}/${scope}, SignedHeaders=${signedHeaders.join(';')}, Signature=${signature}`;
  const body =
    typeof raw.body === 'function' ? raw.body({ key, timestamp, scope, signature }) : raw.body;
  if (body !== undefined) headers['content-length'] = String(body.length);
  return new Promise((resolve, reject) => {
    const { method, path } = raw;
    let continued = false;
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text, continued });
      });
    });
    outgoing.on('error', reject);
    if (raw.headers?.['expect'] === undefined) outgoing.end(body);
    else {
      outgoing.flushHeaders();
      outgoing.on('continue', () => {
        continued = true;
        outgoing.end(body);
      });
    }
  });
}

/** Frames a payload as two signed chunks with a signed trailer. */
function frameSigned(payload: Buffer, checksum: string, signing: Signing): Buffer {
  const pieces: Buffer[] = [];
  let previous = signing.signature;
  const half = Math.floor(payload.length / 2);
  for (const chunk of [payload.subarray(0, half), payload.subarray(half), Buffer.alloc(0)]) {
    const hash = createHash('sha256').update(chunk).digest('hex');
    const text = ['AWS4-HMAC-SHA256-PAYLOAD', signing.timestamp, signing.scope, previous];
    previous = sign(signing.key, [...text, EMPTY_SHA256, hash].join('\n'));
    pieces.push(Buffer.from(`${chunk.length.toString(16)};chunk-signature=${previous}\r\n`), chunk);
    if (chunk.length > 0) pieces.push(Buffer.from('\r\n'));
  }
  const trailer = `x-amz-checksum-crc32:${checksum}\n`;
  const hash = createHash('sha256').update(trailer).digest('hex');
  const text = ['AWS4-HMAC-SHA256-TRAILER', signing.timestamp, signing.scope, previous, hash];
  const signature = sign(signing.key, text.join('\n'));
  pieces.push(Buffer.from(`${trailer.trim()}\r\nx-amz-trailer-signature:${signature}\r\n\r\n`));
  return Buffer.concat(pieces);
}

describe('the AWS double on the wire', () => {
  let double: AwsDouble;
  const path = `/${Bucket}/k`;

  before(async () => {
    double = await startDouble();
    double.putBucket({ name: Bucket });
  });
  after(() => double.close());

  function send(raw: Raw): Promise<Answer> {
    return sendRaw(double.s3Endpoint, raw);
  }
  function crc(payload: Buffer): string {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(crc32(payload));
    return bytes.toString('base64');
  }
  function putSigned(payload: Buffer, frame: (signing: Signing) => Buffer): Promise<Answer> {
    return send({
      method: 'PUT',
      path,
      payloadHash: 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER',
      headers: {
        'content-encoding': 'aws-chunked',
        'x-amz-decoded-content-length': String(payload.length),
        'x-amz-trailer': 'x-amz-checksum-crc32',
      },
      body: frame,
    });
  }

  it('accepts signed chunks with a signed trailer', async () => {
    const payload = randomBytes(150_000);
    const answer = await putSigned(payload, (signing) =>
      frameSigned(payload, crc(payload), signing),
    );
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers.etag, `"${createHash('md5').update(payload).digest('hex')}"`);
  });

  it('refuses a chunk that was changed, a trailer that was changed, and a wrong checksum', async () => {
    const payload = randomBytes(1000);
    const tampered = await putSigned(payload, (signing) => {
      const wire = frameSigned(payload, crc(payload), signing);
      const at = wire.indexOf(payload.subarray(0, 16));
      wire.writeUInt8((wire[at] ?? 0) ^ 1, at);
      return wire;
    });
    assert.deepEqual([tampered.status, codeOf(tampered.text)], [403, 'SignatureDoesNotMatch']);
    const trailer = await putSigned(payload, (signing) => {
      const wire = frameSigned(payload, crc(payload), signing).toString('latin1');
      return Buffer.from(wire.replace(crc(payload), 'AAAAAA=='), 'latin1');
    });
    assert.equal(codeOf(trailer.text), 'SignatureDoesNotMatch');
    const checksum = await putSigned(payload, (signing) =>
      frameSigned(payload, 'AAAAAA==', signing),
    );
    assert.deepEqual([checksum.status, codeOf(checksum.text)], [400, 'BadDigest']);
  });

  it('refuses a body that does not match x-amz-content-sha256', async () => {
    const payloadHash = createHash('sha256').update('said').digest('hex');
    const answer = await send({ method: 'PUT', path, payloadHash, body: Buffer.from('sent') });
    assert.deepEqual([answer.status, codeOf(answer.text)], [400, 'XAmzContentSHA256Mismatch']);
  });

  it('answers 100 Continue to verified requests, and refuses the others at once', async () => {
    const headers = { expect: '100-continue' };
    const body = Buffer.from('body');
    const good = await send({ method: 'PUT', path, headers, body });
    assert.deepEqual([good.status, good.continued], [200, true]);
    const bad = await send({ method: 'PUT', path: '/no-such-bucket/k', headers, body });
    assert.deepEqual([bad.status, bad.continued, codeOf(bad.text)], [404, false, 'NoSuchBucket']);
    assert.equal(bad.headers.connection, 'close');
  });

  it('requires a length', async () => {
    const answer = await send({ method: 'PUT', path, headers: { 'transfer-encoding': 'chunked' } });
    assert.deepEqual([answer.status, codeOf(answer.text)], [501, 'NotImplemented']);
  });

  it('refuses signatures for another service, in each direction', async () => {
    const atS3 = await send({ method: 'GET', path, service: 'sts' });
    assert.deepEqual([atS3.status, codeOf(atS3.text)], [400, 'AuthorizationHeaderMalformed']);
    const atSts = await sendRaw(double.stsEndpoint, {
      method: 'POST',
      path: '/',
      body: Buffer.alloc(0),
    });
    assert.deepEqual([atSts.status, codeOf(atSts.text)], [403, 'SignatureDoesNotMatch']);
  });

  it('gives every request an id, and sends no body with HEAD', async () => {
    const first = await send({ method: 'HEAD', path: `/${Bucket}/absent` });
    const second = await send({ method: 'HEAD', path: `/${Bucket}/absent` });
    assert.deepEqual([first.status, first.text], [404, '']);
    assert.equal(first.headers.server, 'AmazonS3');
    assert.ok(first.headers['x-amz-request-id']);
    assert.notEqual(first.headers['x-amz-request-id'], second.headers['x-amz-request-id']);
  });

  it('refuses unknown operations instead of matching others', async () => {
    await send({ method: 'PUT', path, body: Buffer.from('kept') });
    const restore = await send({ method: 'PATCH', path });
    assert.deepEqual([restore.status, codeOf(restore.text)], [405, 'MethodNotAllowed']);
    const get = await send({ method: 'GET', path });
    assert.equal(get.text, 'kept');
  });

  it('refuses a path that is not UTF-8', async () => {
    const answer = await send({ method: 'GET', path: `/${Bucket}/%ff` });
    assert.deepEqual([answer.status, codeOf(answer.text)], [400, 'InvalidURI']);
  });
});
