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
/** Longer than the idle time-out of usual proxies, so that it is they who close first. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const MAX_HEADER_BYTES = 16 * 1024;
/** How long a connection that is kept may still bring a request while the server drains. */
const LINGER_MS = 3_000;

/** An HTTP server whose every answer, even to what is not HTTP, has the service's form. */
export function createHttpServer(listener: RequestListener): Server {
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      // Node would refuse it in a form of its own.
      requireHostHeader: false,
    },
    (request, response) => {
      const traffic = trafficOf(server);
      traffic.owed.add(response);
      response.once('close', () => traffic.owed.delete(response));
      // While it drains, each answer is the last of its connection.
      if (traffic.isDraining) response.setHeader('Connection', 'close');
      if (request.headers.host === undefined && request.httpVersion === '1.1')
        answerByHand(request.socket, 400);
      else listener(request, response);
    },
  );
  // An expectation that we do not know is no reason to refuse (RFC 9110 section 10.1.1).
  server.on('checkExpectation', listener);
  server.on('clientError', answerClientError);
  return server;
}

interface Traffic {
  /** The answers that the server still owes. */
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
 * Stops taking connections, lets what runs finish, and cuts what is left after the time given.
 *
 * Idle connections linger: a client may be writing its next request on one at this very moment. It
 * is answered, and told that the connection ends. What the kernel has taken in already, connections
 * and requests, is read before anything is closed, however long we were kept from looking.
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
  await afterReading();
  // The HTTP server's own close() would cut the idle connections at once.
  await new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
  clearTimeout(idle);
  clearTimeout(cut);
}

/** What the parser refused never becomes a request, so it is answered by hand. */
function answerClientError(
  error: NodeJS.ErrnoException,
  socket: Socket & { _httpMessage?: ServerResponse },
): void {
  // Where an answer has begun, another one would be read as part of it.
  if (!socket.writable || error.code === 'ECONNRESET' || socket._httpMessage?.headersSent) {
    socket.destroy();
    return;
  }
  answerByHand(socket, statusFor(error.code));
}

function answerByHand(socket: Socket, status: number): void {
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
