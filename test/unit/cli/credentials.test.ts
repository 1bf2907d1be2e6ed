import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { me } from './account-client.ts';
import * as terminal from './terminal.ts';
import { API_KEY, CREDENTIALS, emptyFolder, srs, TOKEN } from './terminal.ts';

const client: terminal.FakeClient = {
  me: async () => me,
  providers: { list: async () => ({ items: [] }) },
};
const baseUrl = 'https://routing.example.com';

/** A home folder with a credentials file at its default path. */
async function homeWith(text: string, mode = 0o600) {
  const homeFolder = await emptyFolder();
  const path = join(homeFolder, '.config/storage-routing/credentials.json');
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text, { mode });
  await chmod(path, mode);
  return { homeFolder, path };
}

const stored = JSON.stringify({ baseUrl, apiKey: API_KEY, dashboardToken: TOKEN });

describe('the source of credentials', () => {
  it('is the environment, then the file that it names, then the one in the configuration folder', async () => {
    const { homeFolder, path } = await homeWith(stored);
    const elsewhere = await emptyFolder();
    for (const [env, home, apiKey] of [
      [{}, homeFolder, API_KEY],
      [{ SRS_CREDENTIALS_FILE: path }, elsewhere, API_KEY],
      [{ XDG_CONFIG_HOME: join(homeFolder, '.config') }, elsewhere, API_KEY],
      [{ SRS_API_KEY: 'other' }, homeFolder, 'other'],
    ] as const) {
      const { options } = await srs('me', { client, env, homeFolder: home });
      assert.deepEqual(options, { baseUrl, apiKey, dashboardToken: TOKEN });
    }
  });

  it('is never the file for another address', async () => {
    const { homeFolder } = await homeWith(stored);
    const elsewhere = 'https://elsewhere.example.com';
    for (const [command, env, kept] of [
      [`me --base-url ${elsewhere}`, {}, []],
      ['me', { SRS_BASE_URL: elsewhere }, []],
      ['me', { SRS_BASE_URL: `${baseUrl}:8443` }, []],
      ['me', { SRS_BASE_URL: `${baseUrl}/` }, [API_KEY, TOKEN]],
    ] as const) {
      const { options } = await srs(command, { client, env, homeFolder });
      assert.deepEqual([options?.apiKey, options?.dashboardToken], [kept[0], kept[1]]);
    }
  });

  it('is no file that others can read or write, nor a link to one', async () => {
    for (const mode of [0o644, 0o640, 0o604, 0o620]) {
      const { homeFolder, path } = await homeWith(stored, mode);
      const link = join(homeFolder, 'link');
      await symlink(path, link);
      for (const env of [{ SRS_CREDENTIALS_FILE: link }, {}]) {
        const ran = await srs('me --json', { client, env, homeFolder });
        assert.deepEqual([ran.exitCode, ran.options], [2, undefined]);
        assert.equal(ran.failures()[0]?.['code'], 'credentials_file_unsafe');
      }
      const onWindows = await srs('me', { client, env: {}, homeFolder, platform: 'win32' });
      assert.equal(onWindows.exitCode, 0);
    }
  });

  it('is no file that is no JSON, no object, of another type or without an address, and its text is not repeated', async () => {
    const [list, unbound] = [{ baseUrl, apiKey: [API_KEY] }, { apiKey: API_KEY }];
    const objects = [[], list, unbound].map((value) => JSON.stringify(value));
    for (const text of [`{"apiKey":"${API_KEY}"`, ...objects]) {
      const { homeFolder } = await homeWith(text);
      const ran = await srs('me --json', { client, env: {}, homeFolder });
      const said = [ran.exitCode, ran.failures()[0]?.['code']];
      assert.deepEqual(said, [2, 'credentials_file_invalid']);
      assert.ok(!ran.stderr.includes(API_KEY));
    }
  });

  for (const [options, code] of [
    ['', 'no_base_url'],
    ['http://10.0.0.1 --insecure', undefined],
    ['http://routing.example.com', 'insecure_base_url'],
    ['http://127.0.0.1.example.com', 'insecure_base_url'],
    ['http://127.example.com', 'insecure_base_url'],
    ['http://10.0.0.1', 'insecure_base_url'],
    ['http://[::2]', 'insecure_base_url'],
    ['https://me:canary@routing.example.com', 'wrong_usage'],
    ['ftp://routing.example.com', 'wrong_usage'],
    ['routing.example.com', 'wrong_usage'],
    ['http://localhost:8080', undefined],
    ['http://127.0.0.1:8080', undefined],
    ['http://[::1]:8080', undefined],
  ] as const) {
    it(`${code === undefined ? 'takes' : 'refuses'} ${options || 'no address'}`, async () => {
      const command = options === '' ? 'me --json' : `me --json --base-url ${options}`;
      const ran = await srs(command, { client, env: { ...CREDENTIALS, SRS_BASE_URL: '' } });
      assert.equal(ran.exitCode, code === undefined ? 0 : 2);
      if (code === undefined) return;
      assert.deepEqual([ran.failures()[0]?.['code'], ran.options], [code, undefined]);
      assert.ok(!ran.stderr.includes('canary'));
    });
  }

  it('is never an argument, and a typed secret is not repeated', async () => {
    for (const command of [
      `me --api-key=${API_KEY}`,
      `me ${API_KEY}`,
      'providers set aws --secret-access-key=canary',
    ]) {
      const ran = await srs(command, { client });
      assert.equal(ran.exitCode, 2);
      assert.ok(!ran.stderr.includes(API_KEY) && !ran.stderr.includes('canary'), ran.stderr);
    }
  });
});

describe('srs login', () => {
  const answers = [`${baseUrl}\r`, `${API_KEY}\r`, `${TOKEN}\r`];

  it('saves accepted credentials, readable by their owner only, without printing them', async () => {
    const homeFolder = await emptyFolder();
    const ran = await srs('login', { client, env: {}, homeFolder, answers });
    assert.equal(ran.exitCode, 0, ran.stderr);
    const path = join(homeFolder, '.config/storage-routing/credentials.json');
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.equal((await stat(dirname(path))).mode & 0o777, 0o700);
    assert.deepEqual(JSON.parse(await readFile(path, 'utf8')), JSON.parse(stored));
    for (const secret of [API_KEY, TOKEN]) assert.ok(!(ran.stdout + ran.stderr).includes(secret));
  });

  it('saves nothing that the service refuses', async () => {
    const homeFolder = await emptyFolder();
    const refusing = { ...client, me: () => Promise.reject(terminal.refusal('unauthorized', 401)) };
    const ran = await srs('login', { client: refusing, env: {}, homeFolder, answers });
    assert.equal(ran.exitCode, 4);
    await assert.rejects(stat(join(homeFolder, '.config')), { code: 'ENOENT' });
  });

  it('writes through a link', async () => {
    const { homeFolder, path } = await homeWith(stored);
    const link = join(homeFolder, 'link');
    await symlink(path, link);
    const env = { SRS_CREDENTIALS_FILE: link };
    await srs('login', { client, env, homeFolder, answers: [`${baseUrl}\r`, 'k2\r', '\r'] });
    assert.deepEqual(JSON.parse(await readFile(path, 'utf8')), { baseUrl, apiKey: 'k2' });
  });

  it('prompts only on a terminal, and ends with 130 on Ctrl-C', async () => {
    assert.equal((await srs('login', { client, env: {} })).exitCode, 2);
    const ran = await srs('login', { client, env: {}, answers: [`${baseUrl}\r`, '\u0003'] });
    assert.equal(ran.exitCode, 130);
  });
});

describe('srs logout', () => {
  it('removes what login has kept, and says what works all the same', async () => {
    const { homeFolder, path } = await homeWith(stored);
    const env = { SRS_API_KEY: API_KEY };
    const ran = await srs('logout', { env, homeFolder });
    assert.deepEqual([ran.exitCode, ran.stdout], [0, `removed ${path}\n`]);
    assert.match(ran.stderr, /srs keys rotate\n.*SRS_API_KEY\n$/s);
    assert.ok(!ran.stderr.includes(API_KEY));
    await assert.rejects(stat(path), { code: 'ENOENT' });
    const again = await srs('logout --json', { env: {}, homeFolder });
    assert.deepEqual([again.exitCode, again.documents()], [0, [{ path, removed: false }]]);
  });

  it('leaves no key behind a link, also in a file that others can read', async () => {
    const { homeFolder, path } = await homeWith(stored);
    await chmod(path, 0o644);
    const link = join(homeFolder, 'link');
    await symlink(path, link);
    const ran = await srs('logout', { env: { SRS_CREDENTIALS_FILE: link }, homeFolder });
    assert.equal(ran.exitCode, 0);
    await assert.rejects(stat(path), { code: 'ENOENT' });
  });
});
