import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** How an answer is spoilt on its way; null: not at all. */
export type Spoil = 'cut' | 'truncate' | null;

/** An answer's head and, apart from it, its bytes. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Null where there is none. */
  readonly body: AnswerBody | null;
}

/** Bytes of known length. */
export interface AnswerBody {
  readonly sizeBytes: number;
  /** All of them, where they are at hand. */
  readonly bytes?: Buffer;
  /** The first `end` bytes. */
  read(end: number): AsyncIterable<Buffer> | Iterable<Buffer>;
}

/** Text as a body. */
export function textBody(text: string): AnswerBody {
  const bytes = Buffer.from(text);
  return { sizeBytes: bytes.length, bytes, read: (end) => [bytes.subarray(0, end)] };
}

/** Writes an answer, at the speed at which the client takes it. */
export async function writeAnswer(
  outgoing: ServerResponse,
  answer: Answer,
  spoil: Spoil,
): Promise<void> {
  const whole = answer.body?.sizeBytes ?? 0;
  const sent = spoil === null ? whole : Math.floor(whole / 2);
  const length = spoil === 'truncate' ? sent : whole;
  if (spoil === 'cut' && sent === 0) {
    outgoing.destroy();
    return;
  }
  const lengthHeader = answer.body === null ? {} : { 'content-length': String(length) };
  outgoing.writeHead(answer.status, { ...answer.headers, ...lengthHeader });
  if (spoil === null && answer.body?.bytes !== undefined) {
    outgoing.end(answer.body.bytes);
    return;
  }
  try {
    const source = Readable.from(answer.body?.read(sent) ?? [], { objectMode: false });
    await pipeline(source, outgoing, { end: spoil !== 'cut' });
  } catch (error) {
    // A client that goes away early is no failure of ours.
    if (!outgoing.destroyed) throw error;
  }
  // The bytes must have left before the connection goes, or the client would see none of them.
  if (spoil === 'cut') outgoing.write('', () => outgoing.destroy());
}

/** Resolves when the connection under an answer is gone or the answer is out. */
export async function closed(outgoing: ServerResponse): Promise<void> {
  if (!outgoing.closed && !outgoing.destroyed) await once(outgoing, 'close');
}
