import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { utimes, writeFile } from 'node:fs/promises';
import type { UploadProgress } from '../../../sdk/src/index.ts';
import { breakOff, errorOf, refusal } from './servers.ts';
import { sourcesOf, temporaryPath } from './sources.ts';
import { COMPLETE, startUpload, type Upload } from './uploads.ts';

/** A file of which the store holds these parts. */
async function interrupted(bytes: Buffer, held: readonly number[] = []): Promise<Upload> {
  const upload = await startUpload(bytes.length);
  for (const part of held)
    upload.file.held.set(part, bytes.subarray((part - 1) * 1_000, part * 1_000));
  return upload;
}

const refusedAs = async (call: Promise<unknown>) => {
  const { code, fileId } = await errorOf(call);
  assert.equal(fileId, 'f-1');
  return code;
};

describe('resume', () => {
  const ALL = [1, 2, 3, 4, 5, 6, 7];
  const same = (part: Buffer) => part;
  // What a store may keep of a part that was cut off.
  const cutOff = (part: Buffer) => Buffer.alloc(1_000, part.subarray(0, 100));
  for (const [what, held, spoilt, spoil] of [
    ['nothing', [], [], same],
    ['the first part', [1], [], same],
    ['two parts', [2, 4], [], same],
    ['all but the last', ALL.slice(0, 6), [], same],
    ['the last part', [7], [], same],
    ['everything', ALL, [], same],
    ['a part of another size', ALL, [2], (part: Buffer) => part.subarray(0, 10)],
    ['a part that was cut off', [1, 2, 4, 7], [2], cutOff],
    ['parts of another source', [1, 2, 3], [1, 2, 3], () => randomBytes(1_000)],
  ] as [string, number[], number[], (part: Buffer) => Buffer][])
    it(`sends what the store lacks where it holds ${what}, from every source`, async () => {
      const bytes = randomBytes(6_500);
      for (const [name, { source }] of Object.entries(await sourcesOf(bytes))) {
        const { client, file, holds, sent } = await interrupted(bytes, held);
        for (const part of spoilt) file.held.set(part, spoil(file.held.get(part) ?? bytes));
        const seen: UploadProgress[] = [];
        const onProgress = (progress: UploadProgress): void => void seen.push(progress);
        const result = await client.resume('f-1', source, { onProgress });
        assert.deepEqual([result.status, result.fileSizeBytes], ['active', 6_500], name);
        holds(bytes, name);
        const missing = ALL.filter((part) => !held.includes(part) || spoilt.includes(part));
        assert.deepEqual(sent(), missing, name);
        const heldBytes = held.reduce((sum, part) => sum + (part === 7 ? 500 : 1_000), 0);
        if (spoilt.length === 0) assert.equal(seen[0]?.confirmedBytes, heldBytes, name);
        assert.equal(seen.at(-1)?.confirmedBytes, 6_500, name);
      }
    });

  it('goes by sizes where the first 32 ETags are no MD5', async () => {
    const bytes = randomBytes(120);
    const etagOf = (part: Buffer): string => `kms-${part.toString('hex')}`;
    const { client, file, holds } = await startUpload(120, { partSizeBytes: 2, etagOf });
    for (let part = 1; part <= 50; part += 1)
      file.held.set(part, bytes.subarray(2 * part - 2, 2 * part));
    file.held.set(50, bytes.subarray(98, 99));
    await client.resume('f-1', bytes);
    holds(bytes);
    // The last one was cut off.
    assert.equal(file.puts.length, 32 + 11);
  });

  it('answers like complete for an active file, and leaves the source alone', async () => {
    const { client, file, store } = await interrupted(randomBytes(100));
    file.status = 'active';
    const result = await client.resume('f-1', await temporaryPath('is-gone'));
    assert.deepEqual(result, await client.complete('f-1'));
    assert.equal(store.arrived.length, 0);
  });

  it('of an expired or a deleted file ends with what the service says', async () => {
    const expired = await interrupted(randomBytes(100));
    expired.file.status = 'expired';
    const deleted = await startUpload(100, { file: () => refusal(410, 'file_deleted') });
    assert.equal(await refusedAs(expired.client.resume('f-1', randomBytes(100))), 'file_expired');
    assert.equal(await refusedAs(deleted.client.resume('f-1', randomBytes(100))), 'file_deleted');
  });

  it('answers like complete where another run completes the file meanwhile', async () => {
    const upload: Upload = await startUpload(100, {
      parts: () => {
        upload.file.status = 'active';
        return refusal(409, 'file_already_active');
      },
    });
    assert.equal((await upload.client.resume('f-1', randomBytes(100))).status, 'active');
  });

  it('refuses before it sends anything a source of another size, and one that is gone', async () => {
    const { client, store } = await interrupted(randomBytes(2_000), [1]);
    const [small, gone] = [randomBytes(1_999), await temporaryPath('is-gone')];
    assert.equal(await refusedAs(client.resume('f-1', small)), 'source_size_mismatch');
    assert.equal(await refusedAs(client.resume('f-1', gone)), 'source_failed');
    assert.equal(store.arrived.length, 0);
  });

  it('refuses a file that was modified after its upload began, unless that is accepted', async () => {
    const bytes = randomBytes(2_000);
    const path = await temporaryPath('modified.bin');
    await writeFile(path, bytes);
    const { client, file, store, holds } = await interrupted(bytes, [1]);
    const later = new Date(Date.parse(file.createdAt) + 61_000);
    await utimes(path, later, later);
    const blob = Object.assign(new Blob([bytes]), { lastModified: later.getTime() });
    for (const source of [path, blob])
      assert.equal(await refusedAs(client.resume('f-1', source)), 'source_changed');
    assert.equal(store.arrived.length, 0);
    await client.resume('f-1', path, { acceptModified: true });
    holds(bytes);
  });

  it('ends at once with the signal', async () => {
    const bytes = randomBytes(5_000);
    const { client, file } = await interrupted(bytes, [1]);
    const stopped = new AbortController();
    const { signal } = stopped;
    const onProgress = (): void => stopped.abort();
    assert.equal(await refusedAs(client.resume('f-1', bytes, { signal, onProgress })), 'aborted');
    assert.equal(file.status, 'pending');
  });
});

describe('resume of a file that is uploaded by a single PUT', () => {
  const single = { isMultipart: false };

  it('completes where the object is at the store', async () => {
    const bytes = randomBytes(500);
    const { client, file, store, holds } = await startUpload(500, single);
    file.held.set(1, bytes);
    await client.resume('f-1', bytes);
    holds(bytes);
    assert.equal(store.arrived.length, 0);
  });

  it('sends it to a fresh URL where it is not, from every source', async () => {
    const bytes = randomBytes(5_000);
    for (const [name, { source }] of Object.entries(await sourcesOf(bytes))) {
      const { client, store, calls, holds } = await startUpload(5_000, single);
      await client.resume('f-1', source);
      holds(bytes, name);
      assert.equal(store.arrived[0]?.headers['content-type'], 'text/plain', 'as required');
      assert.deepEqual(calls().slice(-3), [COMPLETE, 'POST /v1/upload/url', COMPLETE]);
    }
  });

  it('sends it once: an uncertain PUT is not repeated', async () => {
    const { client, store } = await startUpload(500, { ...single, put: () => breakOff });
    const code = await refusedAs(client.resume('f-1', randomBytes(500)));
    assert.deepEqual([code, store.arrived.length], ['upload_to_provider_failed', 1]);
  });
});
