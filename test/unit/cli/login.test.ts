import assert from 'node:assert/strict';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CliContext } from '../../../cli/src/io/context.ts';
import type { Renewal, Tokens } from '../../../cli/src/io/tokens.ts';
import { API_KEY, emptyFolder, type FakeClient, srs, TOKEN } from './terminal.ts';

const baseUrl = 'https://routing.example.com';
const renewal: Renewal = {
  issuer: 'https://id.example.com',
  clientId: 'dashboard',
  refreshToken: 'canary-refresh-token',
  expiresAt: '1970-01-01T00:10:00.000Z',
};
const tokens: Tokens = { dashboardToken: TOKEN, renewal };
const verificationUri = 'https://id.example.com/device';
const completeUri = `${verificationUri}?user_code=WDJB-MJHT`;

/** An identity provider with a device flow that ends so. */
const identityOf = (
  outcome: Tokens | 'refused' | 'expired',
  more: Partial<CliContext['identity']> = {},
): CliContext['identity'] => ({
  begin: async () => ({
    userCode: 'WDJB-MJHT',
    verificationUri,
    completeUri,
    wait: async () => outcome,
  }),
  renew: () => Promise.reject(new Error('not asked')),
  revoke: () => Promise.resolve(),
  ...more,
});

const client: FakeClient = {
  me: () => Promise.reject(new Error('not asked')),
  providers: { list: () => Promise.resolve({ items: [] }) },
};
const login = `login --base-url ${baseUrl}`;
const env = {};
const folderOf = (homeFolder: string) => join(homeFolder, '.config/storage-routing');
const keptIn = async (homeFolder: string) =>
  JSON.parse(await readFile(join(folderOf(homeFolder), 'credentials.json'), 'utf8')) as unknown;

/** The flow as it ends by an agreement, by a refusal and at the provider is in test/integration/cli/login.test.ts. */
describe('srs login by the device flow', () => {
  it('opens the page with the code on a terminal, and asks for the key', async () => {
    const homeFolder = await emptyFolder();
    const opened: string[] = [];
    const ran = await srs(login, {
      identity: identityOf({ dashboardToken: TOKEN, renewal: undefined }),
      client: { ...client, me: () => Promise.resolve({} as never) },
      openUrl: (url) => Promise.resolve(opened.push(url) > 0),
      answers: [`${API_KEY}\r`],
      env,
      homeFolder,
    });
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.deepEqual(opened, [completeUri]);
    const kept = { baseUrl, apiKey: API_KEY, dashboardToken: TOKEN };
    assert.deepEqual(await keptIn(homeFolder), kept);
  });

  it('keeps nothing where the code has expired', async () => {
    const homeFolder = await emptyFolder();
    const ran = await srs(`${login} --json`, { identity: identityOf('expired'), env, homeFolder });
    assert.equal(ran.exitCode, 4);
    assert.match(ran.stderr, /\{"error":"the code has expired","code":"login_failed"\}\n$/);
    await assert.rejects(stat(folderOf(homeFolder)), { code: 'ENOENT' });
  });

  it('asks for the token where the identity provider has none, or does not answer', async () => {
    for (const begin of [
      () => Promise.resolve(undefined),
      () => Promise.reject(new Error('fetch failed')),
    ]) {
      const homeFolder = await emptyFolder();
      const identity = identityOf('refused', { begin });
      const answers = ['\r', `${TOKEN}\r`];
      const ran = await srs(login, { identity, client, env, homeFolder, answers });
      assert.equal(ran.exitCode, 0, ran.stderr);
      assert.deepEqual(await keptIn(homeFolder), { baseUrl, dashboardToken: TOKEN });
      assert.equal((await srs(`${login} --json`, { identity, client, env })).exitCode, 2);
    }
  });
});

describe('a login that is renewed', () => {
  const [refreshToken, expiresAt] = ['canary-second-refresh', '1970-01-01T02:00:00.000Z'];
  const second = { ...renewal, refreshToken, expiresAt };
  const renewed: Tokens = { dashboardToken: 'canary-second-token', renewal: second };

  for (const [what, seconds, expected, renewals] of [
    ['sends the token while it lasts', 539, tokens, 0],
    ['is renewed once for parallel calls, a minute before it expires', 541, renewed, 1],
  ] as const)
    it(what, async () => {
      const homeFolder = await emptyFolder();
      await srs(login, { identity: identityOf(tokens), client, env, homeFolder });
      let asked = 0;
      const renew = async () => {
        asked += 1;
        return renewed;
      };
      const { options } = await srs('connections', {
        identity: identityOf('refused', { renew }),
        client: { scanner: { connections: () => Promise.resolve({ items: [] }) } },
        now: () => seconds * 1_000,
        env,
        homeFolder,
      });
      const token = options?.dashboardToken;
      assert.ok(typeof token === 'function');
      const got = await Promise.all([1, 2, 3].map(async () => await token()));
      assert.deepEqual([new Set(got), asked], [new Set([expected.dashboardToken]), renewals]);
      assert.deepEqual(await keptIn(homeFolder), { baseUrl, ...expected });
    });

  it('sends no token of a later login at another address, and none after a logout', async () => {
    const homeFolder = await emptyFolder();
    await srs(login, { identity: identityOf(tokens), client, env, homeFolder });
    const { options } = await srs('connections', {
      client: { scanner: { connections: () => Promise.resolve({ items: [] }) } },
      env,
      homeFolder,
    });
    const token = options?.dashboardToken;
    assert.ok(typeof token === 'function');
    assert.equal(await token(), TOKEN);
    const path = join(folderOf(homeFolder), 'credentials.json');
    const later = { baseUrl: 'https://elsewhere.example.com', dashboardToken: 'canary-other' };
    await writeFile(path, JSON.stringify(later), { mode: 0o600 });
    await assert.rejects(async () => await token(), { code: 'no_base_url' });
    await rm(path);
    await assert.rejects(async () => await token(), { code: 'no_base_url' });
  });

  it('ends at the identity provider with srs logout, also where that does not answer', async () => {
    for (const isDown of [false, true]) {
      const homeFolder = await emptyFolder();
      const ended: Renewal[] = [];
      const revoke = async (what: Renewal) => {
        ended.push(what);
        if (isDown) throw new Error('down');
      };
      const identity = identityOf(tokens, { revoke });
      await srs(login, { identity, client, env, homeFolder });
      const ran = await srs('logout', { identity, env, homeFolder });
      assert.deepEqual([ran.exitCode, ended], [0, [renewal]]);
      assert.equal(ran.stderr.includes('could not be reached'), isDown);
      await assert.rejects(keptIn(homeFolder), { code: 'ENOENT' });
    }
  });
});
