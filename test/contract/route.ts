import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Route } from '../../api/http/route.ts';
import { Empty } from '../../api/http/schemas.ts';
import { TOKEN, type ApiHarness } from './api-harness.ts';
import { API_KEY } from './described-api.ts';

const EXAMPLES: Readonly<Record<string, string>> = {
  fileId: randomUUID(),
  connectionId: randomUUID(),
  scanId: randomUUID(),
  recommendationId: randomUUID(),
  migrationId: randomUUID(),
  provider: 'r2',
};
const JSON_TYPE = { 'content-type': 'application/json' };
const MAX_BODY_BYTES = 64 * 1024;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export interface ErrorBody {
  readonly error: string;
  readonly code: string;
  readonly details?: { path: string; message: string }[];
}

/** Asserts the error format of an answer, and returns its body. */
export async function errorOf(answer: Response, status: number, code: string): Promise<ErrorBody> {
  const text = await answer.text();
  assert.equal(answer.status, status, text);
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
  assert.ok(answer.headers.get('x-request-id'));
  const body = JSON.parse(text) as ErrorBody;
  assert.equal(body.code, code);
  assert.deepEqual(
    Object.keys(body).filter((name) => !['error', 'code', 'details'].includes(name)),
    [],
  );
  assert.ok(body.error.length > 0);
  return body;
}

/** The suite that runs for every route. */
export function routeAuthSuite(route: Route, harness: () => ApiHarness): void {
  const { method, path, auth } = route;
  const pathWith = (values: Readonly<Record<string, string>>) =>
    path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => values[name] ?? assert.fail(name));
  const send = (
    headers: Readonly<Record<string, string>>,
    options: { method?: string; path?: string; body?: RequestInit['body'] } = {},
  ) =>
    fetch(`${harness().origin}${options.path ?? pathWith(EXAMPLES)}`, {
      method: options.method ?? method,
      headers,
      ...(options.body === undefined ? {} : { body: options.body, duplex: 'half' }),
    });
  const allowed = () => harness().authorization(auth);
  const json = () => ({ ...allowed(), ...JSON_TYPE });

  describe(`${method} ${path}`, () => {
    beforeEach(() => void harness().touched.splice(0));
    const nothingWasAsked = () => assert.deepEqual(harness().touched, []);

    if (auth !== 'none') {
      const wrong: Readonly<Record<string, string>> = {
        'no header': '',
        'another scheme': 'Basic YTpi',
        'no secret': 'Bearer',
        'a malformed secret': 'Bearer not-a-secret',
        'two secrets': `Bearer ${API_KEY} ${TOKEN}`,
        'an unknown key': `Bearer svc_test_${randomUUID()}`,
        'a key of the other mode': `Bearer ${API_KEY.replace('_test_', '_live_')}`,
        'a key in capitals': `Bearer ${API_KEY.toUpperCase()}`,
        'the other kind of secret': `Bearer ${auth === 'apiKey' ? TOKEN : API_KEY}`,
      };
      for (const [what, authorization] of Object.entries(wrong)) {
        it(`answers 401 to ${what}, before it looks at anything else`, async () => {
          const headers = {
            ...(authorization === '' ? {} : { authorization }),
            'content-type': 'text/plain',
          };
          const answer = await send(headers, {
            path: `${path.replaceAll(/\{\w+\}/g, 'no-such-id')}?unknown=1`,
            ...(method === 'GET' ? {} : { body: '{' }),
          });
          assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
          await errorOf(answer, 401, 'unauthorized');
          nothingWasAsked();
        });
      }
    }

    it('keeps a well-formed X-Request-ID, and replaces any other', async () => {
      const idOf = async (given: string) => {
        const answer = await send({ ...allowed(), 'x-request-id': given });
        await answer.arrayBuffer();
        return answer.headers.get('x-request-id') ?? '';
      };
      for (const given of ['a', 'A-b_c.9', 'x'.repeat(128)]) assert.equal(await idOf(given), given);
      for (const given of ['', ' ', 'a b', 'a/b', 'é', '"a"', 'x'.repeat(129)])
        assert.match(await idOf(given), UUID);
    });

    it('answers 400 to an unknown query parameter, and names it', async () => {
      const answer = await send(json(), { path: `${pathWith(EXAMPLES)}?unknown=1&__proto__=2` });
      const { details = [] } = await errorOf(answer, 400, 'invalid_request');
      assert.deepEqual(details.map((detail) => detail.path).sort(), ['/__proto__', '/unknown']);
      nothingWasAsked();
    });

    it('answers 405 to another method, with the allowed methods', async () => {
      for (const other of ['PATCH', 'PUT', 'OPTIONS']) {
        const answer = await send(allowed(), { method: other });
        const methods = (answer.headers.get('allow') ?? '').split(', ');
        assert.ok(methods.includes(method), methods.join());
        assert.equal(methods.includes('HEAD'), methods.includes('GET'));
        assert.equal(new Set(methods).size, methods.length);
        await errorOf(answer, 405, 'method_not_allowed');
      }
    });

    it('answers 404 to its path with anything added', async () => {
      for (const other of [`${pathWith(EXAMPLES)}/`, `${pathWith(EXAMPLES)}/more/than/this`])
        await errorOf(await send(allowed(), { path: other }), 404, 'not_found');
    });

    if (route.params) {
      it('answers 400 to a malformed id', async () => {
        for (const bad of ['nonsense', '%00', '%E0%A4%A', 'a%2Fb', '..%2F..', '{"$ne":null}']) {
          const answer = await send(allowed(), { path: path.replaceAll(/\{\w+\}/g, bad) });
          await errorOf(answer, 400, 'invalid_request');
          nothingWasAsked();
        }
      });
    }

    if (!route.body) return;

    const { maxBytes } = route.signed ?? { maxBytes: MAX_BODY_BYTES };
    it(`answers 413 to a body over ${maxBytes / 1024} KiB, with and without a length`, async () => {
      const large = Buffer.from(JSON.stringify({ a: 'x'.repeat(maxBytes) }));
      await errorOf(await send(json(), { body: large }), 413, 'payload_too_large');
      const stream = new Blob([large]).stream();
      await errorOf(await send(json(), { body: stream }), 413, 'payload_too_large');
      nothingWasAsked();
    });

    it('answers 415 to a body that is not JSON', async () => {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml']) {
        const answer = await send({ ...allowed(), 'content-type': type }, { body: '{}' });
        await errorOf(answer, 415, 'unsupported_media_type');
      }
      const packed = await send({ ...json(), 'content-encoding': 'gzip' }, { body: '{}' });
      await errorOf(packed, 415, 'unsupported_media_type');
      nothingWasAsked();
    });

    it('answers 400 to broken JSON, to what is no object, and to unknown fields', async () => {
      const bodies = ['{', 'nope', '[]', '"a"', '1', 'null', '{"__proto__":1}', '{"unknown":1}'];
      for (const body of [...bodies, Buffer.from([0x22, 0xff, 0x22])])
        await errorOf(await send(json(), { body }), 400, 'invalid_request');
      nothingWasAsked();
    });

    if (route.body !== Empty) {
      it('answers 400 where the body is missing', async () => {
        await errorOf(await send(json()), 400, 'invalid_request');
        await errorOf(await send(json(), { body: '{}' }), 400, 'invalid_request');
        nothingWasAsked();
      });
    }
  });
}
