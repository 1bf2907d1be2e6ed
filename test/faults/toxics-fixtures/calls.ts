import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Route, RouteAuth } from '../../../api/http/route.ts';
import type { Stack } from '../../../dev/stack.ts';
import { describeApi } from '../../contract/described-api.ts';
import { createCloudCustomer } from '../../harness/cloud-customer.ts';
import { call, createCustomer, type Customer, type Send } from '../../harness/customer.ts';

/** How a call ended. */
export interface Outcome {
  readonly name: string;
  readonly status: number;
  readonly code: string;
  readonly ms: number;
  /** Whether it says when to try again. */
  readonly isPostponed: boolean;
  /** Whether the route says that this call may take long. */
  readonly mayTakeLong: boolean;
  readonly auth: RouteAuth;
}

/** Calls that are prepared while all is well, and made under a toxic. */
export interface PreparedCalls {
  /** Makes all of them at once. */
  ask(): Promise<Asked>;
}

export interface Asked {
  readonly outcomes: readonly Outcome[];
  /** The slowest answer of `/health` meanwhile, which needs no dependency: what this machine adds to any call. */
  readonly slowestHealthMs: number;
}

const SLACK_MS = 500;
const HEALTH_EVERY_MS = 100;
const IN_TIME_MS = 5_000;
const LONG_IN_TIME_MS = 15_000;
const OUTAGE_CODES = new Set(['unavailable']);
/** Where a store, STS or Stripe is involved. */
const LONG_OUTAGE_CODES = new Set(['unavailable', 'provider_error']);

const INIT = 'POST /v1/upload/init';
const COMPLETE = 'POST /v1/upload/complete';
const DELETE = 'DELETE /v1/file/{fileId}';
const PART_LIST = 'GET /v1/upload/parts/{fileId}';
const CONNECT = 'POST /v1/scanner/connect';
/** They change a file; each has one of its own. */
const CHANGE_A_FILE = new Set([COMPLETE, DELETE]);
/** Both replace the key that other calls use; each has a customer of its own. */
const REPLACE_THE_KEY = new Set(['POST /v1/providers/api-key/regenerate', 'POST /v1/keys/rotate']);
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';
const ROLE_ARN = 'arn:aws:iam::111122223333:role/unknown';
const REGIONS = ['us-east-1'];
const KEYS = { accessKeyId: 'id', secretAccessKey: 'secret' };
const FILE = { fileName: 'report.txt', contentType: 'text/plain', fileSizeBytes: 8 };
const IN_PARTS = { ...FILE, fileSizeBytes: 9 * 2 ** 20, multipart: true };
const MOVE = '/v1/scanner/recommendations/{recommendationId}';
/** By the name of the call. */
const BODIES: Readonly<Record<string, (fileId: string) => object>> = {
  [INIT]: () => FILE,
  [COMPLETE]: (fileId) => ({ fileId }),
  'POST /v1/upload/url': (fileId) => ({ fileId }),
  'POST /v1/upload/parts': (fileId) => ({ fileId, partNumbers: [1] }),
  'POST /v1/providers': () => ({ provider: 'b2', bucketName: 'b', region: 'us-west-004', ...KEYS }),
  'POST /v1/providers/test': () => ({ provider: 'r2' }),
  [CONNECT]: () => ({ roleArn: ROLE_ARN, externalId: 'secret-of-the-role', regions: REGIONS }),
  'POST /v1/scanner/scan': () => ({ connectionId: UNKNOWN_ID }),
  [`POST ${MOVE}/dismiss`]: () => ({ days: 30, reason: 'later' }),
  [`POST ${MOVE}/approve`]: () => ({ targetProvider: 'r2' }),
  'POST /v1/billing/checkout': () => ({ plan: 'starter' }),
};
/** Of every endpoint with authentication, by the name of its call. */
const ROUTES = new Map(
  describeApi()
    .filter(({ auth }) => auth !== 'none')
    .map((route) => [`${route.method} ${route.path}`, route]),
);

interface Call {
  readonly name: string;
  readonly route: Route;
  readonly who: Customer;
  readonly path: string;
  readonly body: object | undefined;
}

/** Every endpoint, the changes of a file each on one of its own, and calls that reach a store, a role and Stripe. */
export async function prepareCalls(
  stack: Stack,
  baseUrl: string,
  send: Send,
): Promise<PreparedCalls> {
  const create = async () => await createCustomer(stack, baseUrl, ['aws', 'r2'], send);
  const customer = await create();
  const { fileId: read } = await customer.send();
  const callOf = (name: string, fileId = read, body = BODIES[name]?.(fileId)): Call => {
    const route = ROUTES.get(name) ?? assert.fail(name);
    const place = route.path.replace('{fileId}', fileId).replace('{provider}', 'b2');
    return { name, route, who: customer, path: place.replace(/\{\w+\}/, UNKNOWN_ID), body };
  };
  const calls: Call[] = [];
  for (const name of ROUTES.keys()) {
    const { fileId } = CHANGE_A_FILE.has(name) ? await customer.send() : {};
    const who = REPLACE_THE_KEY.has(name) ? await create() : customer;
    calls.push({ ...callOf(name, fileId), who });
  }
  const inParts = await customer.call(INIT, IN_PARTS);
  assert.equal(inParts.status, 201, inParts.text);
  const { roleArn, externalId } = await createCloudCustomer(stack, baseUrl);
  const role = { roleArn, externalId, regions: REGIONS };
  calls.push(
    { ...callOf(INIT, read, IN_PARTS), name: `${INIT} of parts` },
    { ...callOf(PART_LIST, String(inParts.body['fileId'])), name: `${PART_LIST} of parts` },
    { ...callOf(CONNECT, read, role), name: `${CONNECT} with a role` },
  );
  return {
    async ask() {
      const health = watchHealth(baseUrl);
      const outcomes = await Promise.all(calls.map(outcomeOf));
      return { outcomes, slowestHealthMs: await health.stop() };
    },
  };
}

async function outcomeOf({ name, route, who, path, body }: Call): Promise<Outcome> {
  const { auth, method } = route;
  const ask = auth === 'apiKey' ? who.call : who.manage;
  const { status, ms, headers, body: answered } = await ask(`${method} ${path}`, body);
  const { code = '' } = answered as { readonly code?: string };
  const isPostponed = Number(headers.get('retry-after')) > 0;
  return { name, status, code, ms, isPostponed, auth, mayTakeLong: mayTakeLong(route, body) };
}

/** Asks again and again, one call at a time. */
function watchHealth(baseUrl: string): { stop(): Promise<number> } {
  const stopped = new AbortController();
  let slowestMs = 0;
  const ended = (async () => {
    while (!stopped.signal.aborted) {
      slowestMs = Math.max(slowestMs, (await call(baseUrl, 'GET /health')).ms);
      await sleep(HEALTH_EVERY_MS);
    }
  })();
  return {
    async stop() {
      stopped.abort();
      await ended;
      return slowestMs;
    },
  };
}

/** What becomes of a call while a dependency is away. */
type Fate = 'usual' | 'unavailable' | 'provider_error' | 'any';
type FateOf = (outcome: Outcome) => Fate;

/** What is true of any call: it ends as usual or with an outage. */
export const ANY_FATE: FateOf = () => 'any';
/** By the dependency that is away. */
export const FATES = {
  mongodb: () => 'unavailable',
  // No call of an upload needs it.
  temporal: () => 'usual',
  identity: ({ auth }) => (auth === 'apiKey' ? 'usual' : 'unavailable'),
  stores: ({ name }) => (name === COMPLETE ? 'provider_error' : 'any'),
} as const satisfies Record<string, FateOf>;

/** The outcomes that do not fit their fate, or that came late. */
export function findWrong(
  { outcomes, slowestHealthMs }: Asked,
  calm: ReadonlyMap<string, Outcome>,
  fateOf: FateOf,
): string[] {
  const slackMs = SLACK_MS + slowestHealthMs;
  const wrong = outcomes.filter((outcome) => {
    const usual = calm.get(outcome.name);
    const isLate = outcome.ms > (outcome.mayTakeLong ? LONG_IN_TIME_MS : IN_TIME_MS) + slackMs;
    const isUsual = outcome.status === usual?.status && outcome.code === usual.code;
    const fate = fateOf(outcome);
    const codes = outcome.mayTakeLong ? LONG_OUTAGE_CODES : OUTAGE_CODES;
    const fits = {
      usual: isUsual || isEquivalent(outcome),
      unavailable: outcome.code === 'unavailable' && outcome.isPostponed,
      provider_error: outcome.code === 'provider_error',
      any: isUsual || codes.has(outcome.code) || isEquivalent(outcome),
    };
    return isLate || !fits[fate];
  });
  return wrong.map(
    ({ name, status, code, ms }) =>
      `${name}: ${status} ${code} after ${Math.round(ms)} ms, /health after ${Math.round(slowestHealthMs)} ms`,
  );
}

/** The store does not answer a delete, which the worker then does; a role is tried too often. */
function isEquivalent({ name, status, code }: Outcome): boolean {
  return (name === DELETE && status === 202) || (name === CONNECT && code === 'rate_limited');
}

function mayTakeLong(route: Route, body: unknown): boolean {
  const request = {
    requestId: '',
    media: undefined,
    params: {},
    query: {},
    account: undefined,
    actor: undefined,
    mayChange: true,
    baseUrl: '',
  };
  return route.mayTakeLong?.({ ...request, body }) ?? false;
}
