import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** How a response is corrupted in transit; null: not at all. */
export type Corruption = 'cut' | 'truncate' | null;

/** A response's head and body. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Null without a body. */
  readonly body: WireBody | null;
}

/** Bytes of known length. */
export interface WireBody {
  readonly sizeBytes: number;
  /** The whole body, if it is in memory. */
  readonly bytes?: Buffer;
  /** The first `end` bytes. */
  read(end: number): AsyncIterable<Buffer> | Iterable<Buffer>;
}

/** Text as a body. */
export function textBody(text: string): WireBody {
  const bytes = Buffer.from(text);
  return { sizeBytes: bytes.length, bytes, read: (end) => [bytes.subarray(0, end)] };
}

/** Writes a response with backpressure. */
export async function writeResponse(
  outgoing: ServerResponse,
  answer: Answer,
  corruption: Corruption,
): Promise<void> {
  const whole = answer.body?.sizeBytes ?? 0;
  const sent = corruption === null ? whole : Math.floor(whole / 2);
  const length = corruption === 'truncate' ? sent : whole;
  if (corruption === 'cut' && sent === 0) {
    outgoing.destroy();
    return;
  }
  const lengthHeader = answer.body === null ? {} : { 'content-length': String(length) };
  outgoing.writeHead(answer.status, { ...answer.headers, ...lengthHeader });
  if (corruption === null && answer.body?.bytes !== undefined) {
    outgoing.end(answer.body.bytes);
    return;
  }
  try {
    const source = Readable.from(answer.body?.read(sent) ?? [], { objectMode: false });
    await pipeline(source, outgoing, { end: corruption !== 'cut' });
  } catch (error) {
    // A client that disconnects early is no error.
    if (!outgoing.destroyed) throw error;
  }
  // Flush before destroying the connection, or the client would receive nothing.
  if (corruption === 'cut') outgoing.write('', () => outgoing.destroy());
}

/** Resolves when the connection is closed or the response is sent. */
export async function connectionClosed(outgoing: ServerResponse): Promise<void> {
  if (!outgoing.closed && !outgoing.destroyed) await once(outgoing, 'close');
}
