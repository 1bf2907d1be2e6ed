import assert from 'node:assert/strict';
import { StorageRoutingError } from '../../../sdk/src/index.ts';
import { parseRetryAfter, waitBeforeRepeat } from '../../../sdk/src/http/retry.ts';
import { everyCall, success } from './calls.ts';
import * as servers from './servers.ts';
import { type Answer, breakOff, errorOf, hang, inTurn, refusal, serve } from './servers.ts';

const transient: readonly Answer[] = [
  breakOff,
  refusal(502, 'provider_error'),
  // A page of a proxy.
  servers.text(502, '<html>bad</html>'),
  refusal(503, 'unavailable'),
  refusal(504, 'unavailable'),
];
/** By the status; the code matters for a 503 alone. */
const lasting = [400, 401, 402, 404, 409, 410, 418, 500].map((status) => [status, 'x'] as const);
const limited = (seconds: number | string) =>
  refusal(429, 'rate_limited', { 'retry-after': String(seconds) });

describe('what is sent again', () => {
  for (const { sent, call, isStarting } of everyCall) {
    // spec: retries.client-repeats-gets, retries.file-get
    it(`${sent} is ${isStarting ? 'not' : 'sent again'} after a failure of the network or a proxy`, async () => {
      for (const answer of transient) {
        const { client, server } = await serve(inTurn(answer, success));
        await (isStarting ? errorOf(call(client)) : call(client));
        assert.equal(server.arrived.length, isStarting ? 1 : 2);
        assert.deepEqual(server.arrived.at(-1)?.body, server.arrived[0]?.body);
      }
    });

    // spec: retries.client-repeats-gets, retries.file-get
    it(`${sent} is sent again after a 429, not before the time that the service named`, async () => {
      const { client, server, waits } = await serve(inTurn(limited(60), success));
      await call(client);
      assert.equal(server.arrived.length, 2);
      assert.deepEqual(waits, [60_500]);
    });

    // spec: retries.client-repeats-gets, retries.file-get
    it(`${sent} is sent again where the connection is refused`, async () => {
      const { client, server, waits } = await serve(success);
      await server.close();
      assert.equal((await errorOf(call(client))).code, 'connection_failed');
      assert.equal(waits.length, 3);
    });

    // spec: retries.client-repeats-gets
    it(`${sent} is not sent again after a refusal that will not pass`, async () => {
      for (const [status, code] of [...lasting, [503, 'billing_not_configured'] as const]) {
        const { client, server } = await serve(refusal(status, code));
        const error = await errorOf(call(client));
        assert.deepEqual([error.status, error.code], [status, code]);
        assert.equal(server.arrived.length, 1);
      }
    });
  }

  it('repeats a safe call after a timeout, and no call that starts work', async () => {
    const { client, server } = await serve(hang, { timeoutMs: 1_000, maxRetries: 1 });
    assert.equal((await errorOf(client.me())).code, 'timeout');
    assert.equal(server.arrived.length, 2);
    assert.equal((await errorOf(client.keys.rotate())).code, 'timeout');
    assert.equal(server.arrived.length, 3);
  });

  it('treats an incomplete answer body as a broken connection', async () => {
    const half: Answer = (_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"acc', () => response.socket?.destroy());
    };
    const { client, server } = await serve(inTurn(half, success, half));
    await client.me();
    assert.equal(server.arrived.length, 2);
    assert.equal((await errorOf(client.keys.rotate())).code, 'connection_lost');
    assert.equal(server.arrived.length, 3);
  });

  it('treats an unknown host name as a failed connection', async () => {
    const { client } = servers.clientFor({ url: 'http://nowhere.invalid' }, { maxRetries: 0 });
    assert.equal((await errorOf(client.me())).code, 'connection_failed');
  });

  it('repeats no call more often than maxRetries', async () => {
    const { client, server, waits } = await serve(refusal(503, 'unavailable'), { maxRetries: 2 });
    assert.equal((await errorOf(client.me())).code, 'unavailable');
    assert.equal(server.arrived.length, 3);
    assert.deepEqual(waits, [188, 375]);
    await errorOf(servers.clientFor(server, { maxRetries: 0 }).client.me());
    assert.equal(server.arrived.length, 4);
  });

  it('repeats no call where the service requests a wait over two minutes', async () => {
    const { client, waits } = await serve(limited(121));
    assert.equal((await errorOf(client.me())).retryAfterMs, 121_000);
    assert.deepEqual(waits, []);
  });

  it('sends the same X-Request-ID with every attempt, and a new one with the next call', async () => {
    const { client, server } = await serve(inTurn(refusal(503, 'unavailable'), breakOff, success));
    await client.me();
    await client.me();
    const [id, second, third, next] = server.arrived.map(({ headers }) => headers['x-request-id']);
    assert.match(String(id), /^[0-9a-f-]{36}$/);
    assert.deepEqual([second, third], [id, id]);
    assert.match(String(next), /^[0-9a-f-]{36}$/);
    assert.notEqual(next, id);
  });

  it('requests the dashboard token before each attempt', async () => {
    let asked = 0;
    const dashboardToken = async (): Promise<string> => `token-${(asked += 1)}`;
    const { client, server } = await serve(inTurn(refusal(503, 'unavailable'), success), {
      dashboardToken,
    });
    await client.providers.list();
    const sent = server.arrived.map(({ headers }) => headers.authorization);
    assert.deepEqual(sent, ['Bearer token-1', 'Bearer token-2']);
  });
});

describe('the retry rules', () => {
  const failure = (code: string, status?: number, retryAfterMs?: number): StorageRoutingError =>
    new StorageRoutingError({ code, message: code, status, retryAfterMs });

  it('double the wait up to eight seconds, with at least half of it fixed', () => {
    const error = failure('unavailable', 503);
    const ceilings = [250, 500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000];
    for (const [attempt, ceilingMs] of ceilings.entries()) {
      const waitAt = (random: number) => waitBeforeRepeat(error, attempt, () => random);
      assert.deepEqual([waitAt(0), waitAt(0.999999)], [ceilingMs / 2, ceilingMs]);
    }
  });

  it('wait at least as long as requested, with one second of jitter', () => {
    const waitFor = (retryAfterMs: number, attempt = 0, random = 0) =>
      waitBeforeRepeat(failure('rate_limited', 429, retryAfterMs), attempt, () => random);
    assert.deepEqual([waitFor(60_000), waitFor(60_000, 5, 0.999999)], [60_000, 61_000]);
    assert.deepEqual([waitFor(120_000), waitFor(120_001)], [120_000, undefined]);
  });

  it('parse Retry-After as seconds or a date only, by the given clock', async () => {
    const nowMs = Date.parse('2026-11-20T12:00:00Z');
    const answer = inTurn(limited('Fri, 20 Nov 2026 12:00:30 GMT'), success);
    const { client, waits } = await serve(answer, {}, { now: () => nowMs });
    await client.me();
    assert.deepEqual(waits, [30_500]);
    for (const [value, ms] of [
      ['60', 60_000],
      [' 0 ', 0],
      ['Fri, 20 Nov 2026 12:00:30 GMT', 30_000],
      ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
      ...[null, '', 'soon', '-5', '1.5', '2026-11-20'].map((none) => [none, undefined] as const),
    ] as const)
      assert.equal(parseRetryAfter(value, nowMs), ms, String(value));
  });
});
