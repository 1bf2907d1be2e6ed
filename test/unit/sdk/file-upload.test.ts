import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createFileUpload, type UploadCalls } from '../../../sdk/src/index.ts';
import { type Answer, breakOff, errorOf, refusal } from './servers.ts';
import { COMPLETE, INIT, startUpload, type Upload } from './uploads.ts';

const URL_CALL = 'POST /v1/upload/url';

/** The functions of a page whose server divides files of 1,000 bytes and more. */
function callsOf({ client }: Upload): UploadCalls {
  return {
    ...client,
    init: (file, options) =>
      file.fileSizeBytes > 1_000
        ? client.init({ ...file, multipart: true }, options)
        : client.init(file, options),
  };
}

const fileOf = (bytes: Buffer<ArrayBuffer>) => new File([bytes], 'a.txt', { type: 'text/plain' });

/** How it works in a page: `test/browser/react-upload.test.ts`. */
describe("the upload of a page's file by calls to the page's own server", () => {
  for (const [size, puts] of [
    [0, 1],
    [1_000, 1],
    [3_500, 4],
  ] as const)
    it(`sends a file of ${size} bytes by ${puts} PUT, with progress`, async () => {
      const started = await startUpload(size, { isMultipart: size > 1_000 });
      const bytes = randomBytes(size);
      const progress: number[] = [];
      const { status } = await createFileUpload(callsOf(started), fileOf(bytes)).run({
        onProgress: ({ sentBytes }) => progress.push(sentBytes),
      });
      assert.equal(status, 'active');
      started.holds(bytes);
      assert.equal(started.file.puts.length, puts);
      assert.equal(progress.at(-1), size);
    });

  it('resumes with the parts that the store does not have', async () => {
    const bytes = randomBytes(5_500);
    const refused = (earlier: number, part: number) =>
      part === 4 && earlier < 1 ? refusal(400, 'x') : undefined;
    const started = await startUpload(5_500, { put: refused });
    const upload = createFileUpload(callsOf(started), fileOf(bytes));
    const error = await errorOf(upload.run({ parallelParts: 1 }));
    assert.deepEqual([error.code, error.fileId], ['upload_to_provider_failed', 'f-1']);
    await upload.run();
    started.holds(bytes);
    assert.deepEqual(started.sent(), [1, 2, 3, 4, 4, 5, 6]);
    assert.equal(started.calls().filter((call) => call === INIT).length, 1);
  });

  it('sends a part again that was cut off, also where the store holds it with its full size', async () => {
    const cutOff: Answer = (request, response) => {
      started.file.held.set(2, Buffer.alloc(1_000));
      refusal(400, 'x')(request, response);
    };
    const started: Upload = await startUpload(2_500, {
      put: (earlier, part) => (part === 2 && earlier < 1 ? cutOff : undefined),
    });
    const bytes = randomBytes(2_500);
    const upload = createFileUpload(callsOf(started), fileOf(bytes));
    await errorOf(upload.run({ parallelParts: 1 }));
    await upload.run();
    started.holds(bytes);
    assert.deepEqual(started.sent(), [1, 2, 2, 3]);
  });

  for (const size of [1_000, 2_500])
    it(`completes again what has been sent, and sends nothing: ${size} bytes`, async () => {
      const complete = (earlier: number) => (earlier < 4 ? breakOff : undefined);
      const started = await startUpload(size, { complete });
      const bytes = randomBytes(size);
      const upload = createFileUpload(callsOf(started), fileOf(bytes));
      assert.equal((await errorOf(upload.run())).code, 'connection_lost');
      const [puts, calls] = [started.file.puts.length, started.calls().length];
      await upload.run();
      started.holds(bytes);
      assert.equal(started.file.puts.length, puts);
      assert.deepEqual(started.calls().slice(calls), [COMPLETE]);
    });

  it('sends again what complete does not find', async () => {
    for (const [size, lost] of [
      [1_000, 1],
      [2_500, 2],
    ] as const) {
      const complete = (earlier: number) => (earlier < 4 ? breakOff : undefined);
      const started = await startUpload(size, { complete });
      const bytes = randomBytes(size);
      const upload = createFileUpload(callsOf(started), fileOf(bytes));
      await errorOf(upload.run());
      started.file.held.delete(lost);
      await upload.run();
      started.holds(bytes);
    }
  });

  it('takes a fresh URL to resume, because the first may have expired', async () => {
    const started = await startUpload(900, {
      put: (earlier) => (earlier < 1 ? breakOff : undefined),
    });
    const bytes = randomBytes(900);
    const upload = createFileUpload(callsOf(started), fileOf(bytes));
    await errorOf(upload.run());
    started.file.expiredUrls = started.file.urls;
    await upload.run();
    started.holds(bytes);
    assert.deepEqual(started.calls(), [INIT, COMPLETE, COMPLETE, URL_CALL, COMPLETE]);
  });

  it('creates another file once the first cannot be completed', async () => {
    const complete = (earlier: number) => (earlier < 1 ? refusal(410, 'file_expired') : undefined);
    const started = await startUpload(900, { complete });
    const bytes = randomBytes(900);
    const upload = createFileUpload(callsOf(started), fileOf(bytes));
    assert.equal((await errorOf(upload.run())).code, 'file_expired');
    await upload.run();
    started.holds(bytes);
    assert.deepEqual(started.calls(), [INIT, COMPLETE, INIT, COMPLETE]);
  });

  for (const [what, passesSignal, inits] of [
    ['passes the signal on', true, 2],
    ['does not', false, 1],
  ] as const)
    it(`runs again at once after a cancel, if init ${what}`, async () => {
      const started = await startUpload(900);
      const calls = callsOf(started);
      const bytes = randomBytes(900);
      let count = 0;
      const init: UploadCalls['init'] = async (file, { signal }) => {
        count += 1;
        const answer = await calls.init(file, {});
        if (passesSignal) signal?.throwIfAborted();
        return answer;
      };
      const upload = createFileUpload({ ...calls, init }, fileOf(bytes));
      const stopped = new AbortController();
      const first = upload.run({ signal: stopped.signal });
      const isRejected = assert.rejects(first);
      stopped.abort();
      await upload.run();
      await isRejected;
      started.holds(bytes);
      assert.equal(count, inits);
      assert.equal(started.file.puts.length, 1);
    });

  it('passes the errors of the functions on, and names what it misses', async () => {
    const started = await startUpload(2_500);
    const calls = callsOf(started);
    const file = fileOf(randomBytes(2_500));
    const refused = new Error('too large');
    const init = () => Promise.reject(refused);
    await assert.rejects(createFileUpload({ ...calls, init }, file).run(), refused);
    const { uploadParts: _, ...others } = calls;
    const { code, message } = await errorOf(createFileUpload(others, file).run());
    assert.equal(code, 'invalid_argument');
    assert.match(message, /uploadParts/);
    for (const answer of [{}, { fileId: 'f' }, { fileId: 'f', presignedUrl: 'x' }]) {
      const wrong = { ...calls, init: () => Promise.resolve(answer as never) };
      assert.equal((await errorOf(createFileUpload(wrong, file).run())).code, 'invalid_response');
    }
    assert.equal(started.file.puts.length, 0);
  });
});
