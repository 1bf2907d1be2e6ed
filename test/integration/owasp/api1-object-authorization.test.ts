import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import type { Answer } from '../../harness/customer.ts';
import { localServers } from '../../servers.ts';
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

  it('shows its owner no secret, and nothing of the database', async () => {
    const { environment } = (await localServers()).stack;
    const hashed = createHash('sha256').update(victim.apiKey).digest();
    const keyId = environment['STORE_R2_ACCESS_KEY_ID'] ?? '';
    const secrets = [
      environment['STORE_R2_SECRET_ACCESS_KEY'] ?? '',
      hashed.toString('hex'),
      hashed.toString('base64'),
      victim.apiKey,
    ];
    assert.ok([...secrets, keyId].every((secret) => secret.length > 5));
    // An NDJSON report without a line is no JSON document; the migration suites read it line by line.
    for (const route of READING.filter(({ media }) => media !== 'application/x-ndjson')) {
      const own = Object.entries(victim.resources).map(([name, [id = '']]) => [name, id] as const);
      const { text } = await victim.attack(route, Object.fromEntries(own));
      for (const secret of secrets) assert.ok(!text.includes(secret), nameOf(route));
      // The signature of a presigned URL names the key id.
      assert.ok(!text.includes(keyId) || text.includes('X-Amz-Credential'), nameOf(route));
      const internal =
        /"(?:_id|__v|hash|nonce|ciphertext|sealed|revision|\w*[pP]ending|hasWorkflow)":(?!\d)/;
      assert.doesNotMatch(text, internal);
    }
  });
});
