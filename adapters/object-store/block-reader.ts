import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { StoreHttpRequest } from './http-messages.ts';

const BLOCK_BYTES = 128 * 1024;
/** One that is used, one that waits, and one that is filled: TLS has some more after a pause. */
const BLOCKS = 3;
/** Room for a record of TLS. */
const SMALLEST_READ_BYTES = 16 * 1024;

interface PendingRead {
  readonly resolve: (piece: Buffer | undefined) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A connection that reads into blocks of its own, over and over: Node allocates what it reads
 * otherwise, and collecting that takes more processor time than copying it.
 */
export class BlockReader {
  readonly socket: Socket;
  readonly #memory = Buffer.allocUnsafeSlow(BLOCKS * BLOCK_BYTES);
  /** The number of the block that is filled, and what of it has arrived and was not read yet. */
  #filling = 0;
  #start = 0;
  #end = 0;
  /** The rest of the block before: the socket is paused until that is read. */
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
            ...(isIP(host) === 0 && { servername: host }),
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

  /** Whether it is open, and nothing has arrived that was not asked for. */
  isFree(): boolean {
    return this.#ended === null && this.#full === null && this.#end === this.#start;
  }

  /** What has arrived, valid until the next call; undefined once the other side has ended. */
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
    return this.#memory.subarray(this.#filling * BLOCK_BYTES, (this.#filling + 1) * BLOCK_BYTES);
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
    if (isFull) {
      this.#filling = (this.#filling + 1) % BLOCKS;
      this.#start = 0;
      this.#end = 0;
    }
    if (pending) {
      this.#pending = null;
      pending.resolve(piece);
      return true;
    }
    // What TLS hands over after a pause fits into a block.
    if (this.#full) this.fail(new Error('more has arrived than was asked for'));
    this.#full = piece;
    return false;
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
