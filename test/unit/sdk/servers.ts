import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buildClient } from '../../../sdk/src/client.ts';
import type { Clock } from '../../../sdk/src/http/settings.ts';
import { type ClientOptions, StorageRoutingError } from '../../../sdk/src/index.ts';
import { nodePlatform } from '../../../sdk/src/platform/node.ts';
import { listening } from '../../harness/listening.ts';

/** A request as it arrived. */
export interface Arrived {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  rawHeaders: string[];
  body: Buffer;
}

/** Answers one request, whose body has been read. */
export type Answer = (request: Arrived, response: ServerResponse) => void;

/** A real HTTP server on a free port, closed after the test. */
export interface Server {
  url: string;
  arrived: Arrived[];
  close(): Promise<void>;
}

const running: Server[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

/** Starts a server that passes each request to `handle`, body unread. */
export async function startRawServer(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Server> {
  const http = createServer(handle);
  http.on('clientError', (_error, socket) => socket.destroy());
  const server: Server = {
    url: `http://127.0.0.1:${await listening(http)}`,
    arrived: [],
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  running.push(server);
  return server;
}

/** Starts a server that reads each body, records each request, and answers by `answer`. */
export async function startServer(answer: Answer): Promise<Server> {
  const server = await startRawServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('error', () => undefined);
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const arrived: Arrived = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        rawHeaders: request.rawHeaders,
        body: Buffer.concat(parts),
      };
      server.arrived.push(arrived);
      answer(arrived, response);
    });
  });
  return server;
}

/** Answers with JSON. */
export const json = (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  text(status, JSON.stringify(body) ?? '', { 'content-type': 'application/json', ...headers });

/** Answers with an error as the service does. */
export const refusal = (status: number, code: string, headers?: Record<string, string>): Answer =>
  json(status, { error: `because of ${code}`, code }, headers);

/** Answers with a text. */
export const text =
  (status: number, body: string | Buffer, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    void response.writeHead(status, headers).end(body);

/** Breaks the connection after the request has arrived. */
export const breakOff: Answer = (_request, response) => void response.socket?.destroy();

/** Never answers. */
export const hang: Answer = () => undefined;

/** Answers each request with the next handler; the last one stays. */
export function inTurn(...answers: Answer[]): Answer {
  let turn = 0;
  return (request, response) => {
    answers[Math.min(turn, answers.length - 1)]?.(request, response);
    turn += 1;
  };
}

export const API_KEY = 'svc_test_0d9e6c0e-5c5e-4d55-9c0f-7d4c7b4f3a21';
export const DASHBOARD_TOKEN = 'eyJ-canary-dashboard-token';
/** The secret in the query of a presigned URL. */
export const URL_SECRET = 'canarysignature0123456789abcdef';

/** A client whose waits are recorded instead of waited for. */
export function clientFor(
  server: { url: string },
  options: Partial<ClientOptions> = {},
  clock: Partial<Clock> = {},
) {
  const waits: number[] = [];
  const client = buildClient(
    { baseUrl: server.url, apiKey: API_KEY, dashboardToken: DASHBOARD_TOKEN, ...options },
    nodePlatform,
    {
      random: () => 0.5,
      sleep: (milliseconds) => {
        waits.push(milliseconds);
        return Promise.resolve();
      },
      now: Date.now,
      ...clock,
    },
  );
  return { client, waits };
}

/** A server that answers so, and a client of it. */
export async function serve(
  answer: Answer,
  options: Partial<ClientOptions> = {},
  clock: Partial<Clock> = {},
) {
  const server = await startServer(answer);
  return { server, ...clientFor(server, options, clock) };
}

/** The error that a call must reject with. */
export async function errorOf(call: Promise<unknown>): Promise<StorageRoutingError> {
  const outcome = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(outcome instanceof StorageRoutingError, `rejected with ${String(outcome)}`);
  return outcome;
}
