import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { PageBuild } from '../../../api/page/build.ts';
import { buildPageOnce, ROOT } from '../../harness/page-build.ts';
import { localServers, localService } from '../../servers.ts';

/** Of all scripts that the page loads before its first view, in brotli. */
const MOST_SCRIPT_BYTES = 250 * 1024;

/** Unlike `fetch`, decodes nothing, and sends the path as it is. */
async function ask(url: string, path: string, headers: Record<string, string> = {}) {
  const { hostname, port } = new URL(url);
  const [response] = (await once(get({ hostname, port, path, headers }), 'response')) as [
    IncomingMessage,
  ];
  const { statusCode: status = 0, headers: answered } = response;
  return { status, headers: answered, bytes: await buffer(response) };
}

const directivesOf = (policy: string | string[] | undefined) =>
  Object.fromEntries(
    String(policy)
      .split('; ')
      .map((directive) => directive.split(/ (.*)/)),
  ) as Readonly<Record<string, string>>;

describe('the dashboard, as the API serves it', () => {
  let baseUrl: string;
  let build: PageBuild;
  let environment: Readonly<Record<string, string | undefined>>;
  before(async () => {
    build = await buildPageOnce();
    baseUrl = (await localService()).baseUrl;
    environment = (await localServers()).stack.environment;
  });

  it('answers each of its paths with the page, and a policy with a fresh nonce', async () => {
    const nonces = new Set<string>();
    const paths = ['/dashboard', '/dashboard/', '/dashboard/providers', '/dashboard/a/b?c=d'];
    for (const path of paths) {
      const { status, headers, bytes } = await ask(baseUrl, path);
      assert.equal(status, 200);
      assert.equal(headers['content-type'], 'text/html; charset=utf-8');
      assert.equal(headers['cache-control'], 'no-store');
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['referrer-policy'], 'no-referrer');
      const { 'style-src': styles = '' } = directivesOf(headers['content-security-policy']);
      const [, nonce = ''] = /'nonce-([^']+)'/.exec(styles) ?? [];
      assert.ok(Buffer.from(nonce, 'base64').length >= 16);
      const html = bytes.toString();
      assert.ok(html.includes(`<meta property="csp-nonce" nonce="${nonce}"`));
      assert.doesNotMatch(html, /__CSP_NONCE__|<style|<script(?![^>]* src=)| style=| on\w+=/);
      nonces.add(nonce);
    }
    assert.equal(nonces.size, paths.length);
  });

  it('allows scripts of its own, the identity provider, the stores, and nothing else', async () => {
    const { headers } = await ask(baseUrl, '/dashboard');
    const { 'style-src': _styles, ...policy } = directivesOf(headers['content-security-policy']);
    const issuer = environment['JWT_ISSUER'] ?? '';
    const stores = ['AWS', 'R2', 'B2'].map(
      (name) => new URL(environment[`PROVIDER_ENDPOINT_${name}`] ?? '').origin,
    );
    const others = [
      'https://*.wasabisys.com',
      'https://t3.storage.dev',
      'https://*.t3.storage.dev',
    ];
    const wanted = {
      'default-src': "'none'",
      'script-src': "'self'",
      'connect-src': ["'self'", issuer, ...stores, ...others].join(' '),
      'frame-src': `'self' ${issuer}`,
      'frame-ancestors': "'self'",
      'base-uri': "'none'",
      'form-action': "'self'",
    };
    assert.deepEqual({ ...policy, ...wanted }, policy);
  });

  it('lets the page send to the stores themselves, and to no other service of AWS', async () => {
    const own = Object.fromEntries(
      ['AWS', 'R2', 'B2'].map((name) => [`PROVIDER_ENDPOINT_${name}`, '']),
    );
    const api = await (await localService()).addApi(own);
    const { headers } = await ask(api.url, '/dashboard');
    await api.kill();
    const policy = String(headers['content-security-policy']);
    // The smallest buffer for the head of an answer that common proxies have.
    assert.ok(policy.length < 3_500, `${policy.length} characters`);
    const sources = (directivesOf(policy)['connect-src'] ?? '').split(' ').slice(2);
    const isAllowed = (host: string) =>
      sources.some((source) => {
        const [, wildcard, rest = ''] =
          /^https:\/\/(\*\.)?(.+)$/.exec(source) ?? assert.fail(source);
        return wildcard ? host.endsWith(`.${rest}`) : host === rest;
      });
    for (const host of [
      'photos.s3.eu-central-1.amazonaws.com',
      's3.ap-southeast-7.amazonaws.com',
      'photos.0a1b2c3d.r2.cloudflarestorage.com',
      'photos.0a1b2c3d.eu.r2.cloudflarestorage.com',
      'photos.s3.us-west-004.backblazeb2.com',
      'photos.t3.storage.dev',
    ])
      assert.ok(isAllowed(host), host);
    for (const host of [
      'abc.execute-api.eu-central-1.amazonaws.com',
      'sqs.us-east-1.amazonaws.com',
      'photos.s3-website.eu-central-1.amazonaws.com',
      'abc.lambda-url.us-east-1.on.aws',
      'amazonaws.com',
      'cloudflarestorage.com',
    ])
      assert.ok(!isAllowed(host), host);
  });

  it('serves every file for a year, in the best encoding that the browser takes', async () => {
    const encodings = [
      ['br', 'gzip, deflate, br, zstd'],
      ['gzip', 'gzip, deflate'],
      ['gzip', 'gzip, br;q=0'],
      [undefined, 'identity'],
      [undefined, undefined],
    ] as const;
    for (const [name, asset] of build.assets) {
      for (const [expected, accepted] of encodings) {
        const path = `/dashboard/assets/${name}`;
        const sent = accepted === undefined ? {} : { 'accept-encoding': accepted };
        const { status, headers, bytes } = await ask(baseUrl, path, sent);
        assert.equal(status, 200, path);
        assert.equal(headers['content-encoding'], expected, `${path} for ${accepted}`);
        assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
        assert.equal(headers['vary'], 'Accept-Encoding');
        assert.equal(headers['content-type'], asset.type);
        const decode = { br: brotliDecompressSync, gzip: gunzipSync, none: (raw: Buffer) => raw };
        assert.ok(decode[expected ?? 'none'](bytes).equals(asset.bytes), path);
      }
    }
  });

  it('is where the root leads, and tells the page how to log in, and no more', async () => {
    assert.equal(await homeOf(baseUrl), '/dashboard');
    const { status, headers, bytes } = await ask(baseUrl, '/dashboard/config.json');
    assert.equal(status, 200);
    assert.equal(headers['cache-control'], 'no-store');
    assert.deepEqual(JSON.parse(bytes.toString()), {
      issuer: environment['JWT_ISSUER'],
      clientId: environment['DASHBOARD_CLIENT_ID'],
      scope: environment['DASHBOARD_SCOPE'],
      audience: environment['JWT_AUDIENCE'],
      audienceParameter: 'resource',
      billing: false,
    });
  });

  it('answers 404 for any other file, and reads no path of a request', async () => {
    const assets = ['missing.js', '', '../index.html', '../../api/main.js', '/etc/passwd'].concat([
      '..%2f..%2fapi%2fmain.js',
      '%2e%2e/%2e%2e/package.json',
      'constructor',
    ]);
    const paths = assets.map((name) => `/dashboard/assets/${name}`);
    paths.push('/dashboardx', '/Dashboard');
    for (const path of paths) {
      const { status, headers, bytes } = await ask(baseUrl, path);
      assert.equal(status, 404, path);
      assert.equal((JSON.parse(bytes.toString()) as { code: string }).code, 'not_found');
      assert.equal(headers['cache-control'], 'no-store');
    }
  });

  it('answers 405 for another method than GET and HEAD', async () => {
    for (const path of ['/dashboard', '/dashboard/config.json', '/dashboard/assets/x.js']) {
      const response = await fetch(`${baseUrl}${path}`, { method: 'POST' });
      assert.equal(response.status, 405);
      assert.equal(response.headers.get('allow'), 'GET, HEAD');
    }
    const { status } = await fetch(`${baseUrl}/dashboard`, { method: 'HEAD' });
    assert.equal(status, 200);
  });

  it('loads less than 250 KiB of script before its first view', async () => {
    const { bytes } = await ask(baseUrl, '/dashboard');
    const names = [
      ...bytes.toString().matchAll(/(?:src|href)="\/dashboard\/assets\/([^"]+\.js)"/g),
    ];
    // The entry decides whether this is the end of a login, and loads the page.
    const loaded = new Set(names.map(([, name = '']) => name));
    for (const name of loaded)
      for (const imported of firstImportsOf(build, name)) loaded.add(imported);
    const sizes = [...loaded].map((name) => build.assets.get(name)?.encoded[0]?.bytes.length ?? 0);
    const sum = sizes.reduce((total, size) => total + size, 0);
    assert.ok(
      loaded.size > 1 && sum > 50_000,
      `only ${sum} bytes were found: ${[...loaded].join()}`,
    );
    assert.ok(sum < MOST_SCRIPT_BYTES, `${sum} bytes`);
    process.stdout.write(`      ${sum} bytes of script in brotli, ${loaded.size} files\n`);
  });

  it('has source maps without a path of the host or a secret', () => {
    const maps = [...build.assets].filter(([name]) => name.endsWith('.map'));
    assert.ok(maps.length > 0);
    const secrets = Object.entries({ ...process.env, ...environment }).filter(
      ([name, value]) => /SECRET|TOKEN|KEY|PASSWORD/.test(name) && (value?.length ?? 0) >= 8,
    );
    assert.ok(secrets.length > 0);
    for (const [name, { bytes }] of build.assets) {
      const content = bytes.toString();
      assert.ok(!content.includes(ROOT), `${name} names the folder of the build`);
      assert.doesNotMatch(content, /svc_(?:live|test)_[0-9a-f]{8}|-----BEGIN/);
      for (const [variable, value = ''] of secrets)
        assert.ok(!content.includes(value), `${name} has the value of ${variable}`);
    }
  });
});

/** The files that a script imports by itself, and the page's own that its entry asks for. */
function firstImportsOf({ assets }: PageBuild, name: string): string[] {
  const script = assets.get(name)?.bytes.toString() ?? '';
  const isStatic = /(?:import|from)\s*["']\.\/([^"']+\.js)["']/g;
  const isApp = /import\(["'`]\.\/(app-[^"'`]+\.js)["'`]\)/g;
  return [isStatic, isApp].flatMap((pattern) =>
    [...script.matchAll(pattern)].map(([, imported = '']) => imported),
  );
}

async function homeOf(url: string): Promise<string | undefined> {
  const { status, headers } = await ask(url, '/');
  assert.equal(status, 302);
  return headers.location;
}

describe('the dashboard where it is not configured', () => {
  for (const [what, environment, status, said] of [
    ['is not there with DASHBOARD=off', { DASHBOARD: 'off' }, 404, /not_found/],
    ['names the missing variable', { DASHBOARD_CLIENT_ID: '' }, 503, /DASHBOARD_CLIENT_ID/],
  ] as const)
    it(`${what}, and the root leads to the documentation`, async () => {
      await buildPageOnce();
      const api = await (await localService()).addApi(environment);
      const response = await fetch(`${api.url}/dashboard`);
      assert.equal(response.status, status);
      assert.match(await response.text(), said);
      if (status === 404)
        for (const path of ['/dashboard/config.json', '/dashboard/assets/x.js'])
          assert.equal((await fetch(api.url + path)).status, 404, path);
      assert.equal(await homeOf(api.url), '/docs');
      await api.kill();
    });
});
