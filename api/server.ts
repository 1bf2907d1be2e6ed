import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../domain/errors.ts';
import { chooseRequestId } from './middleware/request-id.ts';
import { presentError } from './present/error.ts';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** Longer than the idle time-out of usual proxies, so that it is they who close first. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const MAX_HEADER_BYTES = 16 * 1024;

/** An HTTP server whose every answer, even to what is not HTTP, has the service's form. */
export function createHttpServer(listener: RequestListener): Server {
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      // Left to Node, a request without a Host gets a bare 400; the application refuses it in its form.
      requireHostHeader: false,
    },
    (request, response) => {
      // While it drains, each answer is the last of its connection.
      if (!server.listening) response.setHeader('Connection', 'close');
      listener(request, response);
    },
  );
  // An expectation that we do not know is no reason to refuse (RFC 9110 section 10.1.1).
  server.on('checkExpectation', listener);
  server.on('clientError', answerClientError);
  return server;
}

/** Stops taking connections, lets what runs finish, and cuts what is left after the time given. */
export function drain(server: Server, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), timeoutMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** What the parser refused never becomes a request, so it is answered by hand. */
function answerClientError(
  error: NodeJS.ErrnoException,
  socket: Socket & { _httpMessage?: IncomingMessage },
): void {
  if (!socket.writable || error.code === 'ECONNRESET' || socket._httpMessage) {
    socket.destroy();
    return;
  }
  const status = statusFor(error.code);
  const body = JSON.stringify(presentError(new AppError('invalid_request', STATUS_CODES[status])));
  socket.end(
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
