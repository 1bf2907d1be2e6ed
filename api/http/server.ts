import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { AppError } from '../../domain/common/errors.ts';
import { COMMON_HEADERS, chooseRequestId, presentError } from './answers.ts';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** How often Node looks for connections that exceed the two. */
const TIMEOUT_CHECKS_MS = 1_000;
/** A connection without a byte in either direction while it is owed an answer. */
const STALLED_MS = 30_000;
/** Longer than the idle time-out of common proxies, so that the proxy closes first. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const MAX_HEADER_BYTES = 16 * 1024;
/** Clients of kept-alive connections, and balancers, learn within this time that the server drains. */
const LINGER_MS = 1_000;
/** A client that sends more requests ahead than it reads answers is disconnected. */
const MAX_REQUESTS_OWED = 16;
/** Headers of which a second one would be ignored by some readers, and believed by others. */
const SINGLE_HEADERS: ReadonlySet<string> = new Set(['host', 'authorization']);

export interface HttpServer {
  readonly server: Server;
  /**
   * For a moment each answer ends its connection, so that no client sends a request into a connection
   * that is being closed. Then the server stops accepting, waits for running requests, and closes what
   * is left `timeoutMs` after the start.
   */
  drain(timeoutMs: number): Promise<void>;
}

/** An HTTP server whose answers all have the service's error body, even to malformed HTTP. */
export function createHttpServer(listener: RequestListener): HttpServer {
  let isDraining = false;
  /** The answers that each connection is owed, the oldest first. */
  const owed = new Map<Socket, Set<ServerResponse>>();
  const take: RequestListener = (request, response) => {
    const { socket } = request;
    const answers = owed.get(socket) ?? new Set();
    if (answers.size >= MAX_REQUESTS_OWED) socket.destroy();
    // Node hands over the rest of what it had read before.
    if (socket.destroyed) return;
    owed.set(socket, answers.add(response));
    response.once('close', () => {
      answers.delete(response);
      if (answers.size === 0) owed.delete(socket);
    });
    // While the server drains, each answer ends its connection.
    if (isDraining) response.setHeader('Connection', 'close');
    if (isAmbiguous(request)) answerOnSocket(socket, 400);
    else listener(request, response);
  };
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECKS_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      // Node's own refusal has another body.
      requireHostHeader: false,
    },
    take,
  );
  // Node closes a connection on which no byte moves for this long.
  server.timeout = STALLED_MS;
  // An unknown expectation may be ignored (RFC 9110 section 10.1.1).
  server.on('checkExpectation', take);
  server.on('connect', (_request, socket: Socket) => answerOnSocket(socket, 405));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // A second answer would be read as part of one that has begun.
    const [next] = owed.get(socket) ?? [];
    if (!socket.writable || error.code === 'ECONNRESET' || next?.headersSent) socket.destroy();
    else answerOnSocket(socket, statusFor(error.code));
  });
  return {
    server,
    async drain(timeoutMs) {
      const cut = setTimeout(() => server.closeAllConnections(), timeoutMs);
      isDraining = true;
      for (const answers of owed.values()) {
        for (const response of answers)
          if (!response.headersSent) response.setHeader('Connection', 'close');
      }
      await wait(Math.min(LINGER_MS, timeoutMs));
      // What has arrived is read before idle connections are closed.
      await nextTurn();
      await new Promise((resolve) => server.close(resolve));
      clearTimeout(cut);
    },
  };
}

/** Whether two readers may understand the request differently, or it has no host. */
function isAmbiguous({ rawHeaders, headers, httpVersion }: IncomingMessage): boolean {
  if (headers.host === undefined && httpVersion === '1.1') return true;
  const single = rawHeaders
    .filter((_, index) => index % 2 === 0)
    .map((name) => name.toLowerCase())
    .filter((name) => SINGLE_HEADERS.has(name));
  return new Set(single).size < single.length;
}

/** Answers on the socket: the parser's refusals never become requests. */
function answerOnSocket(socket: Socket, status: number): void {
  const code = status === 405 ? 'method_not_allowed' : 'invalid_request';
  const body = JSON.stringify(presentError(new AppError(code, STATUS_CODES[status])));
  socket.write(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      `X-Request-ID: ${chooseRequestId(undefined)}`,
      ...Object.entries(COMMON_HEADERS).map(([name, value]) => `${name}: ${value}`),
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
  socket.destroySoon();
}

function statusFor(code: string | undefined): number {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return 431;
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 408;
    default:
      return 400;
  }
}
