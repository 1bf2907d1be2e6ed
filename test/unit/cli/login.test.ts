import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { CliContext } from '../../../cli/src/io/context.ts';
import type { DeviceCode, Renewal, Tokens } from '../../../cli/src/io/tokens.ts';
import { API_KEY, emptyFolder, type FakeClient, srs, TOKEN } from './terminal.ts';

const baseUrl = 'https://routing.example.com';
const renewal: Renewal = {
  issuer: 'https://id.example.com',
  clientId: 'dashboard',
  refreshToken: 'canary-refresh-token',
  expiresAt: '1970-01-01T00:10:00.000Z',
};

/** An identity provider with a device flow that ends so. */
function identityOf(
  outcome: Tokens | 'refused' | 'expired' | Error,
  more: Partial<CliContext['identity']> = {},
): CliContext['identity'] {
  const code: DeviceCode = {
    userCode: 'WDJB-MJHT',
    verificationUri: 'https://id.example.com/device',
    completeUri: 'https://id.example.com/device?user_code=WDJB-MJHT',
    wait: () => (outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome)),
  };
  return {
    begin: () => Promise.resolve(code),
    renew: () => Promise.reject(new Error('not asked')),
    revoke: () => Promise.resolve(),
    ...more,
  };
}

const client: FakeClient = {
  me: () => Promise.reject(new Error('not asked')),
  providers: { list: () => Promise.resolve({ items: [] }) },
};
const login = `login --base-url ${baseUrl}`;
const env = {};

async function keptIn(homeFolder: string): Promise<unknown> {
  const path = join(homeFolder, '.config/storage-routing/credentials.json');
  return JSON.parse(await readFile(path, 'utf8'));
}

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
    assert.deepEqual(opened, ['https://id.example.com/device?user_code=WDJB-MJHT']);
    const kept = { baseUrl, apiKey: API_KEY, dashboardToken: TOKEN };
    assert.deepEqual(await keptIn(homeFolder), kept);
  });

  it('keeps nothing where the code has expired', async () => {
    const homeFolder = await emptyFolder();
    const ran = await srs(`${login} --json`, { identity: identityOf('expired'), env, homeFolder });
    assert.equal(ran.exitCode, 4);
    const failure = '{"error":"the code has expired","code":"login_failed"}\n';
    assert.ok(ran.stderr.endsWith(failure), ran.stderr);
    await assert.rejects(stat(join(homeFolder, '.config')), { code: 'ENOENT' });
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
      const scripted = await srs(`${login} --json`, { identity, client, env });
      assert.equal(scripted.exitCode, 2);
    }
  });
});

describe('a login that is renewed', () => {
  const renewed: Tokens = {
    dashboardToken: 'canary-second-token',
    renewal: {
      ...renewal,
      refreshToken: 'canary-second-refresh',
      expiresAt: '1970-01-01T02:00:00.000Z',
    },
  };

  /** The tokens that the client gets at these times, in seconds since 1970. */
  async function tokensAt(seconds: number, calls: number): Promise<[string[], number, unknown]> {
    const homeFolder = await emptyFolder();
    const first = identityOf({ dashboardToken: TOKEN, renewal });
    await srs(login, { identity: first, client, env, homeFolder });
    let renewals = 0;
    const renew = async (): Promise<Tokens> => {
      renewals += 1;
      return renewed;
    };
    const ran = await srs('connections', {
      identity: identityOf('refused', { renew }),
      client: { scanner: { connections: () => Promise.resolve({ items: [] }) } },
      now: () => seconds * 1_000,
      env,
      homeFolder,
    });
    const token = ran.options?.dashboardToken;
    assert.ok(typeof token === 'function');
    const tokens = await Promise.all(Array.from({ length: calls }, async () => await token()));
    return [tokens, renewals, await keptIn(homeFolder)];
  }

  it('sends the token while it lasts, and renews it once for parallel calls a minute before it expires', async () => {
    const kept = { baseUrl, dashboardToken: TOKEN, renewal };
    assert.deepEqual(await tokensAt(539, 2), [[TOKEN, TOKEN], 0, kept]);
    const { dashboardToken } = renewed;
    const expected = [Array(3).fill(dashboardToken), 1, { baseUrl, ...renewed }];
    assert.deepEqual(await tokensAt(541, 3), expected);
  });

  it('ends at the identity provider with srs logout, also where that does not answer', async () => {
    for (const isDown of [false, true]) {
      const homeFolder = await emptyFolder();
      const ended: Renewal[] = [];
      const revoke = (what: Renewal): Promise<void> => {
        ended.push(what);
        return isDown ? Promise.reject(new Error('down')) : Promise.resolve();
      };
      const identity = identityOf({ dashboardToken: TOKEN, renewal }, { revoke });
      await srs(login, { identity, client, env, homeFolder });
      const ran = await srs('logout', { identity, env, homeFolder });
      assert.equal(ran.exitCode, 0);
      assert.deepEqual(ended, [renewal]);
      assert.equal(ran.stderr.includes('could not be reached'), isDown);
      await assert.rejects(keptIn(homeFolder), { code: 'ENOENT' });
    }
  });
});
