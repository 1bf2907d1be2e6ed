import assert from 'node:assert/strict';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IdentityProvider } from '../../../dev/identity/identity.ts';
import { TOKEN_TTL_SECONDS } from '../../../dev/identity/identity-server.ts';
import type { Credentials } from '../../../cli/src/io/credentials.ts';
import { enterDeviceCode } from '../../harness/device-login.ts';
import { localServers, localService } from '../../servers.ts';
import { buildCommandLine, type CommandLine, commandLineIn, type Running } from './command-line.ts';

describe('srs login by the identity provider', () => {
  let identity: IdentityProvider;
  let baseUrl: string;
  let folder: string;
  let path: string;
  let srs: CommandLine;
  before(async () => {
    const [{ stack }, service] = await Promise.all([
      localServers(),
      localService(),
      buildCommandLine(),
    ]);
    ({ baseUrl } = service);
    identity = stack.identity ?? assert.fail('the identity provider is elsewhere');
    folder = await mkdtemp(join(tmpdir(), 'srs-login-'));
    path = join(folder, 'credentials.json');
    srs = commandLineIn(folder, { SRS_CREDENTIALS_FILE: path });
  });
  after(async () => {
    identity.setUserTokenSeconds(TOKEN_TTL_SECONDS);
    await rm(folder, { recursive: true });
  });

  const readKept = async (): Promise<Credentials> =>
    JSON.parse(await readFile(path, 'utf8')) as Credentials;

  /** What the person reads in the terminal. */
  async function codeOf(running: Running): Promise<{ uri: string; code: string }> {
    for (;;) {
      const [, uri, code] = /open (\S+) and enter the code (\S+)\n/.exec(running.stderr()) ?? [];
      if (uri !== undefined && code !== undefined) return { uri, code };
      await Promise.race([running.moreStderr(), running.ended]);
      assert.match(running.stderr(), /enter the code/);
    }
  }

  it('keeps what the person agreed to in a browser; renews it; forgets it', async () => {
    // So short that each command has to renew it.
    identity.setUserTokenSeconds(30);
    const running = srs.start(['login', '--base-url', baseUrl, '--json']);
    const { uri, code } = await codeOf(running);
    assert.match(await enterDeviceCode(uri, code, 'alice'), /Logged in/);
    const ran = await running.ended;
    assert.deepEqual([ran.exitCode, ran.document()], [0, { savedTo: path, baseUrl }], ran.stderr);
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    const first = await readKept();
    assert.ok(first.dashboardToken !== undefined && first.renewal !== undefined);

    const account = await srs.run(['account', '--json']);
    assert.equal(account.document()['accountId'], 'acme', account.stderr);
    const second = await readKept();
    assert.notEqual(second.dashboardToken, first.dashboardToken);
    // Two calls at once share a renewal.
    const usage = await srs.run(['usage', '--json']);
    assert.equal(usage.exitCode, 0, usage.stderr);

    const { renewal } = await readKept();
    assert.equal((await srs.run(['logout', '--json'])).document()['removed'], true);
    await assert.rejects(stat(path), { code: 'ENOENT' });
    await writeFile(path, JSON.stringify({ ...second, renewal }));
    await chmod(path, 0o600);
    const ended = await srs.run(['account', '--json']);
    assert.deepEqual([ended.exitCode, ended.failure()['code']], [4, 'no_credentials']);
    assert.match(String(ended.failure()['error']), /could not be renewed; log in with: srs login$/);
    await rm(path);
    for (const secret of [first.dashboardToken, second.dashboardToken, renewal?.refreshToken])
      assert.ok(!srs.written().includes(secret ?? assert.fail()));
  });

  it('keeps nothing where the person refuses', async () => {
    const running = srs.start(['login', '--base-url', baseUrl, '--json']);
    const { uri, code } = await codeOf(running);
    await enterDeviceCode(uri, code, undefined);
    const ran = await running.ended;
    assert.equal(ran.exitCode, 4, ran.stderr);
    assert.match(ran.stderr, /"error":"the login was refused","code":"login_failed"/);
    await assert.rejects(stat(path), { code: 'ENOENT' });
  });
});
