import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { openMongo } from '../../../adapters/mongo/common/open.ts';
import {
  refusedWith,
  startAlteredStore,
  without,
  type AlteredStore,
  type StoreAnswer,
} from '../../harness/altered-store.ts';
import { assertRefusal } from '../customers.ts';
import { startAnyStore, type AnyStore, type StoreName } from './own-stores.ts';

const MIB = 2 ** 20;
const LAST_MODIFIED = '2026-01-01T00:00:00Z';
const FILE = { fileName: 'a.txt', contentType: 'text/plain', source: Buffer.from('12345678') };

/** A request for an object, as opposed to one for a bucket. */
const ofObject = ({ url = '' }: IncomingMessage) => /^\/[^/?]+\/[^?]/.test(url);
const reads = ({ method }: IncomingMessage) => method === 'HEAD' || method === 'GET';

describe('a store that answers in its own way', () => {
  let any: AnyStore;
  let b2: AlteredStore;
  /** Of the store's clock. */
  let aheadMs = 0;
  const storeTime = () => Date.now() + aheadMs;
  before(async () => {
    const through = async (origin: string) => {
      b2 = await startAlteredStore(origin);
      return b2.origin;
    };
    any = await startAnyStore({ through, now: storeTime });
  });
  after(async () => {
    await any?.close();
    await b2?.close();
  });
  afterEach(() => {
    b2.alter();
    b2.requests.length = 0;
  });

  type Customer = Awaited<ReturnType<AnyStore['customer']>>;

  /** Moves a bucket with objects small, empty and in parts; each must be copied at its first attempt. */
  async function move({ client, bucketOf, scan }: Customer, from: StoreName, to: StoreName) {
    const sizes = [0, 1, 9 * MIB, 70 * MIB];
    any.doubles[from].seed({
      bucket: bucketOf(from),
      objects: sizes.map((size, at) => ({ key: `d/${at}`, size, lastModified: LAST_MODIFIED })),
    });
    const { recommendations } = await scan(from);
    const found = recommendations.find(({ kind }) => kind === 'move');
    const { recommendationId } = found ?? assert.fail(JSON.stringify(recommendations));
    const approved = await client.migrations.approve(recommendationId, { targetProvider: to });
    const ended = await client.migrations.waitFor(approved.migrationId, { pollMs: 50 });
    const lines: Record<string, unknown> = {};
    for await (const line of client.migrations.report(approved.migrationId))
      if ('key' in line) lines[line.key] = [line.bytes, line.outcome, line.attempts];
    const wanted = sizes.map((size, at) => [`d/${at}`, [size, 'copied', 1]]);
    assert.equal(ended.status, 'completed');
    assert.deepEqual(lines, Object.fromEntries(wanted));
  }

  /** Whether the account's webhooks would be told that the store refuses its credentials. */
  async function isFailing(accountId: string): Promise<boolean> {
    const { MONGODB_URI: uri = '', MONGODB_DATABASE: database = '' } = any.stack.environment;
    const { db, close } = openMongo({ uri, database });
    const account = await db.collection('accounts').findOne({ _id: accountId as never });
    await close();
    return (account ?? assert.fail(accountId))['failing'] !== undefined;
  }

  describe('that compresses, and so announces no length, with weak ETags', () => {
    /** In headers and documents: of listings, of parts, of completions. */
    const weakly = ({ status, headers, body }: StoreAnswer): StoreAnswer => {
      const { etag } = headers;
      const weak = { ...headers, ...(etag === undefined ? {} : { etag: `W/${etag}` }) };
      if (headers['content-type'] !== 'application/xml') return { status, headers: weak, body };
      const text = Buffer.from(body.toString().replaceAll('<ETag>', '<ETag>W/'));
      return { status, headers: { ...weak, 'content-length': String(text.length) }, body: text };
    };
    const compressing = (request: IncomingMessage, answer: StoreAnswer): StoreAnswer => {
      const isOfObject = reads(request) && ofObject(request) && answer.status < 300;
      return isOfObject ? without(weakly(answer), 'content-length') : weakly(answer);
    };

    it('completes an upload, and is asked for objects as they are', async () => {
      b2.alter(compressing);
      const { client } = await any.customer('b2');
      for (const multipart of [false, true]) {
        const { fileId } = await client.upload({ ...FILE, multipart });
        assert.equal((await client.getFile(fileId)).status, 'active');
      }
      const asked = b2.requests.filter((request) => reads(request) && ofObject(request));
      assert.ok(asked.length > 0);
      for (const { headers } of asked) {
        assert.equal(headers['accept-encoding'], 'identity');
        assert.doesNotMatch(headers.authorization ?? '', /accept-encoding/);
      }
    });

    it('completes an upload where its answers to ranges do not say the length either', async () => {
      b2.alter((request, answer) => without(compressing(request, answer), 'content-range'));
      const { client } = await any.customer('b2');
      const { fileId } = await client.upload(FILE);
      assert.equal((await client.getFile(fileId)).status, 'active');
    });

    it('is the source and the target of a move', async () => {
      b2.alter(compressing);
      await move(await any.customer('b2', 'own-cheap'), 'b2', 'own-cheap');
      await move(await any.customer('own-minio', 'b2'), 'own-minio', 'b2');
    });
  });

  it('of HEAD 404 and GET 200 has the object', async () => {
    b2.alter((request, answer) =>
      request.method === 'HEAD' ? refusedWith(404, 'NoSuchKey') : answer,
    );
    const { client } = await any.customer('b2');
    for (const source of [FILE.source, Buffer.alloc(0)]) {
      const { fileId } = await client.upload({ ...FILE, source });
      assert.equal((await client.getFile(fileId)).status, 'active');
    }
  });

  describe('that refuses to say that an object is missing', () => {
    const refusing = (request: IncomingMessage, answer: StoreAnswer): StoreAnswer =>
      answer.status === 404 && ofObject(request) ? refusedWith(403, 'AccessDenied') : answer;

    it('has no such file for a listing of the key; where that is refused too, nothing is known', async () => {
      b2.alter(refusing);
      const { client, accountId } = await any.customer('b2');
      const { fileId } = await client.init({
        ...FILE,
        fileSizeBytes: FILE.source.length,
      });
      await assertRefusal(client.complete(fileId), 409, 'file_not_on_provider');
      b2.alter((request, answer) =>
        ofObject(request) ? refusing(request, answer) : refusedWith(403, 'AccessDenied'),
      );
      await assertRefusal(client.complete(fileId), 502, 'provider_error');
      assert.equal(await isFailing(accountId), false);
    });

    it('deletes a file that was never uploaded, also where it refuses that', async () => {
      b2.alter((request, answer) =>
        request.method === 'DELETE' ? refusedWith(403, 'AccessDenied') : refusing(request, answer),
      );
      const { client } = await any.customer('b2');
      const { fileId } = await client.init({ ...FILE, fileSizeBytes: FILE.source.length });
      assert.equal((await client.deleteFile(fileId)).status, 'deleted');
    });

    it('fails the check of that, which names the permission, and is measured all the same', async () => {
      b2.alter(refusing);
      const { client, accountId } = await any.customer('b2');
      const { ok, checks } = await client.providers.test('b2');
      assert.equal(ok, false);
      const failed = checks.filter((check) => !check.ok);
      assert.deepEqual(
        failed.map(({ name, error }) => [name, error?.code]),
        [['missing_object', 'access_denied']],
      );
      assert.match(failed[0]?.error?.message ?? '', /\blistBuckets\b/);
      assert.equal(checks[4]?.name, 'missing_object');
      assert.equal(await isFailing(accountId), false);
    });

    it('is the source and the target of a move', async () => {
      b2.alter(refusing);
      await move(await any.customer('own-minio', 'b2'), 'own-minio', 'b2');
      await move(await any.customer('b2', 'own-cheap'), 'b2', 'own-cheap');
    });
  });

  describe('that does not list multipart uploads', () => {
    const asksForUploads = ({ method, url = '' }: IncomingMessage) =>
      method === 'GET' && /\?(?:.*&)?uploads\b/.test(url);
    /** A file of one part, which is sent, and one that is completed. */
    async function uploadInParts({ client }: Customer) {
      const announced = { fileName: FILE.fileName, contentType: FILE.contentType };
      const { fileId: half } = await client.init({
        ...announced,
        fileSizeBytes: FILE.source.length,
        multipart: true,
      });
      const { parts } = await client.uploadParts(half, [1]);
      await fetch(parts[0]?.presignedUrl ?? '', { method: 'PUT', body: FILE.source });
      const { fileId: whole } = await client.upload({ ...FILE, multipart: true });
      return [half, whole] as const;
    }

    for (const [what, status, code] of [
      ['it has no such call', 501, 'NotImplemented'],
      ['it knows no such method', 405, 'MethodNotAllowed'],
    ] as const)
      it(`deletes files in parts at once, half and whole ones, and leaves nothing: ${what}`, async () => {
        const customer = await any.customer('b2');
        const { client, bucketOf } = customer;
        const fileIds = await uploadInParts(customer);
        const left = () => any.leftIn('b2', bucketOf('b2'));
        assert.equal((await left()).length, 2);
        b2.alter((request, answer) =>
          asksForUploads(request) ? refusedWith(status, code) : answer,
        );
        for (const fileId of fileIds)
          assert.equal((await client.deleteFile(fileId)).status, 'deleted');
        assert.deepEqual(await left(), []);
        await client.providers.delete('b2');
      });

    it('keeps no object where the credentials may not list them, and nothing once they may', async () => {
      const customer = await any.customer('b2');
      const { client, bucketOf } = customer;
      const fileIds = await uploadInParts(customer);
      b2.alter((request, answer) =>
        asksForUploads(request) ? refusedWith(403, 'AccessDenied') : answer,
      );
      for (const fileId of fileIds)
        assert.equal((await client.deleteFile(fileId)).status, 'deleting');
      const left = () => any.leftIn('b2', bucketOf('b2'));
      assert.equal((await left()).length, 1, 'the half upload');
      b2.alter();
      for (const fileId of fileIds)
        assert.equal((await client.deleteFile(fileId)).status, 'deleted');
      assert.deepEqual(await left(), []);
    });
  });

  describe('whose clock is twenty minutes ahead', () => {
    before(() => {
      aheadMs = 20 * 60_000;
    });
    after(() => {
      aheadMs = 0;
    });
    beforeEach(() =>
      b2.alter((_request, answer) => ({
        ...answer,
        headers: { ...answer.headers, date: new Date(storeTime()).toUTCString() },
      })),
    );
    const requireSkew = async ([process]: AnyStore['service']['apis']) => {
      const metrics = await (await fetch(`${process?.metricsUrl}/metrics`)).text();
      const skew = Number(/^clock_skew_seconds(?:\{.*\})? (\S+)$/m.exec(metrics)?.[1]);
      assert.ok(Math.abs(skew - 1_200) < 60, metrics);
    };
    const health = async () =>
      ((await (await fetch(`${any.service.baseUrl}/health`)).json()) as { clock: string }).clock;

    it('takes uploads in parts and whole, is tested, and is no fault of its customer', async () => {
      assert.equal(await health(), 'ok');
      const { client, accountId } = await any.customer('b2');
      // First by the calls of the SDK, then by presigned URLs.
      for (const multipart of [true, false]) {
        const { fileId } = await client.upload({ ...FILE, multipart });
        assert.equal((await client.getFile(fileId)).status, 'active');
      }
      const { ok, checks } = await client.providers.test('b2');
      assert.ok(ok, JSON.stringify(checks));
      assert.equal(await health(), 'skewed');
      await requireSkew(any.service.apis);
      assert.equal(await isFailing(accountId), false);
    });

    it('is the source and the target of a move, each object copied at its first attempt', async () => {
      await move(await any.customer('b2', 'own-cheap'), 'b2', 'own-cheap');
      await move(await any.customer('own-minio', 'b2'), 'own-minio', 'b2');
      await requireSkew(any.service.workers);
    });
  });
});
