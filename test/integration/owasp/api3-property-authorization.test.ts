import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { call } from '../../harness/customer.ts';
import { localServers, localService } from '../../servers.ts';
import { addressOf, bodyOf, createVictim, nameOf, ROUTES, type Victim } from './attack.ts';

/** What a caller must not set, and how documents, prototypes and operators are named. */
const FORBIDDEN: Readonly<Record<string, unknown>> = {
  plan: 'enterprise',
  status: 'active',
  owner: 'other',
  role: 'admin',
  createdAt: '2000-01-01T00:00:00.000Z',
  expiresAt: '2100-01-01T00:00:00.000Z',
  approvedBy: 'somebody else',
  quote: { totalUsd: 0 },
  endpoint: 'http://127.0.0.1:1',
  stripeCustomerId: 'cus_other',
  apiKey: { hash: 'a'.repeat(64) },
  _id: 'other',
  $set: { plan: 'enterprise' },
  'providers.aws': {},
  constructor: { prototype: { isAdmin: true } },
  ['__proto__']: { isAdmin: true },
};

/** The accountId of `POST /v1/providers` is the store's. */
const accountIdOf = (route: (typeof ROUTES)[number]) =>
  nameOf(route) === 'POST /v1/providers' ? {} : { accountId: 'other' };

describe('API3: a property of a resource', () => {
  let victim: Victim;
  let baseUrl: string;
  before(async () => {
    ({ baseUrl } = await localService());
    victim = await createVictim();
  });

  for (const route of ROUTES.filter(({ body, signed }) => body && !signed)) {
    it(`that ${nameOf(route)} does not take is refused by name, not ignored`, async () => {
      const bearer = route.auth === 'apiKey' ? victim.apiKey : victim.token;
      const given = Object.keys(bodyOf(route) ?? {});
      const forbidden = Object.entries({ ...FORBIDDEN, ...accountIdOf(route), ['__proto__']: {} });
      for (const [name, value] of forbidden.filter(([one]) => !given.includes(one))) {
        // As text: an object literal with __proto__ has another prototype instead.
        const sent = JSON.stringify(bodyOf(route) ?? {}).replace(
          /\}$/,
          `${given.length > 0 ? ',' : ''}${JSON.stringify(name)}:${JSON.stringify(value)}}`,
        );
        const answer = await fetch(baseUrl + addressOf(route, {}), {
          method: route.method,
          headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
          body: sent,
        });
        const body = (await answer.json()) as { code: string; details?: { path: string }[] };
        assert.equal(answer.status, 400, `${name}: ${JSON.stringify(body)}`);
        assert.equal(body.code, 'invalid_request');
        assert.ok(
          body.details?.some(({ path }) => path === `/${name}`),
          JSON.stringify(body),
        );
      }
    });
  }

  it('of an account stays what it was after all that', async () => {
    const { body } = await call(baseUrl, 'GET /v1/me', { bearer: victim.apiKey });
    assert.equal(body['plan'], 'growth');
    assert.equal(body['accountId'], victim.accountId);
    assert.equal(({} as { isAdmin?: boolean }).isAdmin, undefined);
  });

  it('that is secret or of the database is in no answer', async () => {
    const { environment } = (await localServers()).stack;
    const secrets = [
      environment['STORE_R2_SECRET_ACCESS_KEY'] ?? '',
      environment['STORE_R2_ACCESS_KEY_ID'] ?? '',
      createHash('sha256').update(victim.apiKey).digest('hex'),
      createHash('sha256').update(victim.apiKey).digest('base64'),
      victim.apiKey,
    ];
    assert.ok(secrets.every((secret) => secret.length > 5));
    // An NDJSON report without a line is no JSON document; the migration suites read it line by line.
    const reading = ROUTES.filter(({ method, auth }) => method === 'GET' && auth !== 'none');
    for (const route of reading.filter(({ media }) => media !== 'application/x-ndjson')) {
      const own = Object.entries(victim.resources).map(([name, [id = '']]) => [name, id] as const);
      const { text, body } = await victim.attack(route, Object.fromEntries(own));
      for (const secret of secrets) {
        // The signature of a presigned URL names the key id, not the key.
        if (text.includes('X-Amz-Credential') && secret === secrets[1]) continue;
        assert.ok(!text.includes(secret), `${nameOf(route)} gives ${secret.slice(0, 4)}…`);
      }
      assert.doesNotMatch(
        text,
        /"(?:_id|__v|hash|nonce|ciphertext|sealed|revision|\w*[pP]ending|hasWorkflow)":(?!\d)/,
      );
      requireDescribed(route, body);
    }
  });
});

/** Every property at the top of an answer is one that the route's schema names. */
function requireDescribed(route: (typeof ROUTES)[number], body: object): void {
  const { properties } = (route.replies[200] ?? {}) as { properties?: object };
  if (!properties || Object.keys(body).includes('code')) return;
  const unknown = Object.keys(body).filter((name) => !Object.hasOwn(properties, name));
  assert.deepEqual(unknown, [], nameOf(route));
}
