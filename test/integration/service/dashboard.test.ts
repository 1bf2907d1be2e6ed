import assert from 'node:assert/strict';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { get, type IncomingMessage } from 'node:http';
import type { PageBuild } from '../../../api/page/build.ts';
import { buildPageOnce, ROOT } from '../../harness/page-build.ts';
import { localServers, localService } from '../../servers.ts';
import { hearAll, openConnection, readAnswer } from '../../unit/api/raw-client.ts';

/** Of all scripts that the page loads before its first view, in brotli. */
const MOST_SCRIPT_BYTES = 250 * 1024;

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly bytes: Buffer;
}

/** Unlike `fetch`, decodes nothing, and sends the path as it is. */
async function ask(url: string, path: string, headers: Record<string, string> = {}) {
  return await new Promise<Answer>((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const request = get({ hostname, port, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          bytes: Buffer.concat(chunks),
        }),
      );
    });
    request.once('error', reject);
  });
}

function directivesOf(policy: string | string[] | undefined): Map<string, string[]> {
  const directives = String(policy).split('; ');
  return new Map(
    directives.map((directive) => {
      const [name = '', ...sources] = directive.split(' ');
      return [name, sources];
    }),
  );
}

describe('the dashboard, as the API serves it', () => {
  let baseUrl: string;
  let build: PageBuild;
  let environment: Readonly<Record<string, string | undefined>>;
  before(async () => {
    build = await buildPageOnce();
    baseUrl = (await localService()).baseUrl;
    environment = (await localServers()).stack.environment;
  });

  for (const path of ['/dashboard', '/dashboard/', '/dashboard/providers', '/dashboard/a/b?c=d'])
    it(`answers ${path} with the page, and a policy with a fresh nonce`, async () => {
      const [first, second] = await Promise.all([ask(baseUrl, path), ask(baseUrl, path)]);
      const nonces = [first, second].map(({ status, headers, bytes }) => {
        assert.equal(status, 200);
        assert.equal(headers['content-type'], 'text/html; charset=utf-8');
        assert.equal(headers['cache-control'], 'no-store');
        assert.equal(headers['x-content-type-options'], 'nosniff');
        assert.equal(headers['referrer-policy'], 'no-referrer');
        const html = bytes.toString();
        const policy = directivesOf(headers['content-security-policy']);
        const [, nonce = ''] =
          /'nonce-([^']+)'/.exec(policy.get('style-src')?.join(' ') ?? '') ?? [];
        assert.ok(Buffer.from(nonce, 'base64').length >= 16);
        assert.match(
          html,
          new RegExp(`<meta property="csp-nonce" nonce="${nonce.replaceAll('+', '\\+')}"`),
        );
        assert.doesNotMatch(html, /__CSP_NONCE__|<style|<script(?![^>]* src=)| style=| on\w+=/);
        return nonce;
      });
      assert.notEqual(nonces[0], nonces[1]);
    });

  it('allows scripts of its own, the identity provider, the stores, and nothing else', async () => {
    const { headers } = await ask(baseUrl, '/dashboard');
    const policy = directivesOf(headers['content-security-policy']);
    const issuer = environment['JWT_ISSUER'] ?? '';
    const stores = ['AWS', 'R2', 'B2'].map(
      (name) => new URL(environment[`PROVIDER_ENDPOINT_${name}`] ?? '').origin,
    );
    assert.deepEqual(policy.get('default-src'), ["'none'"]);
    assert.deepEqual(policy.get('script-src'), ["'self'"]);
    assert.deepEqual(policy.get('connect-src'), ["'self'", issuer, ...stores]);
    assert.deepEqual(policy.get('frame-src'), ["'self'", issuer]);
    assert.deepEqual(policy.get('frame-ancestors'), ["'self'"]);
    assert.deepEqual(policy.get('base-uri'), ["'none'"]);
    assert.deepEqual(policy.get('form-action'), ["'self'"]);
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
    const paths = [
      '/dashboard/assets/missing.js',
      '/dashboard/assets/',
      '/dashboard/assets/../index.html',
      '/dashboard/assets/../../api/main.js',
      '/dashboard/assets/..%2f..%2fapi%2fmain.js',
      '/dashboard/assets/%2e%2e/%2e%2e/package.json',
      '/dashboard/assets//etc/passwd',
      '/dashboard/assets/constructor',
      '/dashboardx',
      '/Dashboard',
    ];
    for (const path of paths) {
      const { status, headers, bytes } = await ask(baseUrl, path);
      assert.equal(status, 404, path);
      assert.equal((JSON.parse(bytes.toString()) as { code: string }).code, 'not_found');
      assert.equal(headers['cache-control'], 'no-store');
    }
  });

  it('answers 405 for another method, and HEAD with the headers alone', async () => {
    for (const path of ['/dashboard', '/dashboard/config.json', '/dashboard/assets/x.js']) {
      const response = await fetch(`${baseUrl}${path}`, { method: 'POST' });
      assert.equal(response.status, 405);
      assert.equal(response.headers.get('allow'), 'GET, HEAD');
    }
    const socket = await openConnection(baseUrl);
    socket.write('HEAD /dashboard HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    const { status, body } = readAnswer(await hearAll(socket)) ?? assert.fail();
    assert.deepEqual([status, body], [200, '']);
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

/** Where the root leads. */
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
      await api.stop();
    });
});
