import { createHash, type Hash } from 'node:crypto';

import { checksumAlgorithm, startChecksum, type RunningChecksum } from '../signature/checksums.ts';
import { decodeChunked } from '../signature/chunked.ts';
import type { ParsedSignature } from '../signature/parsed-signature.ts';
import { discard, type Bodies, type Body } from '../store/bodies.ts';
import type { StoredChecksum } from '../store/version.ts';
import { AwsError } from '../wire/errors.ts';
import type { WireRequest } from '../wire/request.ts';
import { amzHeader } from './parameters.ts';

/** A received body that matches its headers. */
export interface ReceivedBody {
  readonly body: Body;
  readonly md5: Buffer;
  readonly checksum: StoredChecksum | null;
}

/** The signature's statement about the body. */
export interface PayloadContext {
  readonly parsed: ParsedSignature;
  readonly key: Buffer;
  readonly payloadHash: string;
}

/** 5 GiB, the most that one PUT or part may hold. */
export const MAX_PUT_BYTES = 5 * 1024 ** 3;

const CHECKSUM_PREFIX = 'x-amz-checksum-';
const NOT_CHECKSUMS = new Set([
  'x-amz-checksum-mode',
  'x-amz-checksum-algorithm',
  'x-amz-checksum-type',
]);

/**
 * Receives a body and verifies its declared length, SHA-256, MD5, checksum and chunk signatures.
 * A body that fails is released, one of more than `keepUpToBytes` is discarded.
 *
 * @throws AwsError `MissingContentLength`, `EntityTooLarge`, `IncompleteBody`, `BadDigest`,
 *   `InvalidDigest`, `XAmzContentSHA256Mismatch`, `SignatureDoesNotMatch`, `NotImplemented`
 */
export async function receivePayload(
  request: WireRequest,
  context: PayloadContext,
  bodies: Bodies,
  keepUpToBytes: number,
): Promise<ReceivedBody> {
  const expectedBytes = expectedLength(request, context);
  const wantedMd5 = readContentMd5(request);
  if (request.expectsContinue) request.outgoing.writeContinue();
  const trailers = new Map<string, string>();
  const source = payloadSource(request, context, trailers);
  const checksum = declaredChecksum(request);
  const meter: Meter = {
    md5: createHash('md5'),
    sha256: /^[0-9a-f]{64}$/.test(context.payloadHash) ? createHash('sha256') : null,
    checksum: checksum?.running ?? null,
  };
  const read = metered(source, meter);
  const body = await (expectedBytes > keepUpToBytes ? discard(read) : bodies.receive(read));
  try {
    if (body.sizeBytes !== expectedBytes) throw incompleteBody();
    const md5 = meter.md5.digest();
    if (wantedMd5 !== null && !wantedMd5.equals(md5)) throw badDigest('Content-MD5');
    checkSha256(meter, context.payloadHash);
    const stored = checkChecksum(checksum, trailers);
    return { body, md5, checksum: stored };
  } catch (error) {
    await bodies.release(body);
    throw error;
  }
}

interface Meter {
  readonly md5: Hash;
  readonly sha256: Hash | null;
  readonly checksum: RunningChecksum | null;
}

async function* metered(source: AsyncIterable<Buffer>, meter: Meter): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    meter.md5.update(chunk);
    meter.sha256?.update(chunk);
    meter.checksum?.update(chunk);
    yield chunk;
  }
}

function expectedLength(request: WireRequest, context: PayloadContext): number {
  const streaming = context.payloadHash.startsWith('STREAMING-');
  const text = request.headers.get(streaming ? 'x-amz-decoded-content-length' : 'content-length');
  if (text === undefined) {
    if (!streaming && request.headers.has('transfer-encoding')) {
      throw new AwsError(
        'NotImplemented',
        'A header you provided implies functionality that is not implemented',
        { details: { Header: 'Transfer-Encoding' } },
      );
    }
    if (!streaming && request.method === 'POST') return 0;
    throw new AwsError('MissingContentLength', 'You must provide the Content-Length HTTP header.');
  }
  const length = Number(text);
  if (!Number.isSafeInteger(length) || length < 0) {
    throw new AwsError('InvalidArgument', 'The length of the body is not a number');
  }
  if (length > MAX_PUT_BYTES) {
    throw new AwsError('EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size', {
      details: { ProposedSize: text, MaxSizeAllowed: String(MAX_PUT_BYTES) },
    });
  }
  return length;
}

function payloadSource(
  request: WireRequest,
  context: PayloadContext,
  trailers: Map<string, string>,
): AsyncIterable<Buffer> {
  const raw = request.incoming as AsyncIterable<Buffer>;
  const { payloadHash, parsed, key } = context;
  if (!payloadHash.startsWith('STREAMING-')) return raw;
  const signed = payloadHash.startsWith('STREAMING-AWS4-HMAC-SHA256-PAYLOAD');
  if (!signed && payloadHash !== 'STREAMING-UNSIGNED-PAYLOAD-TRAILER') {
    throw new AwsError('NotImplemented', `${payloadHash} is not implemented`);
  }
  const { timestamp, scope, signature: seedSignature } = parsed;
  return decodeChunked(raw, {
    signing: signed ? { key, timestamp, scope, seedSignature } : null,
    trailers: payloadHash.endsWith('-TRAILER'),
    onTrailers: (found) => {
      for (const [name, value] of found) trailers.set(name, value);
    },
  });
}

function readContentMd5(request: WireRequest): Buffer | null {
  const text = request.headers.get('content-md5');
  if (text === undefined) return null;
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== 16 || bytes.toString('base64') !== text) {
    throw new AwsError('InvalidDigest', 'The Content-MD5 you specified was invalid.');
  }
  return bytes;
}

interface DeclaredChecksum {
  readonly header: string;
  /** Null: sent as a trailer. */
  readonly value: string | null;
  readonly running: RunningChecksum | null;
}

function declaredChecksum(request: WireRequest): DeclaredChecksum | null {
  const trailer = request.headers.get('x-amz-trailer')?.toLowerCase();
  if (trailer?.startsWith(CHECKSUM_PREFIX)) return declare(trailer, null);
  const names = [...request.headers.keys(), ...request.query.pairs.map(([name]) => name)];
  const header = names
    .map((name) => name.toLowerCase())
    .find((name) => name.startsWith(CHECKSUM_PREFIX) && !NOT_CHECKSUMS.has(name));
  return header === undefined ? null : declare(header, amzHeader(request, header) ?? '');
}

function declare(header: string, value: string | null): DeclaredChecksum {
  const algorithm = checksumAlgorithm(header);
  return { header, value, running: algorithm === null ? null : startChecksum(algorithm) };
}

function checkChecksum(
  declared: DeclaredChecksum | null,
  trailers: ReadonlyMap<string, string>,
): StoredChecksum | null {
  if (declared === null) return null;
  const value = declared.value ?? trailers.get(declared.header);
  if (value === undefined) {
    throw new AwsError('InvalidRequest', `The trailer ${declared.header} is missing`);
  }
  if (declared.running !== null && declared.running.digest() !== value) {
    throw badDigest(declared.header.slice(CHECKSUM_PREFIX.length).toUpperCase());
  }
  return { header: declared.header, value };
}

function checkSha256(meter: Meter, payloadHash: string): void {
  const computed = meter.sha256?.digest('hex');
  if (computed === undefined || computed === payloadHash) return;
  throw new AwsError(
    'XAmzContentSHA256Mismatch',
    "The provided 'x-amz-content-sha256' header does not match what was computed.",
    { details: { ClientComputedContentSHA256: payloadHash, S3ComputedContentSHA256: computed } },
  );
}

function badDigest(what: string): AwsError {
  return new AwsError('BadDigest', `The ${what} you specified did not match what we received.`);
}

function incompleteBody(): AwsError {
  return new AwsError(
    'IncompleteBody',
    'You did not provide the number of bytes specified by the Content-Length HTTP header',
  );
}
