import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as afterReading } from 'node:timers/promises';
import { AppError } from '../../domain/common/errors.ts';
import { createConnections } from './connection.ts';
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
/** Node's `backlog` of `listen`. */
const MAX_BACKLOG = 511;
/** A kept-alive connection may still send a request this long while the server drains. */
const LINGER_MS = 3_000;
/** Headers of which a second one would be ignored by some readers, and believed by others. */
const SINGLE_HEADERS: ReadonlySet<string> = new Set(['host', 'authorization']);

export interface HttpServer {
  readonly server: Server;
  /**
   * Stops accepting connections, waits for running requests, and closes what is left after `timeoutMs`.
   *
   * Idle connections stay open for a moment, because a client may be sending its next request. It is
   * answered with `Connection: close`. Connections and requests in the kernel's queues are read before
   * anything is closed.
   */
  drain(timeoutMs: number): Promise<void>;
}

/** An HTTP server whose answers all have the service's error body, even to malformed HTTP. */
export function createHttpServer(listener: RequestListener): HttpServer {
  let isDraining = false;
  const connections = createConnections((request, response) => {
    if (isAmbiguous(request)) answerOnSocket(request.socket, 400);
    else listener(request, response);
  });
  const take: RequestListener = (request, response) => {
    // While the server drains, each answer ends its connection.
    if (isDraining) response.setHeader('Connection', 'close');
    connections.take(request, response);
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
    if (!socket.writable || error.code === 'ECONNRESET' || connections.hasBegun(socket))
      socket.destroy();
    else answerOnSocket(socket, statusFor(error.code));
  });
  return {
    server,
    async drain(timeoutMs) {
      isDraining = true;
      for (const response of connections.owed()) {
        if (!response.headersSent) response.setHeader('Connection', 'close');
      }
      await close(server, timeoutMs);
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

/** Accepts what waits, closes idle connections after a moment, and all of them after `timeoutMs`. */
async function close(server: Server, timeoutMs: number): Promise<void> {
  const lingerMs = Math.min(LINGER_MS, timeoutMs);
  const idle = setTimeout(
    () => void afterReading().then(() => server.closeIdleConnections()),
    lingerMs,
  );
  const cut = setTimeout(() => server.closeAllConnections(), timeoutMs);
  await acceptWaiting(server);
  // The HTTP server's own close() would cut the idle connections at once.
  await new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
  clearTimeout(idle);
  clearTimeout(cut);
}

/**
 * Accepts the connections that wait in the kernel's queue; closing the server would reset them. libuv
 * accepts one in each turn of the event loop (since 1.45), so this ends after a turn without any.
 */
async function acceptWaiting(server: Server): Promise<void> {
  let hasAccepted = true;
  const note = () => void (hasAccepted = true);
  server.on('connection', note);
  for (let turn = 0; turn < MAX_BACKLOG && hasAccepted; turn += 1) {
    hasAccepted = false;
    await afterReading();
  }
  server.off('connection', note);
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
