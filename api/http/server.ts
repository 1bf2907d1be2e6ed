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
import { COMMON_HEADERS, chooseRequestId, MAX_TARGET_BYTES, presentError } from './answers.ts';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** How often Node checks connections against these two time-outs. */
const TIMEOUT_CHECKS_MS = 1_000;
/** A connection on which no byte moves for this long is closed. */
const STALLED_MS = 30_000;
/** Longer than the idle time-out of common proxies, so that the proxy closes first. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const MAX_HEADER_BYTES = 16 * 1024;
/**
 * Time for clients with kept-alive connections, and load balancers, to notice that the server
 * drains.
 */
const LINGER_MS = 1_000;
/** A client that pipelines more requests than this without reading answers is disconnected. */
const MAX_PIPELINED = 16;
/** A head that begins with a longer target than any request may have. */
const LONG_TARGET = new RegExp(`^[A-Z]+ [^ ]{${MAX_TARGET_BYTES + 1}}`);
/** Headers that HTTP implementations read differently if they are repeated. */
const SINGLE_HEADERS: ReadonlySet<string> = new Set(['host', 'authorization']);

/** A connection that a client keeps open. */
interface Connection {
  /** The pending answers, the oldest first. */
  readonly answers: Set<ServerResponse>;
  /** The last request that has been read. */
  refusal?: Refusal;
}

/** A request that is refused below the application. It is answered in its turn. */
interface Refusal {
  readonly status: number;
  /** Its own answer, if it was taken for a request until its body broke. */
  readonly answer?: ServerResponse | undefined;
}

/** An HTTP server whose answers all have the service's error body, even to malformed HTTP. */
export class HttpServer {
  readonly server: Server;
  readonly #listener: RequestListener;
  readonly #connections = new Map<Socket, Connection>();
  #isDraining = false;

  constructor(listener: RequestListener) {
    this.#listener = listener;
    const accept: RequestListener = (request, response) => this.#accept(request, response);
    this.server = createServer(
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
    this.server.timeout = STALLED_MS;
    // An unknown expectation may be ignored (RFC 9110 section 10.1.1).
    this.server.on('checkExpectation', accept);
    this.server.on('connect', (_request, socket: Socket) => this.#refuse(socket, { status: 405 }));
    this.server.on('clientError', (error: ClientError, socket: Socket) => {
      if (!socket.writable || error.code === 'ECONNRESET') {
        socket.destroy();
        return;
      }
      const answer = [...this.#connectionOf(socket).answers].find(({ req }) => !req.complete);
      this.#refuse(socket, { status: statusFor(error), answer });
    });
  }

  /**
   * At first answers carry `Connection: close`, so that no client sends a request into a closing
   * connection. Then the server stops accepting, waits for running requests, and closes all
   * remaining connections `timeoutMs` after the start.
   */
  async drain(timeoutMs: number): Promise<void> {
    const cut = setTimeout(() => this.server.closeAllConnections(), timeoutMs);
    this.#isDraining = true;
    for (const { answers } of this.#connections.values())
      for (const response of answers)
        if (!response.headersSent) response.setHeader('Connection', 'close');
    await wait(Math.min(LINGER_MS, timeoutMs));
    // Received bytes are read before idle connections are closed.
    await nextTurn();
    await new Promise((resolve) => this.server.close(resolve));
    clearTimeout(cut);
  }

  #connectionOf(socket: Socket): Connection {
    const open = this.#connections.get(socket);
    if (open) return open;
    const connection = { answers: new Set<ServerResponse>() };
    this.#connections.set(socket, connection);
    socket.once('close', () => {
      this.#connections.delete(socket);
      // Node closes only the answer that has the socket. Those behind it would keep what they hold.
      for (const response of connection.answers)
        if (response.socket === null) response.destroy().emit('close');
    });
    return connection;
  }

  #refuse(socket: Socket, refusal: Refusal): void {
    const connection = this.#connectionOf(socket);
    connection.refusal ??= refusal;
    answerRefusal(socket, connection);
  }

  #accept(request: IncomingMessage, response: Parameters<RequestListener>[1]): void {
    const { socket } = request;
    // Node still emits the requests that it had already read.
    if (socket.destroyed) return;
    const connection = this.#connectionOf(socket);
    if (connection.refusal) return;
    const { answers } = connection;
    if (isAmbiguous(request)) return this.#refuse(socket, { status: 400 });
    if (answers.size >= MAX_PIPELINED) {
      socket.destroy();
      return;
    }
    answers.add(response);
    response.once('close', () => {
      answers.delete(response);
      answerRefusal(socket, connection);
    });
    if (this.#isDraining) response.setHeader('Connection', 'close');
    this.#listener(request, response);
  }
}

/** Serves an application. @returns the drain of its server */
export async function listen(
  app: Koa,
  { port, host }: { readonly port: number; readonly host: string },
  log: Logger,
): Promise<HttpServer['drain']> {
  const handle = app.callback();
  const http = new HttpServer((request, response) => void handle(request, response));
  http.server.listen(port, host);
  await once(http.server, 'listening');
  log.info({ address: http.server.address() }, 'listening');
  return (timeoutMs) => http.drain(timeoutMs);
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

/**
 * Answers a refused request once those in front of it are answered: a client takes the answers in
 * their order.
 */
function answerRefusal(socket: Socket, { answers, refusal }: Connection): void {
  const [next] = answers;
  if (!refusal || !socket.writable || (next && next !== refusal.answer)) return;
  // A second answer would be read as part of the first.
  if (refusal.answer?.headersSent) socket.destroySoon();
  else answerOnSocket(socket, refusal.status);
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

/** What Node adds to the parser's errors. */
interface ClientError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
}

function statusFor({ code, rawPacket }: ClientError): number {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return LONG_TARGET.test(rawPacket?.toString('latin1') ?? '') ? 400 : 431;
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 408;
    default:
      return 400;
  }
}
