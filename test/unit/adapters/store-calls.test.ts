import assert from 'node:assert/strict';
import { withinBounds } from '../../../adapters/object-store/call-bounds.ts';
import { classifyRefusal, type StoreFailure } from '../../../adapters/object-store/errors.ts';
import { answer, failsAs, found, onHead, refusal, saying, withRawStores } from './raw-stores.ts';

const BOUNDS = { timeoutMs: 2_000 };
const MISSING = answer('404 Not Found');
const ETAG = 'etag: W/"e"';

const REFUSALS: [status: string, code: string, failure: StoreFailure, isTransient: boolean][] = [
  ['301 Moved Permanently', 'PermanentRedirect', 'wrong_region', false],
  ['400 Bad Request', 'AuthorizationHeaderMalformed', 'wrong_region', false],
  ['400 Bad Request', 'BadDigest', 'rejected', true],
  ['400 Bad Request', 'EntityTooLarge', 'rejected', false],
  ['400 Bad Request', 'KeyTooLongError', 'rejected', false],
  ['400 Bad Request', 'MetadataTooLarge', 'rejected', false],
  ['400 Bad Request', 'RequestTimeout', 'timed_out', true],
  ['401 Unauthorized', 'Unauthorized', 'access_denied', false],
  ['403 Forbidden', 'InvalidAccessKeyId', 'access_denied', false],
  ['403 Forbidden', 'InvalidObjectState', 'archived', false],
  ['400 Bad Request', 'RequestExpired', 'clock_skewed', true],
  ['403 Forbidden', 'RequestTimeTooSkewed', 'clock_skewed', true],
  ['403 Forbidden', 'SignatureDoesNotMatch', 'access_denied', false],
  ['404 Not Found', 'NoSuchBucket', 'bucket_missing', false],
  ['404 Not Found', 'NoSuchUpload', 'failed', true],
  ['409 Conflict', 'OperationAborted', 'failed', true],
  ['412 Precondition Failed', 'PreconditionFailed', 'changed', false],
  ['418 Teapot', 'Unheard', 'failed', false],
  ['429 Too Many Requests', 'TooManyRequests', 'throttled', true],
  ['500 Internal Server Error', 'InternalError', 'failed', true],
  ['501 Not Implemented', 'NotImplemented', 'rejected', false],
  ['503 Slow Down', 'SlowDown', 'throttled', true],
];

describe('the refusal of a store', () => {
  const openStore = withRawStores();

  for (const [status, code, failure, isTransient] of REFUSALS)
    it(`is ${failure} for an answer of ${status} ${code}, without its text`, async () => {
      const store = await openStore(saying(refusal(status, code)));
      const request = { headers: {}, sizeBytes: 1, body: Buffer.from('x') };
      const isSaid = (error: Error) => {
        assert.match(error.message, /^[a-z ,]+$/);
        return failsAs(failure, isTransient)(error);
      };
      await assert.rejects(store.get('k', BOUNDS), isSaid);
      await assert.rejects(store.write('k', request, BOUNDS), isSaid);
      await assert.rejects(store.delete('k', BOUNDS), isSaid);
    });

  const request = { headers: {}, sizeBytes: 1, body: Buffer.from('x') };
  const ifNew = { ...request, headers: { 'if-none-match': '*' } };
  const own = { ...BOUNDS, ifMatch: 'e' };

  it('is the condition’s where one was sent with 412, and without a code a failure that may pass', async () => {
    const store = await openStore(saying(answer('412 Precondition Failed')));
    await assert.rejects(store.write('k', ifNew, BOUNDS), failsAs('changed', false));
    await assert.rejects(store.delete('k', own), failsAs('changed', false));
    await assert.rejects(store.open('k', { ifMatch: 'e' }), failsAs('changed', false));
    await assert.rejects(store.write('k', request, BOUNDS), failsAs('failed', true));
    await assert.rejects(store.head('k', BOUNDS), failsAs('failed', true));
  });

  it('is a time-out for 408, with a code or without', async () => {
    const store = await openStore(saying(answer('408 Request Timeout')));
    await assert.rejects(store.write('k', request, BOUNDS), failsAs('timed_out', true));
    await assert.rejects(store.head('k', BOUNDS), failsAs('timed_out', true));
  });

  /** What answers a HEAD, the GET of the object after it, and the listing of its key. */
  const FORBIDDEN = answer('403 Forbidden');
  const forbidden = (code: string) => refusal('403 Forbidden', code);
  for (const [title, answers, isDenied] of [
    ['403 that names no reason', [FORBIDDEN, FORBIDDEN, FORBIDDEN], false],
    ['403 of a permission', [FORBIDDEN, ...Array(2).fill(forbidden('AccessDenied'))], false],
    ['403 of a key', [FORBIDDEN, forbidden('InvalidAccessKeyId')], true],
    ['403 whose reason the listing names', [FORBIDDEN, FORBIDDEN, forbidden('InvalidToken')], true],
    ['401 that names no reason', Array(2).fill(answer('401 Unauthorized')), true],
    ['401 of any reason', Array(2).fill(refusal('401 Unauthorized', 'AccessDenied')), true],
    ['401 of the time', Array(4).fill(refusal('401 Unauthorized', 'RequestExpired')), false],
  ] as const)
    it(`is${isDenied ? '' : ' not'} one of the credentials for ${title}`, async () => {
      const said = answers as readonly string[];
      const store = await openStore(
        onHead((socket, before) => void socket.write(said[before] ?? assert.fail('asked again'))),
      );
      await assert.rejects(store.head('k', BOUNDS));
      assert.equal(store.isDenied(), isDenied);
    });

  it('is a missing object for NoSuchKey', () => {
    const { failure, isTransient } = classifyRefusal(404, 'NoSuchKey');
    assert.deepEqual([failure, isTransient], ['missing', false]);
  });
});

describe('a call to a store', () => {
  const openStore = withRawStores();

  it('fails with timed_out for a response that does not end', async () => {
    const store = await openStore(saying(`${found(100)}half`));
    await assert.rejects(store.get('k', { timeoutMs: 100 }), failsAs('timed_out'));
  });

  it('limits the response that it reads into memory', async () => {
    const store = await openStore(
      onHead((socket) => {
        socket.write(found(2 ** 30));
        for (let part = 0; part < 20; part += 1) socket.write(Buffer.alloc(128 * 1024));
      }),
    );
    await assert.rejects(store.get('k', BOUNDS), failsAs('failed'));
  });

  it('bounds a HEAD in time, also where it needs two requests', async () => {
    const store = await openStore(
      onHead((socket, _before, method) => {
        // The HEAD is answered late, the request for the reason never.
        if (method === 'HEAD') setTimeout(() => socket.write(MISSING), 2_500);
      }),
    );
    const startedAt = performance.now();
    await assert.rejects(store.head('k', { timeoutMs: 3_000 }), failsAs('timed_out'));
    const tookMs = performance.now() - startedAt;
    // Were each request given the whole time, it would end after 5,500.
    assert.ok(tookMs < 5_000, `it took ${Math.round(tookMs)} ms of 3,000`);
  });

  for (const [what, byte, whole, sizeBytes] of [
    ['GET 206', answer('206 Partial Content', [ETAG, 'content-range: bytes 0-0/9'], 'x'), '', 9],
    ['GET 200, for it knows no ranges', `${found(2 ** 30)}some`, '', 2 ** 30],
    ['GET 416 of nothing', answer('416 Range'), answer('200 OK', [ETAG]), 0],
  ] as const)
    it(`of HEAD 404 and ${what} finds the object`, async () => {
      const store = await openStore(
        onHead((socket, before, method) => {
          if (method === 'HEAD') socket.write(MISSING);
          else socket.write(before === 1 ? byte : whole);
        }),
      );
      const { etag, ...found } = (await store.head('k', BOUNDS)) ?? assert.fail('it is missing');
      assert.deepEqual([etag, found.sizeBytes], ['e', sizeBytes]);
    });

  it('sends one HEAD for an object whose length is announced', async () => {
    const methods: string[] = [];
    const store = await openStore(
      onHead((socket, _before, method) => {
        methods.push(method);
        socket.write(found(5).replace('"e"', 'W/"e"'));
      }),
    );
    const { etag, sizeBytes } = (await store.head('k', BOUNDS)) ?? assert.fail('it is missing');
    assert.deepEqual([etag, sizeBytes, methods], ['e', 5, ['HEAD']]);
  });

  it('sends no second request to a store that throttles', async () => {
    const methods: string[] = [];
    const store = await openStore(
      onHead((socket, _before, method) => {
        methods.push(method);
        socket.write(answer('503 Slow Down'));
      }),
    );
    await assert.rejects(store.head('k', BOUNDS), failsAs('throttled'));
    assert.deepEqual(methods, ['HEAD']);
  });

  for (const [what, timeoutMs] of [
    ['during the call', 200],
    ['before the request is sent', 0],
  ] as const)
    it(`that is rare and out of time ${what} fails with timed_out`, async () => {
      const store = await openStore((socket) => void socket.on('data', () => undefined));
      const call = withinBounds({ timeoutMs }, async (options) => {
        if (timeoutMs === 0) await new Promise((resolve) => setTimeout(resolve, 20));
        return await store.beginUpload('k', { 'content-type': 'a/b' }, options);
      });
      await assert.rejects(call, failsAs('timed_out'));
    });
});
