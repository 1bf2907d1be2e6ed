import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Route } from '../../../api/http/route.ts';
import { Document } from '../../../api/http/schemas.ts';
import { AppError, ERROR_CODES, httpStatus } from '../../../domain/common/errors.ts';
import { errorOf, startApi, type ApiHarness } from '../../contract/api-harness.ts';
import { describeApi } from '../../contract/described-api.ts';
import { openConnection } from './raw-client.ts';

/** An open route that does nothing but this. */
function routeOf(path: string, handle: Route['handle']): Route {
  const texts = { summary: 'Tested', description: 'Tested.' };
  const replies = { 200: Document };
  return { method: 'GET', path, auth: 'none', ...texts, replies, refusals: [], handle };
}
const failing = (path: string, fail: () => unknown) =>
  routeOf(path, async () => {
    throw fail();
  });

/** More than one account may read at once. */
const LEAVING = 20;

const SECRET = 'mongodb://user:hunter2@db.internal/app';
const DEFECTS: Readonly<Record<string, () => unknown>> = {
  error: () => new Error(SECRET),
  type: () => new TypeError(`Cannot read ${SECRET}`),
  status: () => Object.assign(new Error(SECRET), { status: 404, expose: true }),
  cause: () => new Error('outer', { cause: new Error(SECRET) }),
  text: () => SECRET,
  nothing: () => undefined,
};

describe('the routes of the service', () => {
  const table = describeApi();
  let harness: ApiHarness;
  let begin: Promise<void> = Promise.resolve();
  before(async () => {
    harness = await startApi([
      // Its streamed answer begins after a wait.
      routeOf('/stream', async () => {
        await begin;
        return { status: 200, body: Readable.from(['{}']) };
      }),
      ...Object.entries(DEFECTS).map(([name, fail]) => failing(`/defect/${name}`, fail)),
      failing('/outage', () => new Error(`outage of ${SECRET}`)),
      ...ERROR_CODES.map((code) =>
        failing(`/code/${code}`, () => new AppError(code, undefined, { cause: new Error(SECRET) })),
      ),
    ]);
    for (const [index, { method, path }] of table.entries())
      assert.deepEqual(
        [harness.routes[index]?.method, harness.routes[index]?.path],
        [method, path],
      );
  });
  after(() => harness.close());
  const get = (path: string) => fetch(`${harness.origin}${path}`);

  it('are refused to a malformed or unsent credential before anything else is read', async () => {
    for (const { method, path } of table.filter(({ auth }) => auth !== 'none')) {
      const at = `${harness.origin}${path.replaceAll(/\{\w+\}/g, 'no-such-id')}?unknown=1`;
      for (const headers of [{}, { authorization: 'Bearer not-a-secret' }] as const) {
        harness.touched.splice(0);
        const answer = await fetch(at, { method, headers });
        await errorOf(answer, 401, 'unauthorized');
        assert.deepEqual(harness.touched, [], `${method} ${path}`);
      }
    }
  });

  it('stream to later callers, however many have disconnected before their answer began', async () => {
    let release = () => {};
    begin = new Promise((resolve) => (release = resolve));
    const closed: Promise<unknown>[] = [];
    const note = (_request: unknown, response: ServerResponse) =>
      closed.push(once(response, 'close'));
    harness.server.on('request', note);
    const sockets = await Promise.all(
      Array.from({ length: LEAVING }, () => openConnection(harness.origin)),
    );
    for (const socket of sockets) socket.write('GET /stream HTTP/1.1\r\nhost: a\r\n\r\n');
    while (closed.length < LEAVING) await setImmediate();
    harness.server.off('request', note);
    for (const socket of sockets) socket.destroy();
    await Promise.all(closed);
    release();
    for (let call = 0; call < 10; call += 1)
      assert.equal((await get('/stream')).status, 200, `call ${call}`);
  });

  // spec: errors.other-codes
  it('answers 500 to any defect, without a word of its cause', async () => {
    for (const name of Object.keys(DEFECTS)) {
      const body = await errorOf(await get(`/defect/${name}`), 500, 'internal_error');
      const error = 'Something went wrong on our side.';
      assert.deepEqual(body, { error, code: 'internal_error' }, name);
    }
  });

  // spec: errors.other-codes
  it('answers 503 to an outage, with a time to try again', async () => {
    const answer = await get('/outage');
    assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    const { error } = await errorOf(answer, 503, 'unavailable');
    assert.ok(!error.includes('hunter2'));
  });

  for (const code of ERROR_CODES) {
    // spec: error-body.fields, errors.body, errors.other-codes
    it(`answers ${httpStatus(code)} for ${code}, without its cause`, async () => {
      const answer = await get(`/code/${code}`);
      assert.equal(answer.headers.has('www-authenticate'), code === 'unauthorized');
      const passes = ['unavailable', 'rate_limited'].includes(code);
      assert.equal(answer.headers.has('retry-after'), passes);
      const body = await errorOf(answer, httpStatus(code), code);
      assert.ok(!JSON.stringify(body).includes('hunter2'));
    });
  }
});
