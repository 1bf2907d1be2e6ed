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

  it('are fetched when first needed, and once for many calls', async () => {
    const fixture = createFixture(one);
    assert.equal(fixture.fetches, 0);
    for (let call = 0; call < 20; call += 1) assert.ok(await fixture.find('one'));
    assert.equal(fixture.fetches, 1);
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

  it('are fetched once for concurrent calls', async () => {
    const fixture = createFixture(one);
    let open = () => {};
    fixture.gate = new Promise((resolve) => (open = resolve));
    const calls = Array.from({ length: 20 }, () => fixture.find('one'));
    await settled();
    open();
    for (const found of await Promise.all(calls)) assert.ok(found);
    assert.equal(fixture.fetches, 1);
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
    assert.ok(
      fixture.fetches > 2 && fixture.fetches <= 1 + 6,
      `${fixture.fetches} fetches in a minute`,
    );
    fixture.nowMs += 5 * 60 * MINUTE_MS;
    assert.ok(await fixture.find('one'));
  });

  it('are renewed in the background after ten minutes', async () => {
    const fixture = await knowing();
    fixture.nowMs += 9 * MINUTE_MS;
    await fixture.find('one');
    await settled();
    assert.equal(fixture.fetches, 1);
    fixture.nowMs += 2 * MINUTE_MS;
    await fixture.find('one');
    await settled();
    assert.equal(fixture.fetches, 2);
  });

  it('serve a known key while a renewal hangs', async () => {
    const fixture = await knowing();
    fixture.nowMs += 11 * MINUTE_MS;
    fixture.gate = new Promise(() => {});
    assert.ok(await fixture.find('one'));
    assert.ok(await fixture.find('one'));
    assert.equal(fixture.fetches, 2);
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

  it('are unavailable for an unknown key id while the provider is silent', async () => {
    const fixture = await knowing();
    fixture.isSilent = true;
    fixture.nowMs += MINUTE_MS;
    for (let call = 0; call < 10; call += 1)
      await assert.rejects(fixture.find('new'), isUnavailable);
    assert.equal(fixture.fetches, 2, 'a silent provider gets no further requests');
    assert.ok(await fixture.find('one'));
  });

  it('are unavailable before the first fetch, which is repeated after ten seconds', async () => {
    const fixture = createFixture(one);
    fixture.isSilent = true;
    for (let call = 0; call < 10; call += 1)
      await assert.rejects(fixture.find('one'), isUnavailable);
    assert.equal(fixture.fetches, 1);
    fixture.isSilent = false;
    fixture.nowMs += 10_001;
    assert.ok(await fixture.find('one'));
    assert.equal(fixture.fetches, 2);
  });

  it('are unavailable where the response is not a key set', async () => {
    const fixture = createFixture({ keys: 'nonsense' } as never);
    await assert.rejects(fixture.find('one'), isUnavailable);
  });

  it('follow a rotation: a new key id is found by one fetch', async () => {
    const fixture = await knowing();
    fixture.published = two;
    fixture.nowMs += MINUTE_MS;
    assert.ok(await fixture.find('two'));
    assert.equal(fixture.fetches, 2);
    await assert.rejects(fixture.find('one'), errors.JWKSNoMatchingKey);
  });

  it('follow a rotation after an outage', async () => {
    const fixture = await knowing();
    fixture.isSilent = true;
    fixture.nowMs += MINUTE_MS;
    await assert.rejects(fixture.find('two'), isUnavailable);
    fixture.isSilent = false;
    fixture.published = two;
    fixture.nowMs += 10_001;
    assert.ok(await fixture.find('two'));
  });
});
