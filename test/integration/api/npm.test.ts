import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { takeFreePort } from '../../../dev/system/ports.ts';
import { isHttpUp, isSoon } from '../../../dev/system/probes.ts';

/** Nothing listens there: a process starts and stops without its dependencies. */
const NOWHERE = '127.0.0.1:1';

describe('npm run api', () => {
  it('forwards SIGTERM to the process, which exits with 0', async () => {
    const port = await takeFreePort();
    const npm = spawn('npm', ['run', '--silent', 'api'], {
      cwd: new URL('../../..', import.meta.url),
      stdio: 'ignore',
      env: {
        ...process.env,
        HOST: '127.0.0.1',
        PORT: String(port),
        METRICS_PORT: '0',
        MONGODB_URI: `mongodb://${NOWHERE}`,
        TEMPORAL_ADDRESS: NOWHERE,
        JWT_ISSUER: `http://${NOWHERE}`,
        JWT_AUDIENCE: 'test',
        CREDENTIAL_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      },
    });
    after(() => npm.kill('SIGKILL'));
    const exited = once(npm, 'exit');
    const answer = `http://127.0.0.1:${port}/openapi.json`;
    assert.ok(await isSoon(() => isHttpUp(answer), { withinMs: 60_000 }));
    npm.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null]);
    assert.ok(await isSoon(async () => !(await isHttpUp(answer)), { withinMs: 60_000 }));
  });
});
