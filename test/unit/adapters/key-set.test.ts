import assert from 'node:assert/strict';
import { errors, exportJWK, generateKeyPair, type JSONWebKeySet } from 'jose';
import { createKeySet } from '../../../adapters/identity/key-set.ts';
import { AppError } from '../../../domain/errors.ts';

const MINUTE_MS = 60_000;

/** An identity provider of which a test decides what it says, and a clock to turn. */
function createWorld(published: JSONWebKeySet) {
  const world = {
    published,
    isSilent: false,
    fetches: 0,
    nowMs: 1_000_000,
    /** While set, an answer waits for it. */
    limits: undefined as Promise<void> | undefined,
  };
  const keySet = createKeySet({
    async fetchKeys() {
      world.fetches += 1;
      await world.limits;
      if (world.isSilent) throw new Error('connect ECONNREFUSED 10.0.0.1');
      return world.published;
    },
    monotonicMs: () => world.nowMs,
  });
  const ask = (kid: string) =>
    Promise.resolve(keySet({ alg: 'ES256', kid }, { payload: '', protected: '', signature: '' }));
  return Object.assign(world, { ask });
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

  it('are fetched when first needed, and once for many calls', async () => {
    const world = createWorld(one);
    assert.equal(world.fetches, 0);
    for (let call = 0; call < 20; call += 1) assert.ok(await world.ask('one'));
    assert.equal(world.fetches, 1);
  });

  it('are fetched once for calls that come together', async () => {
    const world = createWorld(one);
    let open = () => {};
    world.limits = new Promise((resolve) => (open = resolve));
    const calls = Array.from({ length: 20 }, () => world.ask('one'));
    await settled();
    open();
    for (const found of await Promise.all(calls)) assert.ok(found);
    assert.equal(world.fetches, 1);
  });

  it('stay in use through hours of an outage, with a fetch tried no oftener than every 10 s', async () => {
    const world = createWorld(one);
    await world.ask('one');
    world.isSilent = true;
    world.nowMs += 11 * MINUTE_MS;
    for (let second = 0; second < 60; second += 1) {
      for (let call = 0; call < 5; call += 1) assert.ok(await world.ask('one'));
      await settled();
      world.nowMs += 1_000;
    }
    assert.ok(world.fetches > 2 && world.fetches <= 1 + 6, `${world.fetches} fetches in a minute`);
    world.nowMs += 5 * 60 * MINUTE_MS;
    assert.ok(await world.ask('one'));
  });

  it('are renewed in the background after ten minutes', async () => {
    const world = createWorld(one);
    await world.ask('one');
    world.nowMs += 9 * MINUTE_MS;
    await world.ask('one');
    await settled();
    assert.equal(world.fetches, 1);
    world.nowMs += 2 * MINUTE_MS;
    await world.ask('one');
    await settled();
    assert.equal(world.fetches, 2);
  });

  it('do not hold a known key up while a renewal hangs', async () => {
    const world = createWorld(one);
    await world.ask('one');
    world.nowMs += 11 * MINUTE_MS;
    world.limits = new Promise(() => {});
    assert.ok(await world.ask('one'));
    assert.ok(await world.ask('one'));
    assert.equal(world.fetches, 2);
  });

  it('are fetched once for an unknown key id, which is then refused', async () => {
    const world = createWorld(one);
    await world.ask('one');
    world.nowMs += MINUTE_MS;
    for (let call = 0; call < 10; call += 1)
      await assert.rejects(world.ask('forged'), errors.JWKSNoMatchingKey);
    assert.equal(world.fetches, 2);
    assert.ok(await world.ask('one'));
  });

  it('are fetched once for unknown key ids that come together', async () => {
    const world = createWorld(one);
    await world.ask('one');
    world.nowMs += MINUTE_MS;
    const calls = ['a', 'b', 'c', 'd'].map((kid) =>
      assert.rejects(world.ask(kid), errors.JWKSNoMatchingKey),
    );
    await Promise.all(calls);
    assert.equal(world.fetches, 2);
  });

  it('say unavailable of an unknown key id while the provider is silent', async () => {
    const world = createWorld(one);
    await world.ask('one');
    world.isSilent = true;
    world.nowMs += MINUTE_MS;
    for (let call = 0; call < 10; call += 1) await assert.rejects(world.ask('new'), isUnavailable);
    assert.equal(world.fetches, 2, 'a silent provider is not hammered');
    assert.ok(await world.ask('one'));
  });

  it('say unavailable where none was ever fetched, and try again after ten seconds', async () => {
    const world = createWorld(one);
    world.isSilent = true;
    for (let call = 0; call < 10; call += 1) await assert.rejects(world.ask('one'), isUnavailable);
    assert.equal(world.fetches, 1);
    world.isSilent = false;
    world.nowMs += 10_001;
    assert.ok(await world.ask('one'));
    assert.equal(world.fetches, 2);
  });

  it('say unavailable where the answer is no key set', async () => {
    const world = createWorld({ keys: 'nonsense' } as never);
    await assert.rejects(world.ask('one'), isUnavailable);
  });

  it('follow a rotation: a new key id is found by one fetch', async () => {
    const world = createWorld(one);
    await world.ask('one');
    world.published = two;
    world.nowMs += MINUTE_MS;
    assert.ok(await world.ask('two'));
    assert.equal(world.fetches, 2);
    await assert.rejects(world.ask('one'), errors.JWKSNoMatchingKey);
  });

  it('follow a rotation after an outage', async () => {
    const world = createWorld(one);
    await world.ask('one');
    world.isSilent = true;
    world.nowMs += MINUTE_MS;
    await assert.rejects(world.ask('two'), isUnavailable);
    world.isSilent = false;
    world.published = two;
    world.nowMs += 10_001;
    assert.ok(await world.ask('two'));
  });
});
