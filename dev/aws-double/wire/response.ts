import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** A response's head and body. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Null without a body. */
  readonly body: WireBody | null;
}

/** Bytes of known length. */
interface WireBody {
  readonly sizeBytes: number;
  /** The whole body, if it is in memory. */
  readonly bytes?: Buffer;
  /** The first `end` bytes. */
  read(end: number): AsyncIterable<Buffer> | Iterable<Buffer>;
}

/** An answer without a body. */
export function emptyAnswer(
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { status, headers, body: null };
}

/** An answer of text, XML by default. */
export function textAnswer(
  text: string,
  headers: Readonly<Record<string, string>> = {},
  status = 200,
): Answer {
  const bytes = Buffer.from(text);
  return {
    status,
    headers: { 'content-type': 'application/xml', ...headers },
    body: { sizeBytes: bytes.length, bytes, read: (end) => [bytes.subarray(0, end)] },
  };
}

/** How a response is corrupted in transit: the connection ends in it, or half of it is the whole. */
export type Corruption = 'cut' | 'truncate' | null;

/** Writes a response with backpressure. */
export async function writeResponse(
  outgoing: ServerResponse,
  { status, headers, body }: Answer,
  corruption: Corruption,
): Promise<void> {
  const whole = body?.sizeBytes ?? 0;
  const sent = corruption === null ? whole : Math.floor(whole / 2);
  if (corruption === 'cut' && sent === 0) {
    outgoing.destroy();
    return;
  }
  const length = String(corruption === 'truncate' ? sent : whole);
  outgoing.writeHead(status, body === null ? headers : { ...headers, 'content-length': length });
  if (corruption === null && body?.bytes !== undefined) {
    outgoing.end(body.bytes);
    return;
  }
  try {
    const source = Readable.from(body?.read(sent) ?? [], { objectMode: false });
    await pipeline(source, outgoing, { end: corruption !== 'cut' });
  } catch (error) {
    // A client that disconnects early is no error.
    if (!outgoing.destroyed) throw error;
  }
  // Flush before destroying the connection, or the client would receive nothing.
  if (corruption === 'cut') outgoing.write('', () => outgoing.destroy());
}
