import type { IncomingMessage } from 'node:http';
import { StoreError } from './errors.ts';

/** Bounds a transfer, and watches it. */
export interface TransferBounds {
  /** How long the store may neither send nor receive while it is the store's turn. */
  readonly idleMs?: number | undefined;
  /** Called when a piece of a body was sent or read. */
  readonly onProgress?: (() => void) | undefined;
}

/** The bytes of a response, once. It must be read to the end, or closed. */
export interface ResponseBody extends AsyncIterableIterator<Buffer, undefined> {
  /** Drops the connection, which cannot be used again with unread bytes in it. */
  close(): void;
}

interface PendingRead {
  readonly resolve: (result: IteratorResult<Buffer, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

const END: IteratorResult<Buffer, undefined> = { done: true, value: undefined };

/**
 * The body of a response of node:http, with back-pressure: while nothing reads, at most a socket buffer
 * waits in memory, and the idle timer is off.
 */
export class IncomingBody implements ResponseBody {
  readonly #incoming: IncomingMessage;
  readonly #idleMs: number;
  readonly #onProgress: (() => void) | undefined;
  readonly #explain: (error: Error) => unknown;
  #queued: Buffer[] = [];
  #pending: PendingRead | null = null;
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
    // The piece before was used. Here, unlike in the socket's events, the caller's context is
    // current.
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

  close(): void {
    this.#queued = [];
    if (!this.#end) this.#incoming.destroy();
  }

  #take(chunk: Buffer): void {
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

/** The whole of a body. @throws StoreError `failed` if it is longer than `maxBytes` */
export async function readAll(body: ResponseBody, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes) throw new StoreError('failed', new Error('the response is too long'));
    chunks.push(Buffer.from(chunk));
  }
  return Buffer.concat(chunks);
}
