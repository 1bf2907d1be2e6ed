import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { listUploads, putTo, readObject, sha256, type StartedParts } from './store.ts';
import { storeAccess, type Provider } from './target.ts';
import { difference, NOTHING, one, withStores, wrongSecret } from './tenant.ts';
import { bodyOf, requireMoment, requireRefusal, type Answer, type ErrorBody } from './wire.ts';

interface PartUrl {
  readonly partNumber: number;
  readonly sizeBytes: number;
  readonly presignedUrl: string;
}

const PART = 8 * 2 ** 20;
const SIZE = 2 * PART + 100;
const FILE_NAME = 'large.bin';

const start = (fileSizeBytes = SIZE, priority = 'hot') =>
  one.startParts({ fileName: FILE_NAME, contentType: 'video/mp4', fileSizeBytes, priority });
const keyOf = ({ fileId }: Pick<StartedParts, 'fileId'>) => `uploads/${fileId}/${FILE_NAME}`;
const urlsOf = (answer: Answer) => bodyOf(answer, 200) as { parts: PartUrl[]; expiresAt: string };
async function sendParts(
  { fileId, multipart: { partSizeBytes } }: StartedParts,
  bytes: Buffer,
  partNumbers: readonly number[],
): Promise<void> {
  const { parts } = urlsOf(await one.parts(fileId, partNumbers));
  for (const { partNumber, presignedUrl } of parts) {
    const from = (partNumber - 1) * partSizeBytes;
    const sent = await putTo(presignedUrl, { body: bytes.subarray(from, from + partSizeBytes) });
    assert.equal(sent.status, 200, sent.text);
  }
}
const itemsOf = (answer: Answer) =>
  bodyOf(answer, 200) as {
    items: { partNumber: number; sizeBytes: number; etag: string }[];
    next: number | null;
  };

describe('An upload in parts', () => {
  withStores(one, 'aws', 'r2', 'b2');

  it('is announced with its parts, without a URL', async () => {
    const { fileId, expiresAt, savedVsAws, ...rest } = await start();
    assert.deepEqual(rest, {
      provider: 'r2',
      multipart: { partSizeBytes: PART, partCount: 3 },
      requiredHeaders: {},
    });
    assert.equal(typeof savedVsAws, 'number');
    assert.ok(Date.parse(expiresAt) > Date.now() + 3_600_000, 'it is when the window closes');
    assert.equal((await listUploads('r2', keyOf({ fileId }))).length, 1);
    assert.equal((await one.file(fileId)).status, 'pending');
  });

  it('may be larger than a single PUT; the part size grows with the file, up to the largest object', async () => {
    for (const [fileSizeBytes, partSizeBytes, partCount] of [
      [0, PART, 1],
      [6_000_000_000, PART, 716],
      [200_000_000_000, 20 * 2 ** 20, 9_537],
    ] as const)
      assert.deepEqual((await start(fileSizeBytes)).multipart, { partSizeBytes, partCount });
    const fileSizeBytes = 53_687_091_200_001;
    const large = { fileName: FILE_NAME, contentType: 'a/b', fileSizeBytes, multipart: true };
    // The plan is checked before the providers.
    assert.ok([400, 402].includes((await one.announce(large)).status));
  });

  for (const [provider, size, order] of [
    ['aws', SIZE, [3, 1, 2]],
    ['r2', SIZE, [3, 1, 2]],
    ['b2', SIZE, [3, 1, 2]],
    ['b2', 0, [1]],
  ] as const) {
    it(`of ${size} bytes arrives whole at ${provider}, with its type`, async () => {
      await one.clear();
      await one.configure(provider);
      const started = await start(size);
      assert.equal(started.provider, provider);
      const bytes = randomBytes(size);
      await sendParts(started, bytes, order);
      const before = await one.usage();
      const { fileId } = started;
      const { completedAt: _, ...completed } = await one.completed(fileId);
      assert.deepEqual(completed, { fileId, status: 'active', provider, fileSizeBytes: size });
      const object = await readObject(provider, keyOf(started));
      assert.equal(sha256(object.bytes), sha256(bytes));
      assert.equal(object.contentType, 'video/mp4');
      assert.deepEqual(await listUploads(provider, keyOf(started)), []);
      const moved = difference(before, await one.usage());
      assert.deepEqual(moved, { ...NOTHING, routedBytes: size, uploads: 1 });
    });
  }

  it('gets URLs as often as they are asked for, each for its part and size', async () => {
    await one.clear();
    await one.configure('aws', 'r2', 'b2');
    const { fileId } = await start();
    for (let times = 0; times < 2; times += 1) {
      const { parts, expiresAt } = urlsOf(await one.parts(fileId, [3, 1]));
      const [last, first] = parts;
      assert.ok(last && first && parts.length === 2);
      assert.deepEqual([last.partNumber, last.sizeBytes], [3, 100]);
      assert.deepEqual([first.partNumber, first.sizeBytes], [1, PART]);
      requireMoment(expiresAt, Date.now() + 3_600_000);
      const wrong = await putTo(last.presignedUrl, { body: Buffer.alloc(99) });
      assert.ok(wrong.status >= 400, 'another size is refused by the store');
      assert.equal((await putTo(last.presignedUrl, { body: Buffer.alloc(100) })).status, 200);
    }
  });

  const missingOf = async (fileId: string) => {
    const answer = await one.complete(fileId);
    requireRefusal(answer, 409, 'file_incomplete');
    return (answer.json() as ErrorBody).details?.map(({ path }) => path);
  };

  it('is not complete while parts are missing, loses nothing, and completes with them', async () => {
    const started = await start();
    const { fileId } = started;
    const bytes = randomBytes(SIZE);
    assert.deepEqual(await missingOf(fileId), ['/parts/1', '/parts/2', '/parts/3']);
    assert.equal((await missingOf((await start(30 * PART)).fileId))?.length, 20, 'at most 20');
    await sendParts(started, bytes, [1, 3]);
    assert.deepEqual(await missingOf(fileId), ['/parts/2']);
    const md5 = (part: Buffer) => createHash('md5').update(part).digest('hex');
    const held = { partNumber: 3, sizeBytes: 100, etag: md5(bytes.subarray(2 * PART)) };
    const { items, next } = itemsOf(await one.listParts(fileId));
    assert.deepEqual([items.length, items[1], next], [2, held, null]);
    assert.deepEqual(itemsOf(await one.listParts(fileId, '?after=1')).items, [held]);
    assert.equal((await one.file(fileId)).status, 'pending');
    await sendParts(started, bytes, [2]);
    const answers = await Promise.all(Array.from({ length: 10 }, () => one.complete(fileId)));
    for (const answer of answers) bodyOf(answer, 200);
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    assert.equal(sha256((await readObject(started.provider, keyOf(started))).bytes), sha256(bytes));
  });

  it('is aborted at the store by a delete, and gives its reservation back', async () => {
    const before = await one.usage();
    const started = await start();
    await sendParts(started, Buffer.alloc(SIZE), [1]);
    bodyOf(await one.delete(started.fileId), 200);
    assert.deepEqual(await listUploads(started.provider, keyOf(started)), []);
    assert.deepEqual(difference(before, await one.usage()), NOTHING);
    for (const answer of [
      await one.complete(started.fileId),
      await one.parts(started.fileId, [1]),
      await one.listParts(started.fileId),
    ])
      requireRefusal(answer, 410, 'file_deleted');
  });

  it('is refused for what it is not, for parts that there are not, and once it is active', async () => {
    const single = await one.start();
    requireRefusal(await one.parts(single.fileId, [1]), 409, 'file_not_multipart');
    requireRefusal(await one.listParts(single.fileId), 409, 'file_not_multipart');
    const started = await start(100);
    requireRefusal(await one.url(started.fileId), 409, 'file_is_multipart');
    const lists: unknown[][] = [[], [0], [2], [1.5], ['1'], [10_001], Array(101).fill(1)];
    for (const partNumbers of lists)
      requireRefusal(await one.parts(started.fileId, partNumbers), 400, 'invalid_request');
    for (const query of ['?after=-1', '?after=x', '?before=1'])
      requireRefusal(await one.listParts(started.fileId, query), 400, 'invalid_request');
    assert.match((await one.parts(started.fileId, [1, 2])).text, /"\/partNumbers\/1"/);
    await sendParts(started, Buffer.alloc(100), [1]);
    await one.completed(started.fileId);
    requireRefusal(await one.parts(started.fileId, [1]), 409, 'file_already_active');
    requireRefusal(await one.listParts(started.fileId), 409, 'file_already_active');
  });

  it('books nothing where the store refuses to begin', async () => {
    await one.clear();
    for (const [store, provider] of [
      [wrongSecret('r2'), 'r2'],
      [{ ...storeAccess('b2'), bucketName: `none-${crypto.randomUUID()}` }, 'b2'],
    ] as [object, Provider][]) {
      await one.configure(provider);
      bodyOf(await one.save(store), 200);
      const before = await one.usage();
      const announcement = { fileName: FILE_NAME, contentType: 'a/b', fileSizeBytes: SIZE };
      const answer = await one.announce({ ...announcement, multipart: true });
      requireRefusal(answer, 502, 'provider_error');
      assert.deepEqual(difference(before, await one.usage()), NOTHING);
      await one.configure('aws', 'r2', 'b2');
    }
  });
});
