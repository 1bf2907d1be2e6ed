import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Route } from '../../../api/http/route.ts';
import type { Answer } from '../../harness/customer.ts';
import {
  createAttacker,
  createVictim,
  idsOf,
  nameOf,
  ROUTES,
  type Attacker,
  type Victim,
} from './attack.ts';

/** What differs between any two answers. */
const OF_THE_MOMENT = new Set(['x-request-id', 'date', 'content-length']);

const shapeOf = ({ status, text, headers }: Answer) => ({
  status,
  text,
  headers: [...headers].map(([name, value]) => (OF_THE_MOMENT.has(name) ? name : [name, value])),
});

describe('API1: the resource of another account', () => {
  let victim: Victim;
  let stranger: Attacker;
  const targets = ROUTES.filter((route) => idsOf(route).length > 0);

  before(async () => {
    [victim, stranger] = await Promise.all([createVictim(), createAttacker()]);
  });

  it('exists of every kind that a route names', () => {
    const kinds = new Set(targets.flatMap(idsOf));
    assert.deepEqual([...kinds].sort(), Object.keys(victim.resources).sort());
    assert.ok(targets.length >= 14, targets.map(nameOf).join());
  });

  const ask = (route: Route, name: string, id: string) => stranger.attack(route, { [name]: id });

  for (const route of targets) {
    for (const name of idsOf(route)) {
      it(`looks to ${nameOf(route)} like one that does not exist`, async () => {
        for (const id of victim.resources[name] ?? []) {
          const [foreign, missing] = [
            await ask(route, name, id),
            await ask(route, name, randomUUID()),
          ];
          assert.equal(missing.status, 404, missing.text);
          assert.match(String(missing.body['code']), /_not_found$/);
          assert.deepEqual(shapeOf(foreign), shapeOf(missing));
        }
      });
    }
  }

  it('is in none of the lists of a stranger', async () => {
    const everything = Object.values(victim.resources).flat();
    for (const route of ROUTES.filter(({ method, auth }) => method === 'GET' && auth !== 'none')) {
      const { text } = await stranger.attack(route);
      for (const id of [...everything, victim.accountId, 'secret-'])
        assert.ok(!text.includes(id), `${nameOf(route)} names ${id}`);
    }
  });

  it('is as its owner left it after all that', async () => {
    const statuses = ['pending', 'active', 'deleted', 'expired', 'pending'];
    const route = ROUTES.find((one) => nameOf(one) === 'GET /v1/file/{fileId}');
    assert.ok(route);
    for (const [index, fileId] of (victim.resources['fileId'] ?? []).entries()) {
      const { status, body } = await victim.attack(route, { fileId });
      if (statuses[index] === 'deleted') assert.equal(status, 410);
      else assert.equal(body['status'], statuses[index]);
    }
    const { items } = await victim.cloud.client.scanner.connections();
    assert.equal(items.length, 1);
  });

  it('cannot be reached by a path into it', async () => {
    const [fileId = ''] = victim.resources['fileId'] ?? [];
    const route = ROUTES.find((one) => nameOf(one) === 'GET /v1/file/{fileId}');
    assert.ok(route);
    for (const id of [
      `${randomUUID()}%2F..%2F${fileId}`,
      `..%2F${fileId}`,
      `${fileId}%00`,
      `${fileId}%0A`,
      `${fileId};`,
      '%ff',
      '%',
      '[$ne]',
      '{"$gt":""}',
      fileId.toUpperCase(),
    ]) {
      const { status } = await stranger.attack(route, { fileId: id });
      assert.ok(status === 400 || status === 404, `${id} was answered with ${status}`);
    }
  });
});
