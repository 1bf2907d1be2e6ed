import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Service } from '../../dev/service.ts';
import { createCustomer, type Customer } from '../harness/customer.ts';
import { assertServedDuring, latenciesDuring } from '../harness/tenant-latency.ts';
import { startIsolatedService } from '../servers.ts';

/** A second of the check's interval, and what a busy machine takes. */
const SLACK_MS = 5_000;
const FAST_SECONDS = 2;
/** The attackers share the processor with the tenant: their own work must not count as the service's. */
const AGAIN_AFTER_MS = 250;

interface Attack {
  readonly sockets: number;
  /** Written at once. */
  readonly first: string | Buffer;
  /** Written each second after that. */
  readonly each?: string;
  /**
   * The statuses of the last answer on a connection, the first of them at least once; 0: none. A byte that is
   * sent while the answer arrives resets the connection, and the answer is lost.
   */
  readonly ends: readonly [number, ...number[]];
  /** Within which the service ends each connection. Fast attacks are repeated instead. */
  readonly withinMs?: number;
}

/** With these the body of an event is parsed only where its signature is right. */
const STRIPE = {
  STRIPE_SECRET_KEY: 'sk_test_slow',
  STRIPE_WEBHOOK_SECRET: 'whsec_slow',
  STRIPE_PRICE_STARTER: 'price_starter',
  STRIPE_PRICE_GROWTH: 'price_growth',
};

const POST = 'POST /v1/billing/webhook HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n';
const CHUNKED = `${POST}transfer-encoding: chunked\r\n`;
const post = (body: string | Buffer, more = '') =>
  Buffer.concat([
    Buffer.from(`${POST}${more}connection: close\r\ncontent-length: ${body.length}\r\n\r\n`),
    Buffer.from(body),
  ]);
const deep = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;

/** Each of them waits most of its time: they run side by side. */
const SLOW_ATTACKS: readonly Attack[] = [
  { sockets: 500, first: '', ends: [408, 0], withinMs: 10_000 },
  {
    sockets: 500,
    first: 'GET /health HTTP/1.1\r\nhost: a\r\nx-slow: ',
    each: 'x',
    ends: [408, 0],
    withinMs: 10_000,
  },
  {
    sockets: 500,
    first: `${POST}content-length: 1000\r\n\r\n{`,
    each: ' ',
    ends: [408, 0],
    withinMs: 30_000,
  },
  {
    sockets: 500,
    first: `${CHUNKED}\r\n1\r\n{\r\n`,
    each: '1\r\n \r\n',
    ends: [408, 0],
    withinMs: 30_000,
  },
];

/** Repeated for a while. */
const BROKEN_ATTACKS: Readonly<Record<string, Attack>> = {
  'headers of a megabyte': {
    sockets: 20,
    first: `GET /health HTTP/1.1\r\nhost: a\r\nx-large: ${'x'.repeat(2 ** 20)}\r\n\r\n`,
    ends: [431, 0],
  },
  '10,000 headers': {
    sockets: 20,
    first: `GET /health HTTP/1.1\r\nhost: a\r\n${'a: b\r\n'.repeat(10_000)}\r\n`,
    ends: [431, 0],
  },
  'JSON of 100,000 levels': { sockets: 20, first: post(deep(100_000)), ends: [400] },
  'JSON of 30,000 levels': { sockets: 20, first: post(deep(30_000)), ends: [400] },
  'chunks without a size': { sockets: 20, first: `${CHUNKED}\r\nnonsense\r\n`, ends: [400] },
  'a chunk of a size beyond every number': {
    sockets: 20,
    first: `${CHUNKED}\r\n${'F'.repeat(40)}\r\n`,
    ends: [400],
  },
  'a chunk longer than its size': {
    sockets: 20,
    first: `${CHUNKED}\r\n1\r\n{{{{\r\n0\r\n\r\n`,
    ends: [400],
  },
  'chunk extensions of a megabyte': {
    sockets: 20,
    first: `${CHUNKED}\r\n1;${'a'.repeat(2 ** 20)}\r\n{\r\n`,
    ends: [400, 413, 0],
  },
  'a length and chunks': {
    sockets: 20,
    first: `${CHUNKED}content-length: 3\r\n\r\n0\r\n\r\n`,
    ends: [400],
  },
  'gzip bombs': {
    sockets: 20,
    first: post(gzipSync(Buffer.alloc(64 * 2 ** 20, 0x20)), 'content-encoding: gzip\r\n'),
    ends: [415],
  },
  'garbage behind a request': {
    sockets: 20,
    first: `GET /nowhere HTTP/1.1\r\nhost: a\r\n\r\n${'\u0000\u0001garbage\r\n'.repeat(100)}`,
    // Behind the 404 of the request.
    ends: [400],
  },
};

describe('a tenant beside slow and broken clients', () => {
  let service: Service;
  let customer: Customer;
  before(async () => {
    const isolated = await startIsolatedService({
      workerCount: 0,
      environment: { LOG_LEVEL: 'warn', RATE_LIMIT_KEY: '1000000', ...STRIPE },
    });
    ({ service } = isolated);
    customer = await createCustomer(isolated.stack, service.baseUrl, []);
    await latenciesDuring(customer, wait(1_000));
  });
  after(() => service?.stop());

  /** Opens a connection, and returns the last status on it and its duration. */
  async function attackOnce({ first, each }: Attack): Promise<{ status: number; ms: number }> {
    const socket: Socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1');
    let heard = '';
    socket.setEncoding('latin1').on('data', (text: string) => (heard += text));
    socket.on('error', () => {});
    // Not by `once` of node:events, which rejects at the reset that ends some of these connections.
    const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
    const startedAt = performance.now();
    if (first.length > 0) socket.write(first);
    const timer = each === undefined ? undefined : setInterval(() => socket.write(each), 1_000);
    await closed;
    clearInterval(timer);
    // An answer begins right behind the body of the one before it.
    const statuses = [...heard.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) =>
      Number(status),
    );
    return { status: statuses.at(-1) ?? 0, ms: performance.now() - startedAt };
  }

  async function run(attack: Attack): Promise<void> {
    const until = performance.now() + FAST_SECONDS * 1_000;
    const statuses = new Set<number>();
    const one = async () => {
      do {
        const { status, ms } = await attackOnce(attack);
        assert.ok(attack.ends.includes(status), `ended with ${status}`);
        statuses.add(status);
        const most = (attack.withinMs ?? 0) + SLACK_MS;
        assert.ok(ms < most, `ended after ${Math.round(ms)} ms`);
        if (attack.withinMs === undefined) await wait(AGAIN_AFTER_MS);
      } while (attack.withinMs === undefined && performance.now() < until);
    };
    await Promise.all(Array.from({ length: attack.sockets }, one));
    assert.ok(statuses.has(attack.ends[0]), `ended with ${[...statuses].join(' and ')} only`);
  }

  it('is served while 2,000 connections bring nothing, or a byte of a header, a body or a chunk each second, and each ends in time', async () => {
    await assertServedDuring(customer, () => Promise.all(SLOW_ATTACKS.map(run)));
  });

  for (const [what, attack] of Object.entries(BROKEN_ATTACKS)) {
    it(`is served while there are ${what}, and each of them ends cleanly`, async () => {
      await assertServedDuring(customer, () => run(attack));
    });
  }
});
