import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { StoreHttpRequest } from './http-messages.ts';

/** Two of them per connection: one is filled while the other is used. */
const BLOCK_BYTES = 128 * 1024;
/** Room for a record of TLS. */
const SMALLEST_READ_BYTES = 16 * 1024;

interface PendingRead {
  readonly resolve: (piece: Buffer | undefined) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A connection that reads into two blocks of its own, over and over: Node allocates what it reads otherwise, and
 * collecting that takes more processor time than copying it.
 */
export class BlockReader {
  readonly socket: Socket;
  readonly #blocks = [Buffer.allocUnsafeSlow(BLOCK_BYTES), Buffer.allocUnsafeSlow(BLOCK_BYTES)];
  /** The block that is filled, and what of it has arrived and was not read yet. */
  #filling = 0;
  #start = 0;
  #end = 0;
  /** The rest of the other block: the socket is paused until that is read. */
  #full: Buffer | null = null;
  #pending: PendingRead | null = null;
  #ended: { readonly error: Error | null } | null = null;

  constructor({ protocol, hostname: host, port }: StoreHttpRequest['address']) {
    const onread = {
      buffer: () => this.#block().subarray(this.#end),
      callback: (count: number) => this.#take(count),
    };
    const options = { host, noDelay: true, keepAlive: true, onread };
    this.socket =
      protocol === 'http:'
        ? connectTcp({ ...options, port: port ?? 80 })
        : connectTls({
            ...options,
            port: port ?? 443,
            servername: host,
            ALPNProtocols: ['http/1.1'],
          });
    this.socket.on('error', (error) => this.fail(error));
    this.socket.once('end', () => this.#finish(null));
    this.socket.once('close', () => this.#finish(null));
  }

  /** Whether the next read waits for the other side. */
  isWaiting(): boolean {
    return this.#pending !== null;
  }

  isOpen(): boolean {
    return this.#ended === null;
  }

  /** What has arrived, which is valid until the next call; undefined once the other side has ended. */
  read(): Promise<Buffer | undefined> {
    const full = this.#full;
    if (full) {
      this.#full = null;
      this.socket.resume();
      return Promise.resolve(full);
    }
    if (this.#end > this.#start) return Promise.resolve(this.#arrived());
    if (this.#ended?.error) return Promise.reject(this.#ended.error);
    if (this.#ended) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject };
    });
  }

  /** Drops the connection; a read that waits rejects with the error. */
  fail(error: Error): void {
    this.#finish(error);
    this.socket.destroy();
  }

  #block(): Buffer {
    return this.#blocks[this.#filling] as Buffer;
  }

  #arrived(): Buffer {
    const piece = this.#block().subarray(this.#start, this.#end);
    this.#start = this.#end;
    return piece;
  }

  /** Returns whether to read on. */
  #take(count: number): boolean {
    this.#end += count;
    const isFull = BLOCK_BYTES - this.#end < SMALLEST_READ_BYTES;
    const pending = this.#pending;
    if (!pending && !isFull) return true;
    const piece = this.#arrived();
    if (isFull) this.#swap();
    if (pending) {
      this.#pending = null;
      pending.resolve(piece);
      return true;
    }
    this.#full = piece;
    return false;
  }

  /** Nobody reads the other block: whoever asks for more has used it, and until then the socket is paused. */
  #swap(): void {
    this.#filling = 1 - this.#filling;
    this.#start = 0;
    this.#end = 0;
  }

  #finish(error: Error | null): void {
    if (this.#ended) return;
    this.#ended = { error };
    const pending = this.#pending;
    this.#pending = null;
    if (!pending) return;
    if (error) pending.reject(error);
    else pending.resolve(undefined);
  }
}
