import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { call } from '../../harness/customer.ts';
import { localService } from '../../servers.ts';
import { createAttacker, type Attacker } from './attack.ts';

interface Package {
  readonly dependencies: Readonly<Record<string, string>>;
  /** Of the lock file. */
  readonly packages: Readonly<Record<string, { version: string; integrity?: string }>>;
}

/** That nothing else answers: `acceptance/requests`. */
describe('API5, API9: what the service serves', () => {
  let someone: Attacker;
  let baseUrl: string;
  before(async () => {
    ({ baseUrl } = await localService());
    someone = await createAttacker();
  });

  it('is not reached by an override of the method, or another spelling of the path', async () => {
    const headers = {
      authorization: `Bearer ${someone.apiKey}`,
      'x-http-method-override': 'DELETE',
      'x-original-url': '/v1/providers',
      'x-rewrite-url': '/v1/providers',
    };
    const me = await fetch(`${baseUrl}/v1/me`, { headers });
    assert.deepEqual(Object.keys((await me.json()) as object)[0], 'accountId');
    for (const path of [
      '/v1/Providers',
      '/v1/providers/',
      '/v1//providers',
      '/v1/providers;a',
      '/v1/%70roviders/x/y',
    ]) {
      const { status } = await call(baseUrl, `GET ${path}`, { bearer: someone.apiKey });
      assert.ok([401, 404, 405].includes(status), `${path} was answered with ${status}`);
    }
  });

  it('has its metrics on a port of its own, with no path but those', async () => {
    const { apis } = await localService();
    const url = apis[0]?.metricsUrl ?? assert.fail();
    const metrics = await fetch(`${url}/metrics`);
    assert.equal(metrics.status, 200);
    assert.ok(!(await metrics.text()).includes(someone.accountId), 'no account is a label');
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
