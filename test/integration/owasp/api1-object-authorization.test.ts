import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
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

const READING = ROUTES.filter(({ method, auth }) => method === 'GET' && auth !== 'none');
const FILE = ROUTES.find((route) => nameOf(route) === 'GET /v1/file/{fileId}') ?? assert.fail();

describe('API1, API3: the resource of another account', () => {
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

  for (const route of targets) {
    for (const name of idsOf(route)) {
      it(`looks to ${nameOf(route)} like one that does not exist`, async () => {
        for (const id of victim.resources[name] ?? []) {
          const foreign = await stranger.attack(route, { [name]: id });
          const missing = await stranger.attack(route, { [name]: randomUUID() });
          assert.equal(missing.status, 404, missing.text);
          assert.match(String(missing.body['code']), /_not_found$/);
          assert.deepEqual(shapeOf(foreign), shapeOf(missing));
        }
      });
    }
  }

  it('is in none of the lists of a stranger', async () => {
    const everything = Object.values(victim.resources).flat();
    for (const route of READING) {
      const { text } = await stranger.attack(route);
      for (const id of [...everything, victim.accountId, 'secret-'])
        assert.ok(!text.includes(id), `${nameOf(route)} names ${id}`);
    }
  });

  it('is as its owner left it after all that', async () => {
    const statuses = ['pending', 'active', 'deleted', 'expired', 'pending'];
    for (const [index, fileId] of (victim.resources['fileId'] ?? []).entries()) {
      const { status, body } = await victim.attack(FILE, { fileId });
      if (statuses[index] === 'deleted') assert.equal(status, 410);
      else assert.equal(body['status'], statuses[index]);
    }
    const { items } = await victim.cloud.client.scanner.connections();
    assert.equal(items.length, 1);
  });
});
