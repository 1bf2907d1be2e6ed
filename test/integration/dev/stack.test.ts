import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readApiConfig } from '../../../config/api.ts';
import { readWorkerConfig } from '../../../config/worker.ts';
import { isHttpAnswering, isHttpUp, isSoon } from '../../../dev/system/probes.ts';
import { silentProgress } from '../../../dev/system/progress.ts';
import { startStack } from '../../../dev/stack.ts';
import { exitOf, readUntil, ROOT, runTypeScript } from './fixtures/run.ts';

/** What only tests and people read. */
const FOR_TESTS = [
  ['AWS_CONTROL_URL', 'CUSTOMER_ROLE_ARN', 'CUSTOMER_EXTERNAL_ID', 'DASHBOARD_TOKEN'],
  ['IDENTITY_TOKEN_URL', 'IDENTITY_CLIENT_ID', 'IDENTITY_CLIENT_SECRET'],
  ['DASHBOARD_TOKEN_OTHER'],
].flat();

const addressesOf = (values: Record<string, string>) =>
  ['TEMPORAL_UI_URL', 'PROVIDER_ENDPOINT_R2', 'JWT_JWKS_URL', 'AWS_CONTROL_URL'].map(
    (key) => values[key] ?? '',
  );

async function areAllSilent(values: Record<string, string>): Promise<boolean> {
  const answers = () => Promise.all(addressesOf(values).map(isHttpAnswering));
  const isSilent = async () => !(await answers()).includes(true);
  return await isSoon(isSilent, { withinMs: 60_000, everyMs: 100 });
}

function parse(text: string): Record<string, string> {
  const lines = text.trimEnd().split('\n');
  assert.equal(lines.pop(), 'READY');
  for (const line of lines) assert.match(line, /^[A-Z][A-Z0-9_]*=\S+$/);
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/)));
}

describe('the stack', function () {
  // The first run on a machine may have to build a server.
  this.timeout(20 * 60_000);

  it('prints variables that suit an API and a worker, READY last, and ends with everything at SIGTERM', async () => {
    const child = runTypeScript('dev/stack-command.ts');
    const values = parse(await readUntil(child, /^READY$/m));
    readApiConfig(values);
    readWorkerConfig({ ...values, WORKER_QUEUES: 'uploads' });
    for (const key of FOR_TESTS) assert.ok(values[key], key);
    for (const url of addressesOf(values)) assert.ok(await isHttpAnswering(url), url);
    assert.ok(await isHttpUp(values['TEMPORAL_UI_URL'] ?? ''));
    child.kill('SIGTERM');
    assert.equal(await exitOf(child), 0);
    assert.ok(await areAllSilent(values));
  });

  it('ends where the npm that runs it is killed', async () => {
    const npm = spawn('npm', ['run', '--silent', 'stack'], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const values = parse(await readUntil(npm, /^READY$/m));
    npm.kill('SIGKILL');
    assert.ok(await areAllSilent(values));
  });

  it('starts nothing whose address is given, and asks for what belongs to an address', async () => {
    const store = (name: string) => ({
      [`PROVIDER_ENDPOINT_${name}`]: 'http://127.0.0.1:1',
      [`STORE_${name}_ACCESS_KEY_ID`]: 'id',
      [`STORE_${name}_SECRET_ACCESS_KEY`]: 'secret',
      [`STORE_${name}_BUCKET`]: 'bucket',
    });
    const given = {
      MONGODB_URI: 'mongodb://127.0.0.1:1',
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      ...store('AWS'),
      ...store('R2'),
      ...store('B2'),
      STORE_R2_ACCOUNT_ID: 'f'.repeat(32),
      JWT_ISSUER: 'http://127.0.0.1:1',
      JWT_AUDIENCE: 'api',
      DASHBOARD_TOKEN: 'token',
    };
    const stack = await startStack({ progress: silentProgress, given });
    const { mongodb, temporal, r2, b2, cloud, identity } = stack;
    for (const started of [mongodb, temporal, r2, b2, cloud, identity]) assert.equal(started, null);
    for (const [key, value] of Object.entries(given)) assert.equal(stack.environment[key], value);
    await stack.stop();
    const incomplete = { ...given, STORE_B2_BUCKET: '', STORE_B2_ACCESS_KEY_ID: '' };
    await assert.rejects(
      startStack({ progress: silentProgress, given: incomplete }),
      /STORE_B2_ACCESS_KEY_ID, STORE_B2_BUCKET/,
    );
  });
});
