import assert from 'node:assert/strict';
import { call } from '../../harness/customer.ts';
import { localService } from '../../servers.ts';
import { createAttacker, type Attacker } from './attack.ts';

/** What an administration or a framework would have, and this service has not. */
const NOT_SERVED = [
  '/admin',
  '/v1/admin',
  '/v1/accounts',
  '/v1/account/plan',
  '/v1/plans',
  '/v1/users',
  '/v1/internal/sweep',
  '/metrics',
  '/debug',
  '/v1/scanner/migrations/all',
];

describe('API5: a function of the other kind of caller', () => {
  let someone: Attacker;
  let baseUrl: string;
  before(async () => {
    ({ baseUrl } = await localService());
    someone = await createAttacker();
  });

  it('is not reached by another method, an override or a spelling of the path', async () => {
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

  it('is not served where it is an operator\u2019s', async () => {
    for (const path of NOT_SERVED)
      for (const method of ['GET', 'POST'])
        for (const bearer of [someone.token, someone.apiKey]) {
          const { status } = await call(baseUrl, `${method} ${path}`, { bearer });
          assert.equal(status, 404, `${method} ${path}`);
        }
  });
});
