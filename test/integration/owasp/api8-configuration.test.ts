import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { localService } from '../../servers.ts';
import { hearAll, openConnection, readAnswer } from '../../unit/api/raw-client.ts';
import { addedApi } from '../customers.ts';
import { addressOf, bodyOf, createAttacker, nameOf, ROUTES, type Attacker } from './attack.ts';

const ORIGIN = 'https://app.example';
/** Names and versions of what the service is made of. */
const VERBOSE = ['server', 'x-powered-by', 'via', 'x-aspnet-version', 'x-koa', 'x-runtime'];
const INTERNAL =
  /node_modules|\.ts:\d|\.js:\d|\bat \w+ \(|MongoServerError|E11000|ECONN|ajv|temporal\.|127\.0\.0\.1/i;

interface Package {
  readonly dependencies: Readonly<Record<string, string>>;
  /** Of the lock file. */
  readonly packages: Readonly<Record<string, { version: string; integrity?: string }>>;
}

describe('API8: how the service is set up', () => {
  let someone: Attacker;
  let baseUrl: string;
  const withDashboard = addedApi({ DASHBOARD_ORIGINS: ORIGIN, TRUST_PROXY_HOPS: '1' });
  before(async () => {
    ({ baseUrl } = await localService());
    someone = await createAttacker();
  });

  function requireHeaders({ headers }: Response, what: string): void {
    assert.equal(headers.get('x-content-type-options'), 'nosniff', what);
    assert.equal(headers.get('referrer-policy'), 'no-referrer', what);
    assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/, what);
    for (const name of VERBOSE) assert.equal(headers.get(name), null, `${what}: ${name}`);
    assert.equal(headers.get('access-control-allow-origin'), null, what);
  }

  for (const route of ROUTES) {
    it(`sends ${nameOf(route)} with the headers that bind a browser, also where it is refused`, async () => {
      const bearer = route.auth === 'dashboard' ? someone.token : someone.apiKey;
      const body = bodyOf(route);
      for (const authorization of [`Bearer ${bearer}`, 'Bearer nobody']) {
        const answer = await fetch(`${baseUrl}${addressOf(route, {})}?unknown=1`, {
          method: route.method,
          headers: { authorization, 'content-type': 'application/json', origin: ORIGIN },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        requireHeaders(answer, nameOf(route));
        assert.doesNotMatch(await answer.text(), INTERNAL);
        assert.equal(answer.headers.get('cache-control'), 'no-store');
      }
    });
  }

  it('sends what the HTTP parser refuses with the same headers', async () => {
    const socket = await openConnection(baseUrl);
    socket.write('hello\r\n\r\n');
    const { headers, body } = readAnswer(await hearAll(socket)) ?? assert.fail();
    const sent = [headers['x-content-type-options'], headers['cache-control']];
    assert.deepEqual(sent, ['nosniff', 'no-store']);
    assert.doesNotMatch(body, /HPE_|Parse Error/);
  });

  it('demands TLS for a year of a browser that came by TLS, and only there', async () => {
    const url = `${withDashboard.url}/health`;
    const over = async (protocol: string) =>
      (await fetch(url, { headers: { 'x-forwarded-proto': protocol } })).headers.get(
        'strict-transport-security',
      );
    assert.match((await over('https')) ?? '', /^max-age=31536000/);
    assert.equal(await over('http'), null);
    // Without a trusted proxy the header is anyone's.
    const headers = { 'x-forwarded-proto': 'https' };
    const plain = await fetch(`${baseUrl}/health`, { headers });
    assert.equal(plain.headers.get('strict-transport-security'), null);
  });

  it('lets pages of configured origins read answers, never with credentials, and no others', async () => {
    const ask = async (origin: string, method: string) => {
      const headers = { origin, 'access-control-request-method': 'GET' };
      return (await fetch(`${withDashboard.url}/v1/me`, { method, headers })).headers;
    };
    const others = ['https://evil.example', 'null', 'http://app.example'];
    for (const method of ['GET', 'OPTIONS']) {
      const headers = await ask(ORIGIN, method);
      assert.equal(headers.get('access-control-allow-origin'), ORIGIN);
      assert.equal(headers.get('access-control-allow-credentials'), null);
      assert.match(headers.get('vary') ?? '', /Origin/i);
      for (const origin of [...others, `${ORIGIN}.evil.example`, `${ORIGIN}:444`])
        assert.equal((await ask(origin, method)).get('access-control-allow-origin'), null, origin);
    }
  });
});

/** That nothing else answers: `acceptance/requests`. */
describe('API5, API9: what the service serves', () => {
  it('is not reached by an override of the method, or of the path', async () => {
    const { apiKey } = await createAttacker();
    const headers = {
      authorization: `Bearer ${apiKey}`,
      'x-http-method-override': 'DELETE',
      'x-original-url': '/v1/providers',
      'x-rewrite-url': '/v1/providers',
    };
    const me = await fetch(`${(await localService()).baseUrl}/v1/me`, { headers });
    assert.deepEqual(Object.keys((await me.json()) as object)[0], 'accountId');
  });

  it('has its metrics on a port of its own, with no path but those, and no account', async () => {
    const [{ apis }, { accountId }] = [await localService(), await createAttacker()];
    const url = apis[0]?.metricsUrl ?? assert.fail();
    const metrics = await fetch(`${url}/metrics`);
    assert.equal(metrics.status, 200);
    assert.ok(!(await metrics.text()).includes(accountId), 'no account is a label');
    for (const path of ['/', '/v1/me', '/health', '/__proto__', '/constructor', '/metrics/x'])
      assert.equal((await fetch(url + path)).status, 404, path);
  });

  it('consists of packages at exact versions, all of them in the lock file', async () => {
    const read = async (path: string) => JSON.parse(await readFile(path, 'utf8')) as Package;
    const [manifest, lock] = await Promise.all([read('package.json'), read('package-lock.json')]);
    for (const [name, version] of Object.entries(manifest.dependencies)) {
      assert.match(version, /^\d+\.\d+\.\d+$/, name);
      const locked = lock.packages[`node_modules/${name}`];
      assert.equal(locked?.version, version, name);
      assert.match(locked?.integrity ?? '', /^sha512-/, name);
    }
  });
});
