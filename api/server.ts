import {
  createServer,
  STATUS_CODES,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as afterReading } from 'node:timers/promises';
import { AppError } from '../domain/errors.ts';
import { chooseRequestId } from './middleware/request-id.ts';
import { presentError } from './present/error.ts';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** Longer than the idle time-out of common proxies, so that the proxy closes first. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const MAX_HEADER_BYTES = 16 * 1024;
/** Node's `backlog` of `listen`. */
const MAX_BACKLOG = 511;
/** A kept-alive connection may still send a request this long while the server drains. */
const LINGER_MS = 3_000;

/** An HTTP server whose answers all have the service's error body, even to malformed HTTP. */
export function createHttpServer(listener: RequestListener): Server {
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      // Node's own refusal has another body.
      requireHostHeader: false,
    },
    (request, response) => {
      const traffic = trafficOf(server);
      traffic.owed.add(response);
      response.once('close', () => traffic.owed.delete(response));
      // While the server drains, each answer ends its connection.
      if (traffic.isDraining) response.setHeader('Connection', 'close');
      if (request.headers.host === undefined && request.httpVersion === '1.1')
        answerOnSocket(request.socket, 400);
      else listener(request, response);
    },
  );
  // An unknown expectation may be ignored (RFC 9110 section 10.1.1).
  server.on('checkExpectation', listener);
  server.on('clientError', answerClientError);
  return server;
}

interface Traffic {
  /** Requests without an answer. */
  readonly owed: Set<ServerResponse>;
  isDraining: boolean;
}

const TRAFFIC = new WeakMap<Server, Traffic>();

function trafficOf(server: Server): Traffic {
  const traffic = TRAFFIC.get(server) ?? { owed: new Set(), isDraining: false };
  TRAFFIC.set(server, traffic);
  return traffic;
}

/**
 * Stops accepting connections, waits for running requests, and closes what is left after `timeoutMs`.
 *
 * Idle connections stay open for a moment, because a client may be sending its next request. It is
 * answered with `Connection: close`. Connections and requests in the kernel's queues are read before
 * anything is closed.
 */
export async function drain(server: Server, timeoutMs: number): Promise<void> {
  const lingerMs = Math.min(LINGER_MS, timeoutMs);
  const idle = setTimeout(
    () => void afterReading().then(() => server.closeIdleConnections()),
    lingerMs,
  );
  const cut = setTimeout(() => server.closeAllConnections(), timeoutMs);
  const traffic = trafficOf(server);
  traffic.isDraining = true;
  for (const response of traffic.owed) {
    if (!response.headersSent) response.setHeader('Connection', 'close');
  }
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
function answerClientError(
  error: NodeJS.ErrnoException,
  socket: Socket & { _httpMessage?: ServerResponse },
): void {
  // A second answer would be read as part of one that has begun.
  if (!socket.writable || error.code === 'ECONNRESET' || socket._httpMessage?.headersSent) {
    socket.destroy();
    return;
  }
  answerOnSocket(socket, statusFor(error.code));
}

function answerOnSocket(socket: Socket, status: number): void {
  const body = JSON.stringify(presentError(new AppError('invalid_request', STATUS_CODES[status])));
  socket.write(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      `X-Request-ID: ${chooseRequestId(undefined)}`,
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
