import {
  request as httpRequest,
  type Agent,
  type ClientRequest,
  type IncomingMessage,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { abortCalls } from './abort-calls.ts';
import { AnswerBody } from './answer-body.ts';
import { StoreError } from './errors.ts';
import { lineOf, type Line } from './line.ts';
import type { StreamAnswer, StreamOptions, StreamRequest } from './stream-transport.ts';

/** A kept connection that the store had closed just before it was used again. */
export class StaleConnection extends Error {}

export interface Outcome {
  resolve(answer: StreamAnswer): void;
  reject(error: unknown): void;
}

/** How a connection ends that the store had given up. */
const HUNG_UP: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'EPIPE']);

/** One request and its answer. */
export class Exchange {
  readonly #body: StreamRequest['body'];
  readonly #options: StreamOptions;
  readonly #outcome: Outcome;
  readonly #outgoing: ClientRequest;
  #line: Line | null = null;
  /** Why we ourselves gave up. */
  #reason: unknown = null;
  /** We have the next chunk to find; the store is not to blame for the silence. */
  #isOurTurn = false;
  #isSent = false;
  #isAnswered = false;
  #wake: (() => void) | null = null;
  readonly #abort: () => void;

  constructor(
    { address, method, path, headers, body }: StreamRequest,
    agent: Agent | false,
    options: StreamOptions,
    outcome: Outcome,
  ) {
    this.#body = body;
    this.#options = options;
    this.#outcome = outcome;
    this.#abort = () => this.#giveUp(options.signal?.reason);
    const open = address.protocol === 'http:' ? httpRequest : httpsRequest;
    const { hostname: host, port } = address;
    this.#outgoing = open({ agent, method, host, port, path, headers });
  }

  start(): void {
    const outgoing = this.#outgoing;
    outgoing.once('socket', (socket) => this.#connect(socket));
    outgoing.once('response', (incoming) => this.#answer(incoming));
    outgoing.on('error', (error) => this.#fail(error));
    outgoing.once('close', () => this.#letGo());
    const { signal } = this.#options;
    if (signal?.aborted) return this.#abort();
    if (signal) abortCalls(signal).add(this.#abort);
    const body = this.#body;
    if (body === undefined || Buffer.isBuffer(body)) {
      this.#isSent = true;
      outgoing.end(body);
      return;
    }
    this.#send(body).catch((error: unknown) => {
      if (!this.#isAnswered) this.#giveUp(error);
    });
  }

  #connect(socket: Socket): void {
    const line = lineOf(socket);
    this.#line = line;
    line.onIdle = () => {
      if (!this.#isOurTurn || socket.connecting) this.#giveUp(new StoreError('timed_out'));
    };
    line.expect(this.#options.idleMs);
  }

  #answer(incoming: IncomingMessage): void {
    const status = incoming.statusCode ?? 0;
    this.#isAnswered = true;
    this.#wake?.();
    if (!this.#isSent) {
      if (status < 300) return this.#giveUp(new StoreError('failed', undefined, true));
      // The store waits for a body that does not come: this connection is of no further use.
      incoming.once('end', () => this.#outgoing.destroy());
    }
    const line = this.#line ?? lineOf(incoming.socket);
    const body = new AnswerBody(incoming, line, this.#options.idleMs, (error) =>
      this.#explain(error),
    );
    this.#outcome.resolve({ status, rawHeaders: incoming.rawHeaders, body });
  }

  #fail(error: NodeJS.ErrnoException): void {
    const outgoing = this.#outgoing;
    const isStale =
      this.#reason === null &&
      outgoing.reusedSocket &&
      HUNG_UP.has(error.code) &&
      !this.#isAnswered;
    this.#outcome.reject(isStale ? new StaleConnection() : this.#explain(error));
    this.#wake?.();
  }

  #letGo(): void {
    const { signal } = this.#options;
    if (signal) abortCalls(signal).delete(this.#abort);
    if (this.#line) this.#line.onIdle = null;
    this.#wake?.();
  }

  #giveUp(reason: unknown): void {
    this.#reason ??= reason;
    if (this.#body !== undefined && !this.#isAnswered) this.#line?.reset();
    this.#outgoing.destroy();
    this.#outcome.reject(this.#reason);
    this.#letGo();
  }

  /** In the store's words, or as our own side gave it. */
  #explain(error: Error): unknown {
    if (this.#reason !== null) return this.#reason;
    return error instanceof StoreError ? error : new StoreError('unreachable', error);
  }

  async #send(body: AsyncIterable<Buffer>): Promise<void> {
    this.#isOurTurn = true;
    for await (const chunk of body) {
      if (this.#isOver()) return;
      if (!this.#outgoing.write(chunk)) await this.#room();
    }
    if (this.#isOver()) return;
    this.#isSent = true;
    this.#itsTurn();
    this.#outgoing.end();
  }

  #isOver(): boolean {
    return this.#isAnswered || this.#outgoing.destroyed;
  }

  #itsTurn(): void {
    this.#isOurTurn = false;
    this.#line?.expect(this.#options.idleMs);
  }

  /** Until the store took what was written, or there is no point in waiting. */
  #room(): Promise<void> {
    return new Promise((resolve) => {
      const outgoing = this.#outgoing;
      const go = (): void => {
        outgoing.off('drain', go);
        this.#wake = null;
        this.#isOurTurn = true;
        resolve();
      };
      this.#wake = go;
      outgoing.on('drain', go);
      this.#itsTurn();
    });
  }
}
