import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { addressOf, methodsOf, nameOf, type Endpoint } from '../acceptance/endpoints.ts';
import { one } from '../acceptance/tenant.ts';
import { call, requireRefusal, type CallOptions, type ErrorBody } from '../acceptance/wire.ts';

const MAX_BODY_BYTES = 64 * 1024;
const MAX_SIGNED_BYTES = 1024 * 1024;
const JSON_TYPE = { 'content-type': 'application/json' };
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'QUERY', 'TRACE'];

/** The request format suite, for every endpoint. The rules of bodies in full run for one endpoint of each kind. */
// spec: endpoint.*, endpoints.json-bodies, service.no-bytes-pass-through
export function endpointFormSuite(endpoint: Endpoint, isInFull: boolean): void {
  const send = async (options: CallOptions = {}, path = addressOf(endpoint)) => {
    const token =
      endpoint.auth === 'none'
        ? {}
        : { token: endpoint.auth === 'apiKey' ? await one.key() : one.dashboard() };
    return call(endpoint.method, path, { ...token, ...options });
  };
  const body = endpoint.body === 'none' ? {} : { json: {} };

  describe(`${nameOf(endpoint)} refuses what is not in its form`, () => {
    it('refuses unknown query parameters', async () => {
      for (const query of ['unknown=1', 'unknown', 'cursor=1', '__proto__=1', 'fileId=1&x=2'])
        requireRefusal(await send(body, `${addressOf(endpoint)}?${query}`), 400, 'invalid_request');
    });

    it('answers other methods with 405 and the allowed methods', async () => {
      const allowed = methodsOf(endpoint.path);
      for (const method of METHODS.filter((name) => !allowed.includes(name))) {
        const token = endpoint.auth === 'dashboard' ? one.dashboard() : await one.key();
        const answer = await call(method, addressOf(endpoint), { token });
        assert.equal(answer.status, 405, `${method} was answered with ${answer.status}`);
        if (method !== 'HEAD') requireRefusal(answer, 405, 'method_not_allowed');
        const named = String(answer.headers.allow).split(/\s*,\s*/);
        const listed = named.filter((name) => name !== 'OPTIONS').sort();
        assert.deepEqual(listed, [...allowed].sort());
      }
    });

    if (endpoint.method === 'GET')
      it('answers HEAD like GET, without a body', async () => {
        const token = endpoint.auth === 'dashboard' ? one.dashboard() : await one.key();
        const head = await call('HEAD', addressOf(endpoint), { token });
        const get = await call('GET', addressOf(endpoint), { token });
        assert.deepEqual([head.status, head.text], [get.status, '']);
      });

    if (endpoint.body === 'none') return;
    if (isInFull) bodySuite(endpoint.body, send);
    else {
      it('refuses a body that is no JSON, no object, too large, or has an unknown field', async () => {
        const headers = JSON_TYPE;
        for (const text of ['{', 'null', '{"unknown":1}'])
          requireRefusal(await send({ headers, body: text }), 400, 'invalid_request');
        const large = await send({ headers, body: jsonOf(MAX_BODY_BYTES + 1) });
        requireRefusal(large, 413, 'payload_too_large');
        const plain = { headers: { 'content-type': 'text/plain' }, body: '{}' };
        requireRefusal(await send(plain), 415, 'unsupported_media_type');
        if (endpoint.body === 'required') requireRefusal(await send(), 400, 'invalid_request');
      });
    }
  });
}

type Send = (options?: CallOptions) => ReturnType<typeof call>;

function bodySuite(kind: 'required' | 'empty' | 'signed', send: Send): void {
  const maxBytes = kind === 'signed' ? MAX_SIGNED_BYTES : MAX_BODY_BYTES;
  type Body = NonNullable<CallOptions['body']>;
  const raw = (body: Body, headers: Record<string, string> = JSON_TYPE) => send({ headers, body });

  it('refuses JSON that is no object, and what is no JSON', async () => {
    const noObject = ['null', '[]', '[{}]', '"text"', '""', 'true', '0', '1.5'];
    const cut = ['{', '{"a":}', "{'a':1}", '{}{}', 'a=1', '{"a":NaN}', '{"a":1,}'];
    for (const text of [...noObject, ...cut, '\u0000', ' ', '\uFEFF'])
      requireRefusal(await raw(text), 400, 'invalid_request');
  });

  it('refuses bytes that are not UTF-8', async () => {
    for (const bytes of [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80]]) {
      const text = ['{"fileName":"', bytes, '"}'].map((part) => Buffer.from(part as string));
      requireRefusal(await raw(Buffer.concat(text)), 400, 'invalid_request');
    }
    requireRefusal(await raw(Buffer.from('{"a":1}', 'utf16le')), 400, 'invalid_request');
  });

  // A signed body may contain fields that are not read here.
  if (kind !== 'signed') {
    it('refuses unknown fields by name', async () => {
      for (const name of ['unknown', 'Provider', 'accountid', 'constructor', '$where']) {
        const answer = await raw(`{${JSON.stringify(name)}:{}}`);
        requireRefusal(answer, 400, 'invalid_request');
        const { details = [] } = answer.json() as ErrorBody;
        assert.ok(details.map(({ path }) => path).includes(`/${name}`), JSON.stringify(details));
      }
    });

    it('reads a replacement character, announced or in chunks', async () => {
      const text = Buffer.from('{"\uFFFD":1}');
      for (const sent of [text, [text]]) {
        const { details = [] } = (await raw(sent)).json() as ErrorBody;
        const paths = details.map(({ path }) => path).filter((path) => path.includes('\uFFFD'));
        assert.deepEqual(paths, ['/\uFFFD']);
      }
    });

    it('refuses a field named __proto__', async () =>
      requireRefusal(await raw('{"__proto__":{}}'), 400, 'invalid_request'));
  }

  it('refuses a body without the JSON media type', async () => {
    const forms = ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=a'];
    for (const type of [...forms, 'text/plain', 'application/xml', 'application/jsonx', 'json'])
      requireRefusal(await raw('{}', { 'content-type': type }), 415, 'unsupported_media_type');
    requireRefusal(await raw('{}', {}), 415, 'unsupported_media_type');
  });

  it('accepts JSON with a charset parameter', async () => {
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    requireRefusal(await raw('{"unknown":1}', headers), 400, 'invalid_request');
  });

  it('refuses compressed bodies', async () => {
    for (const encoding of ['gzip', 'deflate', 'br', 'zstd']) {
      const headers = { ...JSON_TYPE, 'content-encoding': encoding };
      requireRefusal(await raw(gzipSync('{}'), headers), 415, 'unsupported_media_type');
    }
  });

  it(`refuses more than ${maxBytes / 1024} KiB, announced or in chunks, and not one byte less`, async () => {
    requireRefusal(await raw(jsonOf(maxBytes)), 400, 'invalid_request');
    requireRefusal(await raw(jsonOf(maxBytes + 1)), 413, 'payload_too_large');
    requireRefusal(await raw([jsonOf(maxBytes)]), 400, 'invalid_request');
    requireRefusal(await raw([jsonOf(maxBytes), Buffer.from(' ')]), 413, 'payload_too_large');
  });

  // These issue keys: had one of the bodies been taken, the account's key would be another.
  if (kind === 'empty') after(() => one.useKey(undefined));

  if (kind !== 'empty') {
    it('refuses no body at all, and an empty object', async () => {
      requireRefusal(await send(), 400, 'invalid_request');
      const empty = await raw('', { ...JSON_TYPE, 'content-length': '0' });
      requireRefusal(empty, 400, 'invalid_request');
      const answer = await raw('{}');
      requireRefusal(answer, 400, 'invalid_request');
      const { details = [] } = answer.json() as ErrorBody;
      assert.ok(details.length > 0, 'what is missing is named');
    });
  }
}

/** JSON of exactly the given size, with a field that no endpoint has. */
function jsonOf(bytes: number): Buffer {
  const frame = '{"unknown":""}';
  return Buffer.from(`{"unknown":"${'a'.repeat(bytes - frame.length)}"}`);
}
