import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Records } from '../../../adapters/mongo/records.ts';
import {
  createRateLimiter,
  type RateLimiterOptions,
  type TakeSlot,
} from '../../../api/http/rate-limit.ts';
import { localServers } from '../../servers.ts';
import { testDatabase } from '../adapters/database.ts';
import { addedApi } from '../customers.ts';

const MINUTE_MS = 60_000;
/** Far from any real window, so that no process forgets it as old. */
const NOON = Date.parse('2100-01-01T12:00:00Z');

async function countAllowed(
  takers: readonly TakeSlot[],
  calls: number,
  limit: number,
  subject: string,
) {
  const takerOf = (call: number) => takers[call % takers.length] ?? assert.fail();
  const taken = Array.from({ length: calls }, (_, call) => takerOf(call)(subject, limit));
  return (await Promise.all(taken)).filter(Boolean).length;
}

describe('the rate limiter', () => {
  const database = testDatabase();
  let records: Records;
  let nowMs: number;

  before(() => {
    ({ records } = database);
  });
  beforeEach(() => {
    nowMs = NOON;
  });

  const limiter = (
    options: RateLimiterOptions = {},
    windows: Pick<Records['rateWindows'], 'lease' | 'forget'> = records.rateWindows,
  ) => {
    const deps = { windows, now: () => new Date(nowMs), onBackgroundError: assert.ifError };
    return createRateLimiter(deps, options);
  };
  const forget = () => Promise.resolve();

  for (const writesLate of [false, true]) {
    // spec: limits.rate-thresholds
    it(`admits exactly the limit of concurrent calls in one process${writesLate ? ' that writes late' : ''}, and about that in four`, async () => {
      for (const limit of [1, 7, 60, 600]) {
        const [take, subject] = [limiter({ writesLate }), randomUUID()];
        assert.equal(await countAllowed([take], limit * 2 + 5, limit, subject), limit);
        assert.equal(await take(subject, limit), false);
      }
      const four = Array.from({ length: 4 }, () => limiter({ writesLate }));
      const allowed = await countAllowed(four, 1000, 200, randomUUID());
      assert.ok(allowed <= (writesLate ? 240 : 200) && allowed >= 160, String(allowed));
    });
  }

  // spec: limits.rate-thresholds
  it('begins anew with each UTC minute, and not before', async () => {
    const [take, subject] = [limiter(), randomUUID()];
    assert.equal(await countAllowed([take], 10, 5, subject), 5);
    assert.equal(await countAllowed([take], 10, 5, randomUUID()), 5, 'another subject');
    nowMs = NOON + MINUTE_MS - 1;
    assert.equal(await take(subject, 5), false);
    nowMs = NOON + MINUTE_MS;
    assert.equal(await countAllowed([take], 10, 5, subject), 5);
  });

  it('writes nothing for a flood from more subjects than it keeps, and little for few subjects', async () => {
    let leases = 0;
    const lease = ({ wanted }: { readonly wanted: number }) => {
      leases += 1;
      return Promise.resolve(wanted);
    };
    const take = limiter({ writesLate: true }, { lease, forget });
    const FLOOD = 25_000;
    for (let call = 0; call < 4 * FLOOD; call += 1) await take(`address ${call % FLOOD}`, 60);
    assert.equal(leases, 0);
    for (let call = 0; call < 60; call += 1) await take('address', 60);
    assert.equal(leases, 19);
  });

  it('does not open where the counter is away, and recovers', async () => {
    let away = true;
    const lease: Records['rateWindows']['lease'] = (wanted) =>
      away ? Promise.reject(new Error('away')) : records.rateWindows.lease(wanted);
    const take = limiter({}, { lease, forget });
    const subject = randomUUID();
    await assert.rejects(take(subject, 5), /away/);
    away = false;
    assert.equal(await countAllowed([take], 10, 5, subject), 5);
  });
});

describe('a service with low rate limits', () => {
  const api = addedApi({
    RATE_LIMIT_KEY: '5',
    RATE_LIMIT_ACCOUNT: '8',
    RATE_LIMIT_UNAUTHENTICATED: '6',
    TRUST_PROXY_HOPS: '1',
  });
  let issue: () => string;
  let token: string;
  let apiKey: string;

  before(async () => {
    const { identity } = (await localServers()).stack;
    issue = () => identity?.issueToken({ account: `rate-${randomUUID()}` }) ?? '';
    token = issue();
    apiKey = await rotate(token);
  });

  function call(path: string, secret: string, init: RequestInit = {}, address = '192.0.2.1') {
    const headers = { authorization: `Bearer ${secret}`, 'x-forwarded-for': address };
    return fetch(api.url + path, { ...init, headers });
  }
  const rotate = async (owner: string) => {
    const answer = await call('/v1/keys/rotate', owner, { method: 'POST' });
    return ((await answer.json()) as { newApiKey: string }).newApiKey;
  };
  const statuses = async (times: number, one: () => Promise<Response>) =>
    (await Promise.all(Array.from({ length: times }, one))).map(({ status }) => status);
  /** A run may meet the end of a minute: then there are two windows, and each lets its own in. */
  const assertLimited = (seen: number[], fine: number, limit: number) => {
    const allowed = seen.filter((status) => status === fine).length;
    assert.ok(allowed === limit || allowed === Math.min(2 * limit, seen.length), String(seen));
    assert.ok(seen.every((status) => status === fine || status === 429));
  };

  // spec: errors.rate-limited, errors.retry-after, limits.retry-after
  it('refuses a key beyond its limit with 429 and how long to wait', async () => {
    assertLimited(await statuses(20, () => call('/v1/me', apiKey)), 200, 5);
    const refused = await call('/v1/me', apiKey);
    assert.equal(refused.headers.get('retry-after'), '60');
    assert.equal(((await refused.json()) as { code: string }).code, 'rate_limited');
  });

  it('gives no more calls to an account that rotates its key', async () => {
    const owner = issue();
    const seen: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      const newApiKey = await rotate(owner);
      seen.push(...(await statuses(5, () => call('/v1/me', newApiKey))));
    }
    assertLimited(seen, 200, 5);
  });

  it('counts the failing calls from a network of IPv6 together, and mapped IPv4 as IPv4', async () => {
    const from = (address: (index: number) => string) => {
      let index = 0;
      return statuses(20, () => call('/v1/me', 'nonsense', {}, address((index += 1))));
    };
    assertLimited(await from((index) => `2001:db8:0:7:${index}::${index}`), 401, 6);
    assertLimited(await from((index) => `${index % 2 ? '::ffff:' : ''}192.0.2.70`), 401, 6);
  });

  it('counts an address once where its proxy appends the port of each connection', async () => {
    for (const address of ['203.0.113.7', '[2001:db8:0:8::1]']) {
      let port = 50_000;
      const one = () => call('/v1/me', 'nonsense', {}, `${address}:${(port += 1)}`);
      assertLimited(await statuses(20, one), 401, 6);
    }
  });

  it('counts the dashboard apart from the key', async () => {
    const seen = await statuses(30, () => call('/v1/providers', token));
    assert.ok(seen.includes(200) && seen.includes(429));
  });

  it('counts failing calls by the last address that its own proxy wrote, and refuses failing ones only', async () => {
    const made = () => `10.0.0.${Math.random()}, 192.0.2.7`;
    assertLimited(await statuses(20, () => call('/v1/me', 'nonsense', {}, made())), 401, 6);
    const other = await call('/v1/me', 'nonsense', {}, '192.0.2.8');
    assert.equal(other.status, 401);
    const { status } = await call('/v1/providers/api-key', token, {}, '192.0.2.7');
    assert.notEqual(status, 401);
  });
});
