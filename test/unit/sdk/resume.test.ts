import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { utimes, writeFile } from 'node:fs/promises';
import type { UploadProgress } from '../../../sdk/src/index.ts';
import { type MultipartServers, sha256, startMultipartServers } from './multipart-servers.ts';
import { breakOff, clientFor, errorOf, refusal } from './servers.ts';
import { sourcesOf, temporaryPath } from './sources.ts';

/** A file of which the store holds these parts. */
async function interrupted(bytes: Buffer, held: number[]): Promise<MultipartServers> {
  const servers = await startMultipartServers(bytes.length);
  for (const part of held) {
    servers.file.held.set(part, bytes.subarray((part - 1) * 1_000, part * 1_000));
  }
  return servers;
}

const COMPLETE = 'POST /v1/upload/complete';

describe('resume', () => {
  for (const held of [[], [1], [2, 4], [1, 2, 3, 4, 5, 6], [7], [1, 2, 3, 4, 5, 6, 7]]) {
    it(`sends what the store lacks where it holds ${held.join(', ') || 'nothing'}`, async () => {
      const bytes = randomBytes(6_500);
      for (const [name, { source }] of Object.entries(await sourcesOf(bytes))) {
        const servers = await interrupted(bytes, held);
        const seen: UploadProgress[] = [];
        const onProgress = (progress: UploadProgress): void => void seen.push(progress);
        const { client } = clientFor(servers.service);
        const result = await client.resume('f-1', source, { onProgress });
        assert.deepEqual([result.status, result.fileSizeBytes], ['active', 6_500], name);
        assert.equal(servers.object(), sha256(bytes), name);
        const missing = [1, 2, 3, 4, 5, 6, 7].filter((part) => !held.includes(part));
        assert.deepEqual(
          [...servers.file.puts].sort((a, b) => a - b),
          missing,
          name,
        );
        const heldBytes = held.reduce((sum, part) => sum + (part === 7 ? 500 : 1_000), 0);
        assert.equal(seen[0]?.confirmedBytes, heldBytes, name);
        assert.equal(seen.at(-1)?.confirmedBytes, 6_500, name);
      }
    });
  }

  it('sends parts of another size again', async () => {
    const bytes = randomBytes(3_500);
    const servers = await interrupted(bytes, [1, 2, 3, 4]);
    servers.file.held.set(2, bytes.subarray(0, 10));
    await clientFor(servers.service).client.resume('f-1', bytes);
    assert.deepEqual(servers.file.puts, [2]);
    assert.equal(servers.object(), sha256(bytes));
  });

  it('sends parts with other bytes again, from every source', async () => {
    const bytes = randomBytes(3_500);
    for (const [name, { source }] of Object.entries(await sourcesOf(bytes))) {
      const servers = await interrupted(bytes, [1, 2, 4]);
      // What a store may keep of a part that was cut off.
      servers.file.held.set(2, Buffer.concat([bytes.subarray(1_000, 1_100), Buffer.alloc(900)]));
      const seen: UploadProgress[] = [];
      const onProgress = (progress: UploadProgress): void => void seen.push(progress);
      await clientFor(servers.service).client.resume('f-1', source, { onProgress });
      assert.deepEqual(
        [...servers.file.puts].sort((a, b) => a - b),
        [2, 3],
        name,
      );
      assert.equal(servers.object(), sha256(bytes), name);
      assert.equal(seen.at(-1)?.confirmedBytes, 3_500, name);
    }
  });

  it('replaces all parts of another source of the same size', async () => {
    const bytes = randomBytes(3_500);
    const servers = await interrupted(randomBytes(3_500), [1, 2, 3]);
    await clientFor(servers.service).client.resume('f-1', bytes);
    assert.equal(servers.object(), sha256(bytes));
  });

  it('goes by sizes where the first 32 ETags are no MD5', async () => {
    const bytes = randomBytes(60);
    const etagOf = (part: Buffer): string => `kms-${part.toString('hex')}`;
    const servers = await startMultipartServers(60, { partSizeBytes: 1, etagOf });
    for (let part = 1; part <= 50; part += 1) {
      servers.file.held.set(part, bytes.subarray(part - 1, part));
    }
    await clientFor(servers.service).client.resume('f-1', bytes);
    assert.equal(servers.object(), sha256(bytes));
    assert.equal(servers.file.puts.length, 32 + 10);
  });

  it('goes on with an upload that was aborted, by the id in its error', async () => {
    const bytes = randomBytes(9_500);
    const servers = await startMultipartServers(bytes.length);
    const { client } = clientFor(servers.service);
    const stopped = new AbortController();
    const error = await errorOf(
      client.upload({
        source: bytes,
        fileName: 'x',
        multipart: true,
        signal: stopped.signal,
        onProgress: ({ confirmedBytes = 0 }) => confirmedBytes > 3_000 && stopped.abort(),
      }),
    );
    assert.equal(error.code, 'aborted');
    const before = servers.file.puts.length;
    await client.resume(error.fileId ?? '', bytes);
    assert.equal(servers.object(), sha256(bytes));
    assert.ok(servers.file.puts.length - before < 8, 'it sends only the rest');
  });

  it('answers like complete for an active file, and leaves the source alone', async () => {
    const servers = await interrupted(randomBytes(100), []);
    servers.file.status = 'active';
    const { client } = clientFor(servers.service);
    const result = await client.resume('f-1', await temporaryPath('is-gone'));
    assert.deepEqual(result, await client.complete('f-1'));
    assert.equal(servers.store.arrived.length, 0);
  });

  it('of an expired or a deleted file ends with what the service says', async () => {
    const servers = await interrupted(randomBytes(100), []);
    servers.file.status = 'expired';
    const { client } = clientFor(servers.service);
    const expired = await errorOf(client.resume('f-1', randomBytes(100)));
    assert.deepEqual([expired.code, expired.fileId], ['file_expired', 'f-1']);
    const gone = await startMultipartServers(100, { call: () => refusal(410, 'file_deleted') });
    const deleted = await errorOf(clientFor(gone.service).client.resume('f-1', randomBytes(100)));
    assert.deepEqual([deleted.code, deleted.fileId], ['file_deleted', 'f-1']);
  });

  it('answers like complete where another run completes the file meanwhile', async () => {
    const servers = await startMultipartServers(100, {
      call: (call) => {
        if (call !== 'POST /v1/upload/parts') return undefined;
        servers.file.status = 'active';
        return refusal(409, 'file_already_active');
      },
    });
    const result = await clientFor(servers.service).client.resume('f-1', randomBytes(100));
    assert.equal(result.status, 'active');
  });

  it('refuses a source of another size before it sends anything', async () => {
    const servers = await interrupted(randomBytes(2_000), [1]);
    const { client } = clientFor(servers.service);
    const error = await errorOf(client.resume('f-1', randomBytes(1_999)));
    assert.deepEqual([error.code, error.fileId], ['source_size_mismatch', 'f-1']);
    const missing = await errorOf(client.resume('f-1', await temporaryPath('is-gone')));
    assert.deepEqual([missing.code, missing.fileId], ['source_failed', 'f-1']);
    assert.equal(servers.store.arrived.length, 0);
  });

  it('refuses a file that was modified after its upload began, unless that is accepted', async () => {
    const bytes = randomBytes(2_000);
    const path = await temporaryPath('modified.bin');
    await writeFile(path, bytes);
    const servers = await interrupted(bytes, [1]);
    const { client } = clientFor(servers.service);
    const later = new Date(Date.parse(servers.file.createdAt) + 61_000);
    await utimes(path, later, later);
    const file = Object.assign(new Blob([bytes]), { lastModified: later.getTime() });
    for (const source of [path, file]) {
      const error = await errorOf(client.resume('f-1', source));
      assert.deepEqual([error.code, error.fileId], ['source_changed', 'f-1']);
    }
    assert.equal(servers.store.arrived.length, 0);
    await client.resume('f-1', path, { acceptModified: true });
    assert.equal(servers.object(), sha256(bytes));
  });

  it('ends at once with the signal', async () => {
    const bytes = randomBytes(5_000);
    const servers = await interrupted(bytes, [1]);
    const stopped = new AbortController();
    const { signal } = stopped;
    const onProgress = (): void => stopped.abort();
    const { client } = clientFor(servers.service);
    const error = await errorOf(client.resume('f-1', bytes, { signal, onProgress }));
    assert.deepEqual([error.code, error.fileId], ['aborted', 'f-1']);
    assert.equal(servers.object(), undefined);
  });
});

describe('resume of a file that is uploaded by a single PUT', () => {
  it('completes where the object is at the store', async () => {
    const bytes = randomBytes(500);
    const servers = await startMultipartServers(500, { isMultipart: false });
    servers.file.held.set(1, bytes);
    await clientFor(servers.service).client.resume('f-1', bytes);
    assert.equal(servers.object(), sha256(bytes));
    assert.equal(servers.store.arrived.length, 0);
  });

  it('sends it to a fresh URL where it is not, from every source', async () => {
    const bytes = randomBytes(5_000);
    for (const [name, { source }] of Object.entries(await sourcesOf(bytes))) {
      const servers = await startMultipartServers(5_000, { isMultipart: false });
      await clientFor(servers.service).client.resume('f-1', source);
      assert.equal(servers.object(), sha256(bytes), name);
      const [put] = servers.store.arrived;
      assert.equal(put?.headers['content-type'], 'text/plain', 'the required headers');
      const calls = servers.calls();
      assert.deepEqual(calls.slice(-3), [COMPLETE, 'POST /v1/upload/url', COMPLETE]);
    }
  });

  it('sends it once: an uncertain PUT is not repeated', async () => {
    const servers = await startMultipartServers(500, { isMultipart: false, put: () => breakOff });
    const { client } = clientFor(servers.service);
    const error = await errorOf(client.resume('f-1', randomBytes(500)));
    assert.deepEqual([error.code, error.fileId], ['upload_to_provider_failed', 'f-1']);
    assert.equal(servers.store.arrived.length, 1);
  });
});
