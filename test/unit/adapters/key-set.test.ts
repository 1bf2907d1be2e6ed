import assert from 'node:assert/strict';
import { errors, exportJWK, generateKeyPair, type JSONWebKeySet } from 'jose';
import { createKeySet } from '../../../adapters/identity/key-set.ts';
import { AppError } from '../../../domain/common/errors.ts';

const MINUTE_MS = 60_000;

/** A fake identity provider, and a clock. */
function createFixture(published: JSONWebKeySet) {
  const fixture = {
    published,
    isSilent: false,
    fetches: 0,
    nowMs: 1_000_000,
    /** While set, an answer waits for it. */
    gate: undefined as Promise<void> | undefined,
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
  const find = (kid: string) =>
    Promise.resolve(keySet({ alg: 'ES256', kid }, { payload: '', protected: '', signature: '' }));
  return Object.assign(fixture, { find });
}

/** Lets everything that was begun in the background come to its end. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

const isUnavailable = (error: unknown) =>
  error instanceof AppError && error.code === 'unavailable' && !/ECONN|10\.0/.test(error.message);

describe("the identity provider's keys", () => {
  let one: JSONWebKeySet;
  let two: JSONWebKeySet;
  const publish = async (kid: string): Promise<JSONWebKeySet> => {
    const { publicKey } = await generateKeyPair('ES256');
    return { keys: [{ ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' }] };
  };
  before(async () => {
    one = await publish('one');
    two = await publish('two');
  });

  /** A provider whose first key was found. */
  const knowing = async () => {
    const fixture = createFixture(one);
    await fixture.find('one');
    return fixture;
  };

  it('are fetched when first needed, and once for many calls, one after the other or at once', async () => {
    for (const isAtOnce of [false, true]) {
      const fixture = createFixture(one);
      let open = () => {};
      if (isAtOnce) fixture.gate = new Promise((resolve) => (open = resolve));
      assert.equal(fixture.fetches, 0);
      const calls: Promise<unknown>[] = [];
      for (let call = 0; call < 20; call += 1) {
        calls.push(fixture.find('one'));
        if (!isAtOnce) await calls.at(-1);
      }
      await settled();
      open();
      for (const found of await Promise.all(calls)) assert.ok(found);
      assert.equal(fixture.fetches, 1);
    }
  });

  it('stay in use where the provider publishes none', async () => {
    const fixture = await knowing();
    fixture.published = { keys: [] };
    fixture.nowMs += 11 * MINUTE_MS;
    assert.ok(await fixture.find('one'));
    await settled();
    fixture.nowMs += MINUTE_MS;
    assert.ok(await fixture.find('one'));
    await assert.rejects(fixture.find('two'), isUnavailable);
  });

  it('stay in use through hours of an outage, with a fetch tried no oftener than every 10 s', async () => {
    const fixture = await knowing();
    fixture.isSilent = true;
    fixture.nowMs += 11 * MINUTE_MS;
    for (let second = 0; second < 60; second += 1) {
      for (let call = 0; call < 5; call += 1) assert.ok(await fixture.find('one'));
      await settled();
      fixture.nowMs += 1_000;
    }
    const { fetches } = fixture;
    assert.ok(fetches > 2 && fetches <= 1 + 6, `${fetches} fetches in a minute`);
    fixture.nowMs += 5 * 60 * MINUTE_MS;
    assert.ok(await fixture.find('one'));
  });

  it('are renewed in the background after ten minutes, and in use while a renewal hangs', async () => {
    const fixture = await knowing();
    for (const [minutes, fetches] of [
      [9, 1],
      [2, 2],
    ] as const) {
      fixture.nowMs += minutes * MINUTE_MS;
      await fixture.find('one');
      await settled();
      assert.equal(fixture.fetches, fetches);
    }
    fixture.nowMs += 11 * MINUTE_MS;
    fixture.gate = new Promise(() => {});
    for (let call = 0; call < 2; call += 1) assert.ok(await fixture.find('one'));
    assert.equal(fixture.fetches, 3);
  });

  it('are fetched once for unknown key ids, one after the other or at once, which are refused', async () => {
    const fixture = await knowing();
    const refuse = (kid: string) => assert.rejects(fixture.find(kid), errors.JWKSNoMatchingKey);
    fixture.nowMs += MINUTE_MS;
    for (let call = 0; call < 10; call += 1) await refuse('forged');
    assert.equal(fixture.fetches, 2);
    assert.ok(await fixture.find('one'));
    fixture.nowMs += MINUTE_MS;
    await Promise.all(['a', 'b', 'c', 'd'].map(refuse));
    assert.equal(fixture.fetches, 3);
  });

  it('are unavailable before the first fetch, and where the response is not a key set', async () => {
    const fixture = createFixture(one);
    fixture.isSilent = true;
    for (let call = 0; call < 10; call += 1)
      await assert.rejects(fixture.find('one'), isUnavailable);
    assert.equal(fixture.fetches, 1);
    fixture.isSilent = false;
    fixture.nowMs += 10_001;
    assert.ok(await fixture.find('one'));
    assert.equal(fixture.fetches, 2);
    const broken = createFixture({ keys: 'nonsense' } as never);
    await assert.rejects(broken.find('one'), isUnavailable);
  });

  it('follow a rotation by one fetch, after an outage too, during which a new key is unavailable', async () => {
    for (const isSilent of [false, true]) {
      const fixture = await knowing();
      fixture.nowMs += MINUTE_MS;
      if (isSilent) {
        fixture.isSilent = true;
        for (let call = 0; call < 10; call += 1)
          await assert.rejects(fixture.find('two'), isUnavailable);
        assert.equal(fixture.fetches, 2, 'a silent provider gets no further requests');
        assert.ok(await fixture.find('one'));
        fixture.isSilent = false;
        fixture.nowMs += 10_001;
      }
      const { fetches } = fixture;
      fixture.published = two;
      assert.ok(await fixture.find('two'));
      assert.equal(fixture.fetches, fetches + 1);
      await assert.rejects(fixture.find('one'), errors.JWKSNoMatchingKey);
    }
  });
});
