import { createHash } from 'node:crypto';

import { AwsError } from '../wire/errors.ts';
import { EMPTY_SHA256, sameSignature, sign } from './canonical.ts';

/** The verification inputs of signed chunks: the seed is the request's own signature. */
interface ChunkSigning {
  readonly key: Buffer;
  readonly timestamp: string;
  readonly scope: string;
  readonly seedSignature: string;
}

/** How an `aws-chunked` body is read. */
export interface ChunkedOptions {
  /** Null for `STREAMING-UNSIGNED-PAYLOAD-TRAILER`. */
  readonly signing: ChunkSigning | null;
  /** Trailers follow the last chunk. */
  readonly trailers: boolean;
  /** Called once, after the last chunk, with lower-case names. */
  onTrailers(trailers: ReadonlyMap<string, string>): void;
}

const MAX_LINE_BYTES = 16 * 1024;

function incomplete(): AwsError {
  return new AwsError('IncompleteBody', 'The request body terminated unexpectedly');
}

function mismatch(): AwsError {
  return new AwsError(
    'SignatureDoesNotMatch',
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
  );
}

interface ByteReader {
  /** A line without its CRLF (LF alone is accepted too: AWS's own trailers use it). */
  line(): Promise<string>;
  /** Yields exactly `length` bytes in the received pieces. */
  take(length: number): AsyncGenerator<Buffer>;
}

function createByteReader(source: AsyncIterable<Buffer>): ByteReader {
  const iterator = source[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  async function more(): Promise<boolean> {
    const next = await iterator.next();
    if (next.done === true) return false;
    held = held.length === 0 ? next.value : Buffer.concat([held, next.value]);
    return true;
  }
  return {
    async line() {
      for (;;) {
        const end = held.indexOf(0x0a);
        if (end >= 0) {
          const text = held.subarray(0, end).toString('latin1').replace(/\r$/, '');
          held = held.subarray(end + 1);
          return text;
        }
        if (held.length > MAX_LINE_BYTES || !(await more())) throw incomplete();
      }
    },
    async *take(length) {
      let left = length;
      while (left > 0) {
        if (held.length === 0 && !(await more())) throw incomplete();
        const piece = held.subarray(0, left);
        held = held.subarray(piece.length);
        left -= piece.length;
        yield piece;
      }
    },
  };
}

/**
 * Decodes the `aws-chunked` framing and yields the payload. A chunk's signature is checked after
 * its bytes are yielded, so the receiver must not keep anything before the end.
 * Source: "Signature Calculations for the Authorization Header: Transferring Payload in Multiple
 * Chunks" and "Including Trailing Headers", Amazon S3 API Reference.
 *
 * @throws AwsError `IncompleteBody`, `SignatureDoesNotMatch`
 */
export async function* decodeChunked(
  source: AsyncIterable<Buffer>,
  options: ChunkedOptions,
): AsyncGenerator<Buffer> {
  const reader = createByteReader(source);
  let previous = options.signing?.seedSignature ?? '';
  for (;;) {
    const head = /^([0-9a-fA-F]{1,8})(?:;chunk-signature=([0-9a-f]{64}))?$/.exec(
      await reader.line(),
    );
    if (head === null) throw incomplete();
    const length = Number.parseInt(head[1] ?? '', 16);
    const hash = createHash('sha256');
    for await (const piece of reader.take(length)) {
      if (options.signing !== null) hash.update(piece);
      yield piece;
    }
    if (options.signing !== null) {
      previous = checkChunk(options.signing, previous, head[2], hash.digest('hex'));
    }
    if (length === 0) break;
    if ((await reader.line()) !== '') throw incomplete();
  }
  if (options.trailers) options.onTrailers(await readTrailers(reader, options.signing, previous));
}

function checkChunk(
  signing: ChunkSigning,
  previous: string,
  given: string | undefined,
  hash: string,
): string {
  const text = ['AWS4-HMAC-SHA256-PAYLOAD', signing.timestamp, signing.scope, previous];
  const expected = sign(signing.key, [...text, EMPTY_SHA256, hash].join('\n'));
  if (given === undefined || !sameSignature(expected, given)) throw mismatch();
  return expected;
}

async function readTrailers(
  reader: ByteReader,
  signing: ChunkSigning | null,
  previous: string,
): Promise<ReadonlyMap<string, string>> {
  const trailers = new Map<string, string>();
  let canonical = '';
  let signature: string | undefined;
  for (;;) {
    const line = await reader.line();
    if (line === '') {
      // The signature of signed trailers is a line of its own, before or after the first empty line.
      if (signing === null || signature !== undefined) break;
      continue;
    }
    const cut = line.indexOf(':');
    if (cut <= 0) throw incomplete();
    const name = line.slice(0, cut).trim().toLowerCase();
    const value = line.slice(cut + 1).trim();
    if (name === 'x-amz-trailer-signature') signature = value;
    else {
      trailers.set(name, value);
      canonical += `${name}:${value}\n`;
    }
  }
  if (signing !== null) {
    const hash = createHash('sha256').update(canonical, 'latin1').digest('hex');
    const text = ['AWS4-HMAC-SHA256-TRAILER', signing.timestamp, signing.scope, previous, hash];
    if (!sameSignature(sign(signing.key, text.join('\n')), signature ?? '')) throw mismatch();
  }
  return trailers;
}
