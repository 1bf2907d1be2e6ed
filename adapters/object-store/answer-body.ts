import type { IncomingMessage } from 'node:http';
import { StoreError } from './errors.ts';
import type { Line } from './line.ts';

interface Waiting {
  readonly resolve: (result: IteratorResult<Buffer, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

const END: IteratorResult<Buffer, undefined> = { done: true, value: undefined };

/**
 * The bytes of an answer as they come, once. What is not asked for is not read: no more than a
 * socket's worth waits in memory. While nobody asks, the store may take its time.
 */
export class AnswerBody implements AsyncIterableIterator<Buffer, undefined> {
  readonly #incoming: IncomingMessage;
  readonly #line: Line;
  readonly #idleMs: number;
  readonly #explain: (error: Error) => unknown;
  #queued: Buffer[] = [];
  #waiting: Waiting | null = null;
  #isDumped = false;
  #end: { readonly error: Error | null } | null = null;

  /** `explain` says in the store's words why the bytes ended early. */
  constructor(
    incoming: IncomingMessage,
    line: Line,
    idleMs: number,
    explain: (error: Error) => unknown,
  ) {
    this.#incoming = incoming;
    this.#line = line;
    this.#idleMs = idleMs;
    this.#explain = explain;
    incoming.on('data', (chunk: Buffer) => this.#take(chunk));
    incoming.once('end', () => this.#finish(null));
    incoming.once('error', (error) => this.#finish(error));
    incoming.once('close', () => {
      if (!this.#end) this.#finish(new Error('the answer was cut'));
    });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Buffer, undefined>> {
    const chunk = this.#queued.shift();
    if (chunk) return Promise.resolve({ done: false, value: chunk });
    const end = this.#end;
    if (end) return end.error ? Promise.reject(this.#explain(end.error)) : Promise.resolve(END);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#line.expect(this.#idleMs);
      if (this.#incoming.isPaused()) this.#incoming.resume();
    });
  }

  return(): Promise<IteratorResult<Buffer, undefined>> {
    this.close();
    return Promise.resolve(END);
  }

  /** Lets go: a connection with unread bytes in it is of no use to anybody. */
  close(): void {
    this.#queued = [];
    if (!this.#end) this.#incoming.destroy();
  }

  /** Lets the rest pass unread, so that the connection is free for the next request. */
  dump(): void {
    this.#queued = [];
    this.#isDumped = true;
    this.#incoming.resume();
  }

  /** All of it. @throws StoreError `failed` where it is longer than that */
  async whole(maxBytes: number): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of this) {
      length += chunk.length;
      if (length > maxBytes) throw new StoreError('failed', new Error('the answer is too long'));
      chunks.push(chunk);
    }
    return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
  }

  #take(chunk: Buffer): void {
    if (this.#isDumped) return;
    const waiting = this.#waiting;
    if (waiting) {
      this.#waiting = null;
      waiting.resolve({ done: false, value: chunk });
      return;
    }
    this.#queued.push(chunk);
    this.#incoming.pause();
    this.#line.rest();
  }

  #finish(error: Error | null): void {
    if (this.#end) return;
    this.#end = { error };
    const waiting = this.#waiting;
    this.#waiting = null;
    if (!waiting) return;
    if (error) waiting.reject(this.#explain(error));
    else waiting.resolve(END);
  }
}
