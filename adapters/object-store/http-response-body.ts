import type { IncomingMessage } from 'node:http';
import { StoreError } from './errors.ts';

/** Bounds a transfer, and watches it. */
export interface TransferBounds {
  /** How long the store may neither send nor receive while it is the store's turn. */
  readonly idleMs?: number | undefined;
  /** Called when a piece of a body was sent or read. */
  readonly onProgress?: (() => void) | undefined;
}

interface PendingRead {
  readonly resolve: (result: IteratorResult<Buffer, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

const END: IteratorResult<Buffer, undefined> = { done: true, value: undefined };

/**
 * The bytes of a response, once, with back-pressure: while nothing reads, at most a socket buffer
 * waits in memory, and the idle timer is off.
 */
export class ResponseBody implements AsyncIterableIterator<Buffer, undefined> {
  readonly #incoming: IncomingMessage;
  readonly #idleMs: number;
  readonly #onProgress: (() => void) | undefined;
  readonly #explain: (error: Error) => unknown;
  #queued: Buffer[] = [];
  #pending: PendingRead | null = null;
  #isDiscarded = false;
  #end: { readonly error: Error | null } | null = null;

  /** `explain` maps the error that cut the body short. */
  constructor(
    incoming: IncomingMessage,
    { idleMs, onProgress }: TransferBounds,
    explain: (error: Error) => unknown,
  ) {
    this.#incoming = incoming;
    this.#idleMs = idleMs ?? 0;
    this.#onProgress = onProgress;
    this.#explain = explain;
    incoming.on('data', (chunk: Buffer) => this.#take(chunk));
    incoming.once('end', () => this.#finish(null));
    incoming.once('error', (error) => this.#finish(error));
    incoming.once('close', () => {
      if (!this.#end) this.#finish(new Error('the response was cut short'));
    });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Buffer, undefined>> {
    // The piece before was used. Here, unlike in the socket's events, the caller's context is current.
    this.#onProgress?.();
    const chunk = this.#queued.shift();
    if (chunk) return Promise.resolve({ done: false, value: chunk });
    const end = this.#end;
    if (end) return end.error ? Promise.reject(this.#explain(end.error)) : Promise.resolve(END);
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject };
      this.#incoming.socket.setTimeout(this.#idleMs);
      if (this.#incoming.isPaused()) this.#incoming.resume();
    });
  }

  return(): Promise<IteratorResult<Buffer, undefined>> {
    this.close();
    return Promise.resolve(END);
  }

  /** Drops the connection, which cannot be used again with unread bytes in it. */
  close(): void {
    this.#queued = [];
    if (!this.#end) this.#incoming.destroy();
  }

  /** Skips the rest, so that the connection is free for the next request. */
  discard(): void {
    this.#queued = [];
    this.#isDiscarded = true;
    this.#incoming.resume();
  }

  /** The whole body. @throws StoreError `failed` if it is longer than `maxBytes` */
  async readAll(maxBytes: number): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of this) {
      length += chunk.length;
      if (length > maxBytes) throw new StoreError('failed', new Error('the response is too long'));
      chunks.push(chunk);
    }
    return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
  }

  #take(chunk: Buffer): void {
    if (this.#isDiscarded) return;
    const pending = this.#pending;
    if (pending) {
      this.#pending = null;
      pending.resolve({ done: false, value: chunk });
      return;
    }
    this.#queued.push(chunk);
    this.#incoming.pause();
    this.#incoming.socket.setTimeout(0);
  }

  #finish(error: Error | null): void {
    if (this.#end) return;
    this.#end = { error };
    const pending = this.#pending;
    this.#pending = null;
    if (!pending) return;
    if (error) pending.reject(this.#explain(error));
    else pending.resolve(END);
  }
}
