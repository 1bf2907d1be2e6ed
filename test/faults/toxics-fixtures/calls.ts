import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stack } from '../../../dev/stack.ts';
import { describeApi } from '../../contract/described-api.ts';
import { createCloudCustomer } from '../../harness/cloud-customer.ts';
import {
  call,
  createCustomer,
  type Answer,
  type Customer,
  type Send,
} from '../../harness/customer.ts';
import { everyCall } from '../../harness/every-call.ts';

/** How a call ended. */
export interface Outcome {
  readonly name: string;
  readonly status: number;
  readonly code: string;
  readonly ms: number;
  /** Whether the route says that this call may take long. */
  readonly mayTakeLong: boolean;
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
/** Both replace the key that other calls use; each has a customer of its own. */
const REPLACE_THE_KEY = new Set(['regenerate', 'rotate']);
const SIZE_IN_PARTS = 9 * 2 ** 20;
const OUTAGE_CODES = new Set(['unavailable']);
/** Where a store, STS or Stripe is involved. */
const LONG_OUTAGE_CODES = new Set(['unavailable', 'provider_error']);

/** Every endpoint, the changes of a file each on one of its own, and calls that reach a store, a role and Stripe. */
export async function prepareCalls(
  stack: Stack,
  baseUrl: string,
  send: Send,
): Promise<PreparedCalls> {
  const sent: { route: string; body: unknown; answer: Answer }[] = [];
  const noting: Send = async (at, route, options) => {
    const answer = await send(at, route, options);
    sent.push({ route, body: options?.body, answer });
    return answer;
  };
  const create = async () => await createCustomer(stack, baseUrl, ['aws', 'r2'], noting);
  const customer = await create();
  const cloud = await createCloudCustomer(stack, baseUrl);
  const [completed, read, deleted] = [
    await customer.send(),
    await customer.send(),
    await customer.send(),
  ];
  const fileOf = new Map([
    ['complete', completed.fileId],
    ['delete', deleted.fileId],
  ]);
  const calls: ReturnType<typeof everyCall> = [];
  for (const [name] of everyCall(customer, '')) {
    const who = REPLACE_THE_KEY.has(name) ? await create() : customer;
    const found = everyCall(who, fileOf.get(name) ?? read.fileId).find(([other]) => other === name);
    calls.push(found ?? assert.fail(name));
  }
  const inParts = await initInParts(customer);
  assert.equal(inParts.status, 201, inParts.text);
  const fileId = String(inParts.body['fileId']);
  const { roleArn, externalId } = cloud;
  const role = { roleArn, externalId, regions: ['us-east-1'] };
  calls.push(
    ['init of parts', () => initInParts(customer)],
    ['part list of parts', () => customer.call(`GET /v1/upload/parts/${fileId}`)],
    ['connect of a role', () => customer.manage('POST /v1/scanner/connect', role)],
  );
  return {
    async ask() {
      const health = watchHealth(baseUrl);
      const asked = calls.map(async ([name, ask]) => {
        const answer = await ask();
        const { route, body } = sent.find((each) => each.answer === answer) ?? assert.fail(name);
        const { status, ms } = answer;
        const { code = '' } = answer.body as { readonly code?: string };
        return { name, status, code, ms, mayTakeLong: mayTakeLong(route, body) };
      });
      const outcomes = await Promise.all(asked);
      return { outcomes, slowestHealthMs: await health.stop() };
    },
  };
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

/** The outcomes that are neither the usual one nor an outage, or that came late. */
export function findWrong(
  { outcomes, slowestHealthMs }: Asked,
  calm: ReadonlyMap<string, Outcome>,
): string[] {
  const slackMs = SLACK_MS + slowestHealthMs;
  const wrong = outcomes.filter((outcome) => {
    const usual = calm.get(outcome.name);
    const isLate = outcome.ms > (outcome.mayTakeLong ? LONG_IN_TIME_MS : IN_TIME_MS) + slackMs;
    const isUsual = outcome.status === usual?.status && outcome.code === usual.code;
    const codes = outcome.mayTakeLong ? LONG_OUTAGE_CODES : OUTAGE_CODES;
    return isLate || !(isUsual || codes.has(outcome.code) || isEquivalent(outcome));
  });
  return wrong.map(
    ({ name, status, code, ms }) =>
      `${name}: ${status} ${code} after ${Math.round(ms)} ms, /health after ${Math.round(slowestHealthMs)} ms`,
  );
}

/** The store does not answer a delete, which the worker then does; a role is tried too often. */
function isEquivalent({ name, status, code }: Outcome): boolean {
  return (name === 'delete' && status === 202) || (name === 'connect' && code === 'rate_limited');
}

const ROUTES = describeApi().map((route) => ({
  route,
  pattern: new RegExp(`^${route.method} ${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}(?:\\?|$)`),
}));

function mayTakeLong(called: string, body: unknown): boolean {
  const { route } = ROUTES.find(({ pattern }) => pattern.test(called)) ?? assert.fail(called);
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

async function initInParts(customer: Customer): Promise<Answer> {
  const body = { fileName: 'parts.bin', contentType: 'a/b', fileSizeBytes: SIZE_IN_PARTS };
  return await customer.call('POST /v1/upload/init', { ...body, multipart: true });
}
