import assert from 'node:assert/strict';
import { errors, exportJWK, generateKeyPair, type JSONWebKeySet } from 'jose';
import { createKeySet } from '../../../adapters/identity/key-set.ts';
import { AppError } from '../../../domain/common/errors.ts';

const MINUTE_MS = 60_000;

/** Lets everything that was begun in the background come to its end. */
const settled = () => new Promise((resolve) => setImmediate(resolve));
const isUnavailable = (error: unknown) =>
  error instanceof AppError && error.code === 'unavailable' && !/ECONN|10\.0/.test(error.message);

/** A fake identity provider, and a clock. */
function createFixture(published: JSONWebKeySet) {
  const fixture = {
    published,
    isSilent: false,
    fetches: 0,
    nowMs: 1_000_000,
    /** While set, an answer waits for it. */
    gate: undefined as Promise<void> | undefined,
    async find(kid: string) {
      return await keySet({ alg: 'ES256', kid }, { payload: '', protected: '', signature: '' });
    },
    async findsOften(times: number, kid = 'one') {
      for (let call = 0; call < times; call += 1) assert.ok(await fixture.find(kid));
    },
    async refusesOften(
      times: number,
      kid: string,
      by: typeof isUnavailable | typeof errors.JWKSNoMatchingKey,
    ) {
      for (let call = 0; call < times; call += 1) await assert.rejects(fixture.find(kid), by);
    },
  };
  const keySet = createKeySet({
    async fetchKeys() {
      fixture.fetches += 1;
      await fixture.gate;
      if (fixture.isSilent) throw new Error('connect ECONNREFUSED 10.0.0.1');
      return fixture.published;
    },
    monotonicMs: () => fixture.nowMs,
  });
  return fixture;
}

describe("the identity provider's keys", () => {
  let one: JSONWebKeySet;
  let two: JSONWebKeySet;
  const publish = async (kid: string): Promise<JSONWebKeySet> => {
    const { publicKey } = await generateKeyPair('ES256');
    return { keys: [{ ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' }] };
  };
  before(async () => {
    [one, two] = [await publish('one'), await publish('two')];
  });

  /** A provider whose first key was found, so many minutes ago. */
  const knowing = async (minutes = 0) => {
    const fixture = createFixture(one);
    await fixture.find('one');
    fixture.nowMs += minutes * MINUTE_MS;
    return fixture;
  };

  it('are fetched when first needed, and once for many calls, one after the other or at once', async () => {
    const inTurn = createFixture(one);
    await inTurn.findsOften(20);
    assert.equal(inTurn.fetches, 1);
    const atOnce = createFixture(one);
    let open = () => {};
    atOnce.gate = new Promise((resolve) => (open = resolve));
    const calls = Array.from({ length: 20 }, () => atOnce.findsOften(1));
    await settled();
    open();
    await Promise.all(calls);
    assert.equal(atOnce.fetches, 1);
  });

  it('stay in use where the provider publishes none', async () => {
    const fixture = await knowing(11);
    fixture.published = { keys: [] };
    await fixture.findsOften(1);
    await settled();
    fixture.nowMs += MINUTE_MS;
    await fixture.findsOften(1);
    await fixture.refusesOften(1, 'two', isUnavailable);
  });

  it('stay in use through hours of an outage, with a fetch tried no oftener than every 10 s', async () => {
    const fixture = await knowing(11);
    fixture.isSilent = true;
    for (let second = 0; second < 60; second += 1) {
      await fixture.findsOften(5);
      await settled();
      fixture.nowMs += 1_000;
    }
    const { fetches } = fixture;
    assert.ok(fetches > 2 && fetches <= 1 + 6, `${fetches} fetches in a minute`);
    fixture.nowMs += 5 * 60 * MINUTE_MS;
    await fixture.findsOften(1);
  });

  it('are renewed in the background after ten minutes, and in use while a renewal hangs', async () => {
    const fixture = await knowing(9);
    for (const fetches of [1, 2]) {
      await fixture.findsOften(1);
      await settled();
      assert.equal(fixture.fetches, fetches);
      fixture.nowMs += 2 * MINUTE_MS;
    }
    fixture.nowMs += 9 * MINUTE_MS;
    fixture.gate = new Promise(() => {});
    await fixture.findsOften(2);
    assert.equal(fixture.fetches, 3);
  });

  it('are fetched once for unknown key ids, one after the other or at once, which are refused', async () => {
    const fixture = await knowing(1);
    await fixture.refusesOften(10, 'forged', errors.JWKSNoMatchingKey);
    assert.equal(fixture.fetches, 2);
    await fixture.findsOften(1);
    fixture.nowMs += MINUTE_MS;
    const ids = ['a', 'b', 'c', 'd'];
    await Promise.all(ids.map((id) => fixture.refusesOften(1, id, errors.JWKSNoMatchingKey)));
    assert.equal(fixture.fetches, 3);
  });

  it('are unavailable before the first fetch, and where the response is not a key set', async () => {
    const fixture = createFixture(one);
    fixture.isSilent = true;
    await fixture.refusesOften(10, 'one', isUnavailable);
    assert.equal(fixture.fetches, 1);
    fixture.isSilent = false;
    fixture.nowMs += 10_001;
    await fixture.findsOften(1);
    assert.equal(fixture.fetches, 2);
    const broken = createFixture({ keys: 'nonsense' } as never);
    await broken.refusesOften(1, 'one', isUnavailable);
  });

  it('follow a rotation by one fetch, after an outage too, during which a new key is unavailable', async () => {
    for (const isSilent of [false, true]) {
      const fixture = await knowing(1);
      if (isSilent) {
        fixture.isSilent = true;
        await fixture.refusesOften(10, 'two', isUnavailable);
        assert.equal(fixture.fetches, 2, 'a silent provider gets no further requests');
        await fixture.findsOften(1);
        fixture.isSilent = false;
        fixture.nowMs += 10_001;
      }
      const { fetches } = fixture;
      fixture.published = two;
      await fixture.findsOften(1, 'two');
      assert.equal(fixture.fetches, fetches + 1);
      await fixture.refusesOften(1, 'one', errors.JWKSNoMatchingKey);
    }
  });
});
