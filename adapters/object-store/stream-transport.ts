import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { BucketAddress } from './address.ts';
import type { AnswerBody } from './answer-body.ts';
import { StoreError } from './errors.ts';
import { Exchange, StaleConnection } from './exchange.ts';

/** A signed request of which the body may be a stream. */
export interface StreamRequest {
  readonly address: BucketAddress;
  readonly method: string;
  /** With its query, as it goes on the wire. */
  readonly path: string;
  /** With a `content-length` where there is a body. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of a stream exactly the announced bytes, or it must throw. */
  readonly body?: Buffer | AsyncIterable<Buffer> | undefined;
}

export interface StreamOptions {
  /** How long the store may leave us without an answer, or without taking or sending a byte. */
  readonly idleMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** An answer of which the head was read. Its body must be read to the end or closed. */
export interface StreamAnswer {
  readonly status: number;
  /** As node has them: names and values in turn, bytes as characters (latin1). */
  readonly rawHeaders: readonly string[];
  readonly body: AnswerBody;
}

/**
 * Any answer at all is an answer, also one that came before the body was sent.
 *
 * @throws StoreError `timed_out` or `unreachable`; the reason of the signal where that was aborted;
 *   and what the body throws, as it is.
 */
export type StreamTransport = (
  request: StreamRequest,
  options: StreamOptions,
) => Promise<StreamAnswer>;

/** Enough for the largest read that node makes of a socket, and for it to go on meanwhile. */
const HIGH_WATER_BYTES = 256 * 1024;

/**
 * Requests without a bound on their whole time: an object may take hours, if only its bytes move.
 * How many run at a time is for the caller to say.
 */
export function createStreamTransport(): StreamTransport & { close(): void } {
  const options = { keepAlive: true, noDelay: true, highWaterMark: HIGH_WATER_BYTES };
  const agents = { 'http:': new HttpAgent(options), 'https:': new HttpsAgent(options) };

  const send: StreamTransport = (request, sendOptions) => {
    const agent = agents[request.address.protocol];
    return exchange(request, agent, sendOptions).catch((error: unknown) => {
      if (!(error instanceof StaleConnection)) throw error;
      if (isRepeatable(request.body)) return exchange(request, false, sendOptions);
      throw new StoreError('unreachable', error);
    });
  };

  return Object.assign(send, {
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  });
}

function isRepeatable(body: StreamRequest['body']): boolean {
  return body === undefined || Buffer.isBuffer(body);
}

function exchange(
  request: StreamRequest,
  agent: HttpAgent | false,
  options: StreamOptions,
): Promise<StreamAnswer> {
  return new Promise((resolve, reject) => {
    new Exchange(request, agent, options, { resolve, reject }).start();
  });
}
