import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { localService } from '../../servers.ts';
import { createAttacker, nameOf, ROUTES, type Attacker } from './attack.ts';

interface Description {
  readonly openapi: string;
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { security: Readonly<Record<string, unknown>>[] }>>>
  >;
}

const SCHEME = { none: undefined, apiKey: 'apiKey', dashboard: 'dashboardToken' } as const;
/** Of older, newer and internal versions, of tools and of files. */
const ELSEWHERE = [
  '/v0/me',
  '/v2/me',
  '/v1beta/me',
  '/api/v1/me',
  '/v1/v1/me',
  '/internal/v1/me',
  '/me',
  '/v1',
  '/v1/',
  '/metrics',
  '/healthz',
  '/health/',
  '/ready/x',
  '/status',
  '/env',
  '/actuator',
  '/swagger',
  '/swagger.json',
  '/openapi.yaml',
  '/v1/openapi.json',
  '/graphql',
  '/docs/',
  '/docs/..%2f',
  '/.env',
  '/.git/config',
  '/package.json',
  '/dist/api/main.js',
  '/favicon.ico',
  '/robots.txt',
  '/.well-known/security.txt',
  '/debug/pprof',
  '/server-status',
  '/v1/test',
  '/v1/dev',
];

describe('API9: what the service serves', () => {
  let someone: Attacker;
  let baseUrl: string;
  let described: Description;
  before(async () => {
    ({ baseUrl } = await localService());
    someone = await createAttacker();
    described = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as Description;
  });

  it('is what its description lists, with the credentials that it needs, and nothing else', () => {
    const listed = Object.entries(described.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { security }]) => {
        const [scheme] = security.flatMap((one) => Object.keys(one));
        return `${method.toUpperCase()} ${path} ${scheme ?? ''}`.trim();
      }),
    );
    const served = ROUTES.map((route) => `${nameOf(route)} ${SCHEME[route.auth] ?? ''}`.trim());
    assert.deepEqual(listed.sort(), served.sort());
  });

  it('answers nowhere else, with or without credentials', async () => {
    for (const path of ELSEWHERE)
      for (const bearer of [someone.apiKey, someone.token, '']) {
        const { status } = await fetch(baseUrl + path, {
          headers: { authorization: `Bearer ${bearer}` },
        });
        assert.equal(status, 404, path);
      }
  });

  it('has one version of the interface', () => {
    const versions = Object.keys(described.paths).map((path) => /^\/v\d+/.exec(path)?.[0] ?? path);
    const open = ['/health', '/ready', '/openapi.json', '/docs'];
    assert.deepEqual(new Set(versions), new Set(['/v1', ...open]));
  });

  it('has its metrics on a port of its own, with no path but those', async () => {
    const { apis } = await localService();
    const url = apis[0]?.metricsUrl ?? assert.fail();
    assert.equal((await fetch(`${url}/metrics`)).status, 200);
    for (const path of ['/', '/v1/me', '/health', '/__proto__', '/constructor', '/metrics/x'])
      assert.equal((await fetch(url + path)).status, 404, path);
    const text = await (await fetch(`${url}/metrics`)).text();
    assert.ok(!text.includes(someone.accountId), 'no account is a label');
  });

  it('consists of packages at exact versions, all of them in the lock file', async () => {
    const read = async (path: string) =>
      JSON.parse(await readFile(path, 'utf8')) as Lock & Manifest;
    const [manifest, lock] = await Promise.all([read('package.json'), read('package-lock.json')]);
    for (const [name, version] of Object.entries(manifest.dependencies)) {
      assert.match(version, /^\d+\.\d+\.\d+$/, name);
      const locked = lock.packages[`node_modules/${name}`];
      assert.equal(locked?.version, version, name);
      assert.match(locked?.integrity ?? '', /^sha512-/, name);
    }
  });
});

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
}

interface Lock {
  readonly packages: Readonly<Record<string, { version: string; integrity?: string }>>;
}
