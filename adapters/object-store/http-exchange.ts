import {
  request as httpRequest,
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { abortCalls } from '../abort-signals.ts';
import { StoreError } from './errors.ts';
import type { StoreHttpOptions, StoreHttpRequest, StoreHttpResponse } from './http-messages.ts';
import { IncomingBody } from './http-response-body.ts';
import { watchSilence } from './silence.ts';

/** Node's options of a request, and the bucket if it is not part of the host. */
export interface BucketOptions extends RequestOptions {
  readonly bucket?: string;
}

/** The store closed the connection without a response. */
export class ConnectionLostError extends Error {
  /** It was a kept-alive connection, which may have been closed before this request. */
  readonly wasReused: boolean;
  /** The request body was not sent to its end. */
  readonly wasSending: boolean;

  constructor(wasReused: boolean, wasSending: boolean, cause: Error) {
    super('the store closed the connection', { cause });
    this.wasReused = wasReused;
    this.wasSending = wasSending;
  }
}

/**
 * Sends a request over one connection of the agent; `false`: over a new one.
 *
 * @throws ConnectionLostError and what `StoreHttp` throws
 */
export function sendOnce(
  request: StoreHttpRequest,
  agent: Agent | false,
  options: StoreHttpOptions,
): Promise<StoreHttpResponse> {
  return new Promise((resolve, reject) => {
    new Exchange(request, agent, options, { resolve, reject }).start();
  });
}

interface Settlement {
  resolve(response: StoreHttpResponse): void;
  reject(error: unknown): void;
}

const CLOSED_BY_STORE: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'EPIPE']);

/**
 * Buffers are sent in pieces of this length, so that sending stops when the store responds, and so
 * that a slow store shows progress.
 */
const PIECE_BYTES = 256 * 1024;

/** One request and its response. */
class Exchange {
  readonly #body: StoreHttpRequest['body'];
  readonly #options: StoreHttpOptions;
  readonly #settlement: Settlement;
  readonly #outgoing: ClientRequest;
  #socket: Socket | null = null;
  /** Why this side aborted. */
  #reason: unknown = null;
  /** The next chunk of the body is awaited: the silence is not the store's. */
  #isSourceTurn = false;
  #isSent = false;
  #isAnswered = false;
  #wake: (() => void) | null = null;
  readonly #onAbort = (): void => {
    const isTaken = this.#isSent && this.#outgoing.writableFinished;
    if (!(this.#options.keepsSent && isTaken)) this.#abort(this.#options.signal?.reason);
  };
  #stopWatching = (): void => {};

  constructor(
    { address, method, path, headers, body }: StoreHttpRequest,
    agent: Agent | false,
    options: StoreHttpOptions,
    settlement: Settlement,
  ) {
    this.#body = body;
    this.#options = options;
    this.#settlement = settlement;
    const open = address.protocol === 'http:' ? httpRequest : httpsRequest;
    const { hostname: host, port, pathPrefix: bucket } = address;
    const outgoing: BucketOptions = { agent, method, host, port, path, headers, bucket };
    this.#outgoing = open(outgoing);
  }

  start(): void {
    const outgoing = this.#outgoing;
    outgoing.once('socket', (socket) => this.#connect(socket));
    outgoing.once('response', (incoming) => this.#respond(incoming));
    outgoing.on('error', (error) => this.#fail(error));
    outgoing.once('close', () => this.#release());
    const { signal } = this.#options;
    if (signal?.aborted) return this.#onAbort();
    if (signal) abortCalls(signal).add(this.#onAbort);
    const body = this.#body;
    if (body === undefined || (Buffer.isBuffer(body) && body.length <= PIECE_BYTES)) {
      this.#isSent = true;
      outgoing.end(body);
      return;
    }
    this.#send(Buffer.isBuffer(body) ? split(body) : body).catch((error: unknown) => {
      if (!this.#isAnswered) this.#abort(error);
    });
  }

  #connect(socket: Socket): void {
    this.#socket = socket;
    // Node stops listening when the response ends, but a write of the body may fail after that.
    if (!this.#outgoing.reusedSocket) socket.on('error', () => {});
    this.#stopWatching = watchSilence(socket, () => {
      if (!this.#isSourceTurn || socket.connecting) this.#abort(new StoreError('timed_out'));
    });
    this.#watchIdle();
  }

  #respond(incoming: IncomingMessage): void {
    const status = incoming.statusCode ?? 0;
    this.#isAnswered = true;
    this.#wake?.();
    if (!this.#isSent) {
      if (status < 300) return this.#abort(new StoreError('failed', undefined, true));
      // The store still expects the rest of the body: this connection cannot be used again.
      incoming.once('end', () => this.#outgoing.destroy());
    }
    const { keepsSent, ...options } = this.#options;
    const bounds = keepsSent ? { ...options, signal: undefined } : options;
    const body = new IncomingBody(incoming, bounds, (error) => this.#explain(error));
    this.#settlement.resolve({ status, rawHeaders: incoming.rawHeaders, body });
  }

  #fail(error: NodeJS.ErrnoException): void {
    const { reusedSocket, writableFinished } = this.#outgoing;
    const isLost = this.#reason === null && CLOSED_BY_STORE.has(error.code) && !this.#isAnswered;
    this.#settlement.reject(
      isLost
        ? new ConnectionLostError(reusedSocket, !this.#isSent || !writableFinished, error)
        : this.#explain(error),
    );
    this.#wake?.();
  }

  #release(): void {
    const { signal } = this.#options;
    if (signal) abortCalls(signal).delete(this.#onAbort);
    this.#stopWatching();
    this.#wake?.();
  }

  #abort(reason: unknown): void {
    this.#reason ??= reason;
    if (!this.#isAnswered || !this.#isSent) this.#reset();
    this.#outgoing.destroy();
    this.#settlement.reject(this.#reason);
    this.#release();
  }

  /**
   * Sends RST instead of FIN, so that a store does not take a cut body for a whole object:
   * versitygw stores what it has at a FIN. TLS needs no RST: EOF without close_notify already
   * signals truncation.
   */
  #reset(): void {
    if (!(this.#socket instanceof TLSSocket)) this.#socket?.resetAndDestroy();
  }

  #explain(error: Error): unknown {
    if (this.#reason !== null) return this.#reason;
    return error instanceof StoreError ? error : new StoreError('unreachable', error);
  }

  async #send(body: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<void> {
    this.#isSourceTurn = true;
    for await (const piece of body) {
      if (this.#isOver()) return;
      await this.#write(piece);
      this.#options.onProgress?.();
    }
    if (this.#isOver()) return;
    this.#isSent = true;
    this.#isSourceTurn = false;
    this.#watchIdle();
    this.#outgoing.end();
  }

  /** Resolves when the socket has taken the piece, or the exchange is over. */
  async #write(piece: Buffer): Promise<void> {
    this.#isSourceTurn = false;
    this.#watchIdle();
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      this.#outgoing.write(piece, () => resolve());
    });
    this.#isSourceTurn = true;
  }

  #isOver(): boolean {
    return this.#isAnswered || this.#outgoing.destroyed;
  }

  #watchIdle(): void {
    this.#socket?.setTimeout(this.#options.idleMs ?? 0);
  }
}

function* split(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += PIECE_BYTES) yield body.subarray(at, at + PIECE_BYTES);
}
