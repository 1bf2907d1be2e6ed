import assert from 'node:assert/strict';
import { addressOf, nameOf, type Endpoint } from '../acceptance/endpoints.ts';
import { one } from '../acceptance/tenant.ts';
import { call, requireRefusal } from '../acceptance/wire.ts';

/** The authentication suite, for every endpoint. */
// spec: auth.api-key, auth.dashboard, auth.unauthorized, endpoint.*, endpoints.auth
// spec: endpoints.auth-jwt, errors.unauthorized
export function endpointAuthSuite(endpoint: Endpoint): void {
  describe(`${nameOf(endpoint)} asks who is calling`, () => {
    if (endpoint.body === 'signed') signedSuite(endpoint);
    else if (endpoint.auth === 'none') openSuite(endpoint);
    else guardedSuite(endpoint, endpoint.auth);
  });
}

function openSuite(endpoint: Endpoint): void {
  it('answers without credentials', async () => {
    assert.equal((await call(endpoint.method, addressOf(endpoint))).status, 200);
  });

  it('ignores unknown credentials', async () => {
    const answer = await call(endpoint.method, addressOf(endpoint), { token: 'unknown' });
    assert.equal(answer.status, 200);
  });
}

/** Who sends there signs the body, so credentials change nothing. */
function signedSuite(endpoint: Endpoint): void {
  const json = { id: 'evt_1', type: 'customer.subscription.created' };
  for (const headers of [{}, { authorization: 'Bearer unknown' }] as const) {
    it(`refuses an unsigned request, with ${Object.keys(headers).length} credentials`, async () => {
      const answer = await call(endpoint.method, addressOf(endpoint), { headers, json });
      assert.ok([400, 503].includes(answer.status), `answered ${answer.status}`);
      const code = answer.status === 400 ? 'invalid_request' : 'billing_not_configured';
      requireRefusal(answer, answer.status, code);
    });
  }
}

function guardedSuite(endpoint: Endpoint, auth: 'apiKey' | 'dashboard'): void {
  const right = () => (auth === 'apiKey' ? one.key() : Promise.resolve(one.dashboard()));
  const refused = async (authorization: string | undefined) => {
    const answer = await call(endpoint.method, addressOf(endpoint), {
      headers: authorization === undefined ? {} : { authorization },
      ...(endpoint.body === 'none' ? {} : { json: {} }),
    });
    requireRefusal(answer, 401, 'unauthorized');
    assert.equal(answer.headers['www-authenticate'], 'Bearer');
  };

  it('lets the right credentials through to the next check', async () => {
    const answer = await call(endpoint.method, `${addressOf(endpoint)}?unknown=1`, {
      token: await right(),
      ...(endpoint.body === 'none' ? {} : { json: {} }),
    });
    requireRefusal(answer, 400, 'invalid_request');
  });

  it('refuses a call without credentials', () => refused(undefined));

  it('refuses malformed credentials', async () => {
    for (const text of [
      '',
      'Bearer',
      'Bearer ',
      'Bearer  ,',
      'Bearer "',
      'Bearer svc_',
      'Bearer a.b.c',
    ])
      await refused(text);
    await refused(`Bearer ${await right()} ${await right()}`);
    await refused(`Bearer ${await right()}x`);
    await refused(`Bearer ${(await right()).slice(0, -1)}`);
  });

  it('refuses the right secret under another scheme', async () => {
    const secret = await right();
    for (const scheme of ['', 'Basic ', 'Token ', 'Digest ', 'Bearer:', 'ApiKey '])
      await refused(`${scheme}${secret}`);
    await refused(`Basic ${Buffer.from(`${secret}:`).toString('base64')}`);
  });

  it('refuses what belongs to the other kind of endpoint', async () => {
    await refused(`Bearer ${auth === 'apiKey' ? one.dashboard() : await one.key()}`);
  });

  if (auth === 'apiKey') keySuite(refused);
  else tokenSuite(refused);
}

type Refused = (authorization: string) => Promise<void>;

function keySuite(refused: Refused): void {
  it('refuses a key that was never issued', async () => {
    const [prefix] = splitKey(await one.key());
    await refused(`Bearer ${prefix}${crypto.randomUUID()}`);
  });

  it('refuses the right key under the other mode', async () => {
    const [prefix, uuid] = splitKey(await one.key());
    await refused(`Bearer ${prefix === 'svc_live_' ? 'svc_test_' : 'svc_live_'}${uuid}`);
  });

  it('refuses the right key in capitals', async () => {
    await refused(`Bearer ${(await one.key()).toUpperCase()}`);
  });
}

function splitKey(key: string): [prefix: string, uuid: string] {
  return [key.slice(0, 9), key.slice(9)];
}

function tokenSuite(refused: Refused): void {
  it('refuses a token whose claims were changed', async () => {
    const [head, claims, signature] = one.dashboard().split('.');
    const later = { ...decoded(claims), exp: 4_102_444_800, sub: 'another-user' };
    await refused(`Bearer ${head}.${encoded(later)}.${signature}`);
  });

  it('refuses a token without a signature', async () => {
    const [, claims, signature] = one.dashboard().split('.');
    for (const alg of ['none', 'None', 'HS256'])
      for (const end of ['', signature])
        await refused(`Bearer ${encoded({ alg, typ: 'JWT' })}.${claims}.${end}`);
  });

  it('refuses a token signed with an unknown key', async () => {
    const [head, claims] = one.dashboard().split('.');
    const unknown = { ...decoded(head), kid: crypto.randomUUID() };
    await refused(`Bearer ${encoded(unknown)}.${claims}.${'A'.repeat(86)}`);
  });
}

function decoded(part: string | undefined): object {
  return JSON.parse(Buffer.from(part ?? '', 'base64url').toString('utf8')) as object;
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
