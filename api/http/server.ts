import { once } from 'node:events';
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
import type Koa from 'koa';
import type { Logger } from '../../adapters/telemetry/logger.ts';
import { AppError } from '../../domain/common/errors.ts';
import { COMMON_HEADERS, chooseRequestId, presentError } from './answers.ts';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** How often Node checks connections against these two time-outs. */
const TIMEOUT_CHECKS_MS = 1_000;
/** A connection on which no byte moves for this long is closed. */
const STALLED_MS = 30_000;
/** Longer than the idle time-out of common proxies, so that the proxy closes first. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const MAX_HEADER_BYTES = 16 * 1024;
/** Time for clients with kept-alive connections, and load balancers, to notice that the server drains. */
const LINGER_MS = 1_000;
/** A client that pipelines more requests than this without reading answers is disconnected. */
const MAX_PIPELINED = 16;
/** Headers that HTTP implementations read differently if they are repeated. */
const SINGLE_HEADERS: ReadonlySet<string> = new Set(['host', 'authorization']);

export interface HttpServer {
  readonly server: Server;
  /**
   * At first answers carry `Connection: close`, so that no client sends a request into a closing
   * connection. Then the server stops accepting, waits for running requests, and closes all remaining
   * connections `timeoutMs` after the start.
   */
  drain(timeoutMs: number): Promise<void>;
}

/** An HTTP server whose answers all have the service's error body, even to malformed HTTP. */
export function createHttpServer(listener: RequestListener): HttpServer {
  let isDraining = false;
  /** The pending answers of each connection, the oldest first. */
  const pending = new Map<Socket, Set<ServerResponse>>();
  const open = (socket: Socket): Set<ServerResponse> => {
    const answers = new Set<ServerResponse>();
    pending.set(socket, answers);
    socket.once('close', () => {
      pending.delete(socket);
      // Node closes only the answer that has the socket. Those behind it would keep what they hold.
      for (const response of answers)
        if (response.socket === null) response.destroy().emit('close');
    });
    return answers;
  };
  const accept: RequestListener = (request, response) => {
    const { socket } = request;
    // Node still emits the requests that it had already read.
    if (socket.destroyed) return;
    const answers = pending.get(socket) ?? open(socket);
    if (answers.size >= MAX_PIPELINED) {
      socket.destroy();
      return;
    }
    answers.add(response);
    response.once('close', () => answers.delete(response));
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
    accept,
  );
  server.timeout = STALLED_MS;
  // An unknown expectation may be ignored (RFC 9110 section 10.1.1).
  server.on('checkExpectation', accept);
  server.on('connect', (_request, socket: Socket) => answerOnSocket(socket, 405));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // A second answer would be read as part of one that has begun.
    const [next] = pending.get(socket) ?? [];
    if (!socket.writable || error.code === 'ECONNRESET' || next?.headersSent) socket.destroy();
    else answerOnSocket(socket, statusFor(error.code));
  });
  return {
    server,
    async drain(timeoutMs) {
      const cut = setTimeout(() => server.closeAllConnections(), timeoutMs);
      isDraining = true;
      for (const answers of pending.values()) {
        for (const response of answers)
          if (!response.headersSent) response.setHeader('Connection', 'close');
      }
      await wait(Math.min(LINGER_MS, timeoutMs));
      // Received bytes are read before idle connections are closed.
      await nextTurn();
      await new Promise((resolve) => server.close(resolve));
      clearTimeout(cut);
    },
  };
}

/** Serves an application. @returns the drain of its server */
export async function listen(
  app: Koa,
  { port, host }: { readonly port: number; readonly host: string },
  log: Logger,
): Promise<HttpServer['drain']> {
  const handle = app.callback();
  const { server, drain } = createHttpServer((request, response) => void handle(request, response));
  server.listen(port, host);
  await once(server, 'listening');
  log.info({ address: server.address() }, 'listening');
  return drain;
}

/** Whether HTTP implementations may read the request differently, or it has no host. */
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
