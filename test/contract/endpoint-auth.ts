import assert from 'node:assert/strict';
import { addressOf, nameOf, type Endpoint } from '../acceptance/endpoints.ts';
import { one } from '../acceptance/tenant.ts';
import { call, requireRefusal } from '../acceptance/wire.ts';

/** Who may call, for every endpoint. The full matrix of broken credentials is in `integration/owasp/api2`. */
// spec: auth.api-key, auth.dashboard, auth.unauthorized, endpoint.*, endpoints.auth
// spec: endpoints.auth-jwt, errors.unauthorized
export function endpointAuthSuite(endpoint: Endpoint): void {
  describe(`${nameOf(endpoint)} asks who is calling`, () => {
    if (endpoint.body === 'signed') signedSuite(endpoint);
    else if (endpoint.auth === 'none') openSuite(endpoint);
    else guardedSuite(endpoint, endpoint.auth);
  });
}

function openSuite(endpoint: Endpoint): void {
  it('answers without credentials, and with unknown ones', async () => {
    for (const options of [{}, { token: 'unknown' }])
      assert.equal((await call(endpoint.method, addressOf(endpoint), options)).status, 200);
  });
}

/** Who sends there signs the body, so credentials change nothing. */
function signedSuite(endpoint: Endpoint): void {
  const json = { id: 'evt_1', type: 'customer.subscription.created' };
  for (const headers of [{}, { authorization: 'Bearer unknown' }] as const) {
    it(`refuses an unsigned request, with ${Object.keys(headers).length} credentials`, async () => {
      const answer = await call(endpoint.method, addressOf(endpoint), { headers, json });
      assert.ok([400, 503].includes(answer.status), `answered ${answer.status}`);
      const code = answer.status === 400 ? 'invalid_request' : 'billing_not_configured';
      requireRefusal(answer, answer.status, code);
    });
  }
}

function guardedSuite(endpoint: Endpoint, auth: 'apiKey' | 'dashboard'): void {
  const json = endpoint.body === 'none' ? {} : { json: {} };
  const right = () => (auth === 'apiKey' ? one.key() : Promise.resolve(one.dashboard()));
  const other = () => (auth === 'apiKey' ? Promise.resolve(one.dashboard()) : one.key());

  it('lets the right credentials through to the next check', async () => {
    const token = await right();
    const path = `${addressOf(endpoint)}?unknown=1`;
    const answer = await call(endpoint.method, path, { token, ...json });
    requireRefusal(answer, 400, 'invalid_request');
  });

  it('refuses a call without credentials, with malformed ones, and with those of the other kind', async () => {
    const secret = await right();
    for (const authorization of [
      undefined,
      'Bearer',
      'Bearer a.b.c',
      `Basic ${secret}`,
      `Bearer ${secret} ${secret}`,
      `Bearer ${secret.slice(0, -1)}`,
      `Bearer ${await other()}`,
    ]) {
      const headers = authorization === undefined ? {} : { authorization };
      const answer = await call(endpoint.method, addressOf(endpoint), { headers, ...json });
      requireRefusal(answer, 401, 'unauthorized');
      assert.equal(answer.headers['www-authenticate'], 'Bearer');
    }
  });
}
