import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

import { type Bodies, type Body, discard } from '../store/bodies.ts';
import type { StoredChecksum } from '../store/version.ts';
import { AwsError } from '../wire/errors.ts';
import { amzHeader, type WireRequest } from '../wire/request.ts';

/** A received body that matches its headers. */
export interface ReceivedBody {
  readonly body: Body;
  readonly md5: Buffer;
  readonly checksum: StoredChecksum | null;
}

/** 5 GiB, the most that one PUT or part may hold. */
export const MAX_PUT_BYTES = 5 * 1024 ** 3;

const UNSIGNED_CHUNKS = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';
const CHECKSUM_HEADER = /^x-amz-checksum-(?!mode$|algorithm$|type$)/;

/**
 * Receives a body and verifies its declared length, SHA-256, MD5 and checksum.
 * A body of more than `keepUpToBytes` is discarded.
 *
 * @throws AwsError `MissingContentLength`, `EntityTooLarge`, `IncompleteBody`, `BadDigest`,
 *   `InvalidDigest`, `XAmzContentSHA256Mismatch`, `NotImplemented`
 */
export async function receivePayload(
  request: WireRequest,
  payloadHash: string,
  bodies: Bodies,
  keepUpToBytes: number,
  checksMd5: boolean,
): Promise<ReceivedBody> {
  const expectedBytes = expectedLength(request, payloadHash);
  const contentMd5 = checksMd5 ? request.headers.get('content-md5') : undefined;
  if (contentMd5 !== undefined && !/^[\w+/]{22}==$/.test(contentMd5)) {
    throw new AwsError('InvalidDigest');
  }
  const trailers = new Map<string, string>();
  const raw = request.incoming as AsyncIterable<Buffer>;
  const source = payloadHash === UNSIGNED_CHUNKS ? decodeChunked(raw, trailers) : raw;
  const header = checksumHeader(request);
  const checksum = startChecksum(header);
  const md5 = createHash('md5');
  const sha256 = createHash('sha256');
  const isHashed = /^[0-9a-f]{64}$/.test(payloadHash);
  async function* measure(): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      md5.update(chunk);
      if (isHashed) sha256.update(chunk);
      checksum?.update(chunk);
      yield chunk;
    }
  }
  if (request.expectsContinue) request.outgoing.writeContinue();
  const body = await (expectedBytes > keepUpToBytes ? discard : bodies.receive)(measure());
  if (body.sizeBytes !== expectedBytes) throw new AwsError('IncompleteBody');
  const received = { body, md5: md5.digest(), checksum: null };
  if ((contentMd5 ?? received.md5.toString('base64')) !== received.md5.toString('base64')) {
    throw new AwsError('BadDigest');
  }
  if (isHashed && sha256.digest('hex') !== payloadHash) {
    throw new AwsError('XAmzContentSHA256Mismatch');
  }
  if (header === undefined) return received;
  const value = amzHeader(request, header) ?? trailers.get(header);
  if (value === undefined) {
    throw new AwsError('InvalidRequest', { message: `The trailer ${header} is missing` });
  }
  if (checksum !== null && checksum.digest() !== value) throw new AwsError('BadDigest');
  return { ...received, checksum: { header, value } };
}

function expectedLength({ headers, method }: WireRequest, payloadHash: string): number {
  const isChunked = payloadHash === UNSIGNED_CHUNKS;
  const text = headers.get(isChunked ? 'x-amz-decoded-content-length' : 'content-length');
  const isUnknown = text === undefined && headers.has('transfer-encoding');
  // Signed chunks are a form of other SDKs over plain HTTP.
  if (isUnknown || (payloadHash.startsWith('STREAMING-') && !isChunked)) {
    throw new AwsError('NotImplemented');
  }
  if (text === undefined && method === 'POST') return 0;
  if (text === undefined) throw new AwsError('MissingContentLength');
  if (!/^[0-9]{1,15}$/.test(text)) throw new AwsError('InvalidArgument');
  if (Number(text) > MAX_PUT_BYTES) throw new AwsError('EntityTooLarge');
  return Number(text);
}

/** Whether the client sends a checksum. */
export function namesChecksum(request: Pick<WireRequest, 'headers' | 'query'>): boolean {
  return checksumHeader(request) !== undefined;
}

/** The header, parameter or trailer in which the client sends a checksum. */
function checksumHeader({
  headers,
  query,
}: Pick<WireRequest, 'headers' | 'query'>): string | undefined {
  const names = [...headers.keys(), ...query.pairs.map(([name]) => name)];
  return [headers.get('x-amz-trailer') ?? '', ...names]
    .map((name) => name.toLowerCase())
    .find((name) => CHECKSUM_HEADER.test(name));
}

interface RunningChecksum {
  update(chunk: Buffer): void;
  /** Base64, as in the headers. */
  digest(): string;
}

/** Starts the checksum of a header; null for one that is kept and not verified: CRC32C, CRC64NVME. */
function startChecksum(header = ''): RunningChecksum | null {
  const algorithm = header.replace(CHECKSUM_HEADER, '');
  if (algorithm === 'sha1' || algorithm === 'sha256') {
    const hash = createHash(algorithm);
    return { update: (chunk) => void hash.update(chunk), digest: () => hash.digest('base64') };
  }
  if (algorithm !== 'crc32') return null;
  let value = 0;
  return {
    update(chunk) {
      value = crc32(chunk, value);
    },
    digest: () => Buffer.from(value.toString(16).padStart(8, '0'), 'hex').toString('base64'),
  };
}

const MAX_LINE_BYTES = 16 * 1024;

/** Reads lines without their CRLF (LF alone is accepted too: AWS's own trailers use it), and bytes. */
function createByteReader(source: AsyncIterable<Buffer>) {
  const iterator = source[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  async function readMore(): Promise<void> {
    const next = await iterator.next();
    if (next.done === true || held.length > MAX_LINE_BYTES) throw new AwsError('IncompleteBody');
    held = held.length === 0 ? next.value : Buffer.concat([held, next.value]);
  }
  return {
    async line(): Promise<string> {
      while (!held.includes(0x0a)) await readMore();
      const end = held.indexOf(0x0a);
      const text = held.subarray(0, end).toString('latin1').replace(/\r$/, '');
      held = held.subarray(end + 1);
      return text;
    },
    /** Yields exactly `length` bytes in the received pieces. */
    async *take(length: number): AsyncGenerator<Buffer> {
      for (let left = length; left > 0;) {
        if (held.length === 0) await readMore();
        const piece = held.subarray(0, left);
        held = held.subarray(piece.length);
        left -= piece.length;
        yield piece;
      }
    },
  };
}

/**
 * Decodes the `aws-chunked` framing of `STREAMING-UNSIGNED-PAYLOAD-TRAILER`: yields the payload, and
 * fills in the trailers by lower-case name.
 * Source: "Including Trailing Headers", Amazon S3 API Reference.
 *
 * @throws AwsError `IncompleteBody`
 */
async function* decodeChunked(
  source: AsyncIterable<Buffer>,
  trailers: Map<string, string>,
): AsyncGenerator<Buffer> {
  const reader = createByteReader(source);
  for (let length = -1; length !== 0;) {
    const head = await reader.line();
    if (!/^[0-9a-fA-F]{1,8}$/.test(head)) throw new AwsError('IncompleteBody');
    length = Number.parseInt(head, 16);
    yield* reader.take(length);
    if (length > 0 && (await reader.line()) !== '') throw new AwsError('IncompleteBody');
  }
  for (let line = await reader.line(); line !== ''; line = await reader.line()) {
    const [name = ''] = line.split(':', 1);
    if (name === line) throw new AwsError('IncompleteBody');
    trailers.set(name.trim().toLowerCase(), line.slice(name.length + 1).trim());
  }
}
