import assert from 'node:assert/strict';
import { createHmac, createPublicKey, randomUUID, type JsonWebKey } from 'node:crypto';
import type { IdentityProvider } from '../../../dev/identity/identity.ts';
import { call } from '../../harness/customer.ts';
import { localServers, localService } from '../../servers.ts';
import { addressOf, bodyOf, createAttacker, nameOf, ROUTES, type Attacker } from './attack.ts';

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (part = '') =>
  JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;

/** One route of each kind of credentials. */
const ASKED = new Set(['GET /v1/me', 'GET /v1/account']);

describe('API2: broken credentials', () => {
  let someone: Attacker;
  let baseUrl: string;
  const tokens: Record<string, string> = {};

  before(async () => {
    const { stack } = await localServers();
    ({ baseUrl } = await localService());
    someone = await createAttacker();
    assert.ok(stack.identity);
    Object.assign(tokens, await brokenTokens(stack.identity, someone));
  });

  const requireRefused = async (route: (typeof ROUTES)[number], bearer: string, what: string) => {
    const body = bodyOf(route);
    const options = { bearer, ...(body === undefined ? {} : { body }) };
    const answer = await call(baseUrl, `${route.method} ${addressOf(route, {})}`, options);
    assert.equal(answer.status, 401, `${what}: ${answer.status} ${answer.text}`);
    assert.equal(answer.body['code'], 'unauthorized', what);
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer', what);
    // The answer does not tell what is wrong with the credential.
    assert.deepEqual(Object.keys(answer.body).sort(), ['code', 'error']);
    assert.match(String(answer.body['error']), /^[A-Za-z ,.:]+$/);
  };

  // That every other route asks for credentials: `contract/endpoint-auth.ts`.
  for (const route of ROUTES.filter((one) => ASKED.has(nameOf(one)))) {
    // spec: auth.jwt-rules
    it(`are refused by ${nameOf(route)}`, async () => {
      const broken =
        route.auth === 'dashboard' ? Object.entries(tokens) : brokenKeys(someone.apiKey);
      await Promise.all(broken.map(([what, bearer]) => requireRefused(route, bearer, what)));
    });
  }

  it('are refused in the query, in a cookie and in the other headers', async () => {
    const path = `/v1/me?access_token=${someone.apiKey}`;
    assert.equal((await fetch(baseUrl + path)).status, 401);
    const others = ['cookie', 'x-api-key', 'proxy-authorization', 'x-forwarded-authorization'];
    for (const name of others) {
      const headers = { [name]: name === 'cookie' ? `token=${someone.apiKey}` : someone.apiKey };
      assert.equal((await fetch(`${baseUrl}/v1/me`, { headers })).status, 401, name);
    }
  });

  it('that are almost right take as long as those that are far off', async () => {
    const time = async (key: string) => (await call(baseUrl, 'GET /v1/me', { bearer: key })).ms;
    const near = `${someone.apiKey.slice(0, -1)}${someone.apiKey.endsWith('0') ? '1' : '0'}`;
    const medianOf = (values: number[]) =>
      values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
    let difference = Infinity;
    for (let round = 0; round < 3 && difference > 3; round += 1) {
      const [nearMs, farMs]: [number[], number[]] = [[], []];
      for (let pair = 0; pair < 25; pair += 1) {
        nearMs.push(await time(near));
        farMs.push(await time(`svc_test_${randomUUID()}`));
      }
      difference = Math.abs(medianOf(nearMs) - medianOf(farMs));
    }
    assert.ok(difference <= 3, `${difference} ms`);
  });
});

function brokenKeys(key: string): [what: string, key: string][] {
  return [
    ['never issued', `svc_test_${randomUUID()}`],
    ['of the other mode', key.replace('svc_test_', 'svc_live_')],
    ['in capitals', key.toUpperCase()],
    ['with more behind it', `${key}0`],
    ['cut', key.slice(0, -1)],
    ['its id alone', key.slice(9)],
    ['an object', '{"$ne":null}'],
    ['a pattern', '.*'],
    ['10 KiB', `svc_test_${'a'.repeat(10_240)}`],
  ];
}

async function brokenTokens(
  identity: IdentityProvider,
  { accountId, token, apiKey }: Attacker,
): Promise<Record<string, string>> {
  const [head, claims, signature] = token.split('.');
  const { kid } = decode(head);
  const withHead = (header: object) => `${encode(header)}.${claims}.${signature}`;
  const { keys } = (await (await fetch(identity.jwksUrl)).json()) as { keys: JsonWebKey[] };
  const byPublicKey = keys.flatMap((jwk, index) => {
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const pem = key.export({ type: 'spki', format: 'pem' });
    const content = `${encode({ alg: 'HS256', typ: 'JWT', kid: jwk['kid'] })}.${claims}`;
    return [pem, JSON.stringify(jwk)].map((secret, form) => {
      const mac = createHmac('sha256', secret).update(content).digest('base64url');
      return [`HS256 with public key ${index}, form ${form}`, `${content}.${mac}`] as const;
    });
  });
  const now = Math.floor(Date.now() / 1000);
  const signed = (more: object) => identity.issueToken({ account: accountId, claims: { ...more } });
  const sub = accountId;
  return {
    ...Object.fromEntries(byPublicKey),
    'alg none': `${encode({ alg: 'none' })}.${claims}.`,
    'alg None': `${encode({ alg: 'None' })}.${claims}.${signature}`,
    'alg missing': withHead({ kid }),
    'alg a list': withHead({ alg: ['ES256'], kid }),
    'kid a path': withHead({ alg: 'ES256', kid: '../../../../dev/null' }),
    'kid a query': withHead({ alg: 'ES256', kid: "' UNION SELECT 'key" }),
    'kid an object': withHead({ alg: 'ES256', kid: { $ne: null } }),
    'kid of a prototype': withHead({ alg: 'ES256', kid: '__proto__' }),
    'a key of its own (jwk)': withHead({ alg: 'ES256', jwk: keys[0] }),
    'a key at an address (jku)': withHead({ alg: 'ES256', jku: 'http://127.0.0.1:1', kid: 'x' }),
    'a certificate (x5u)': withHead({ alg: 'ES256', x5u: 'http://127.0.0.1:1/cert', kid: 'x' }),
    'an unknown critical header': withHead({ alg: 'ES256', kid, crit: ['x'], x: 1 }),
    'an unencoded payload': withHead({ alg: 'ES256', kid, b64: false, crit: ['b64'] }),
    expired: signed({ exp: now - 3_600 }),
    'not yet valid': signed({ nbf: now + 3_600 }),
    'HS256 with a secret': await identity.signToken({ sub }, { algorithm: 'HS256' }),
    'without an end': await identity.signToken({ sub, exp: undefined }),
    'without a subject': await identity.signToken({ sub: undefined }),
    'without an issuer': await identity.signToken({ sub, iss: undefined }),
    'without an audience': await identity.signToken({ sub, aud: undefined }),
    'an end that is a text': signed({ exp: '9999999999' }),
    'of another issuer': await identity.signToken({ sub }, { wrongIssuer: true }),
    'for another audience': await identity.signToken({ sub }, { wrongAudience: true }),
    'of another key': await identity.signToken({ sub }, { wrongKey: true }),
    'changed claims': `${head}.${encode({ ...decode(claims), sub: 'other' })}.${signature}`,
    'a signature of zeros (CVE-2022-21449)': `${head}.${claims}.${Buffer.alloc(64).toString('base64url')}`,
    'no signature': `${head}.${claims}.`,
    'claims of 12 KiB': `${head}.${'A'.repeat(12_288)}.${signature}`,
    'two parts': `${head}.${claims}`,
    'three parts without a content': '..',
    'five parts': `${token}.a.b`,
    'an API key': apiKey,
  };
}
