import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { takeFreePort } from '../../dev/system/ports.ts';
import { findProgram } from '../../dev/services/service.ts';
import { stripeMockProcess } from '../../dev/services/stripe-mock.ts';
import { services } from '../../dev/services/services.ts';
import type { Stack } from '../../dev/stack.ts';
import { listening } from './listening.ts';

/** A request that Stripe received. */
export interface StripeRequest {
  route: string;
  form: Readonly<Record<string, string>>;
  idempotencyKey: string | undefined;
}

/** How the proxy treats requests: forwards them to the mock, or fails them. */
export type Manner = 'pass' | 'cut' | 'fail' | 'refuse';

/** A proxy between the service and Stripe's mock that records requests and can fail. */
export interface StripeProxy {
  url: string;
  manner: Manner;
  /** Accounts whose requests are neither answered nor recorded. */
  readonly hungFor: Set<string>;
  readonly requests: StripeRequest[];
  /** Prepared answers by route, instead of the mock's; an `error` is sent with 400. */
  readonly answers: Map<string, object>;
  /** Whether each prepared answer is used once only. */
  answersOnce: boolean;
  close(): Promise<void>;
}

/** Of a service that sells plans, for suites that are about something else. */
export const STRIPE_SETTINGS = {
  STRIPE_SECRET_KEY: 'sk_test_any',
  STRIPE_WEBHOOK_SECRET: 'whsec_any',
  STRIPE_PRICE_STARTER: 'price_starter',
  STRIPE_PRICE_GROWTH: 'price_growth',
};
const JSON_TYPE = { 'content-type': 'application/json' };

export async function openStripeProxy(stack: Stack): Promise<StripeProxy> {
  const [program, mockPort] = await Promise.all([
    findProgram(services.stripeMock, stack.resolverContext),
    takeFreePort(),
  ]);
  const mock = await stack.processes.start(stripeMockProcess(program, mockPort));
  const server = createServer((request, response) => void pass(request, response));

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const [path = '', query] = (request.url ?? '').split('?');
    const route = `${request.method} ${path}`;
    const form = Object.fromEntries(new URLSearchParams(body || query));
    const values = Object.values(form).join(' ');
    if ([...proxy.hungFor].some((accountId) => values.includes(accountId))) return;
    const key = request.headers['idempotency-key'];
    proxy.requests.push({ route, form, idempotencyKey: typeof key === 'string' ? key : undefined });
    if (proxy.manner === 'cut') return void request.socket.destroy();
    const prepared = proxy.answers.get(route);
    if (proxy.answersOnce) proxy.answers.delete(route);
    if (proxy.manner !== 'pass' || prepared) {
      const status = { pass: 200, fail: 500, refuse: 401 }[proxy.manner] ?? 200;
      const error = { type: 'api_error', message: `secret of ${status}: sk_test_hunter2` };
      const isError = prepared !== undefined && 'error' in prepared;
      response
        .writeHead(isError ? 400 : status, JSON_TYPE)
        .end(JSON.stringify(prepared ?? { error }));
      return;
    }
    const answer = await fetch(`http://127.0.0.1:${mockPort}${request.url}`, {
      method: request.method ?? 'GET',
      headers: {
        authorization: request.headers.authorization ?? '',
        'content-type': 'application/x-www-form-urlencoded',
      },
      ...(request.method === 'POST' ? { body } : {}),
    });
    response.writeHead(answer.status, JSON_TYPE).end(await answer.text());
  }

  const port = await listening(server);
  const proxy: StripeProxy = {
    url: `http://127.0.0.1:${port}`,
    manner: 'pass',
    hungFor: new Set(),
    requests: [],
    answers: new Map(),
    answersOnce: false,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await mock.stop();
    },
  };
  return proxy;
}
