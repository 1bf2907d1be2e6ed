import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { appendFile, truncate, utimes, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { UploadProgress } from '../../../sdk/src/index.ts';
import { startMultipartServers } from './multipart-servers.ts';
import { breakOff, clientFor, errorOf } from './servers.ts';
import { temporaryPath } from './sources.ts';

const multipart = true;

describe('a source that changes between its parts', () => {
  const changes: Record<string, (path: string) => Promise<void>> = {
    grows: (path) => appendFile(path, 'more'),
    shrinks: (path) => truncate(path, 9_000),
    'is written to': (path) => utimes(path, 1, 1),
  };
  for (const [name, change] of Object.entries(changes)) {
    it(`is never completed: a file that ${name}`, async () => {
      const path = await temporaryPath(`changing-${name.length}.bin`);
      await writeFile(path, randomBytes(10_000));
      const servers = await startMultipartServers(10_000);
      let changing: Promise<void> | undefined;
      const onProgress = ({ confirmedBytes = 0 }: UploadProgress): void => {
        if (confirmedBytes > 0) changing ??= change(path);
      };
      const request = { source: path, multipart, parallelParts: 1, onProgress };
      const error = await errorOf(clientFor(servers.service).client.upload(request));
      await changing;
      assert.deepEqual([error.code, error.fileId], ['source_changed', 'f-1']);
      assert.ok(!servers.calls().includes('POST /v1/upload/complete'));
    });
  }

  it('is never completed: a File of a browser whose file was replaced', async () => {
    const blob = new Blob([randomBytes(3_000)]);
    const servers = await startMultipartServers(3_000, {
      put: (partNumber) => {
        if (partNumber !== 2) return undefined;
        blob.slice = () =>
          ({ arrayBuffer: () => Promise.reject(new Error('NotReadable')) }) as never;
        return breakOff;
      },
    });
    const { client } = clientFor(servers.service);
    const request = { source: blob, fileName: 'x', multipart, parallelParts: 1 };
    assert.equal((await errorOf(client.upload(request))).code, 'source_changed');
  });

  for (const [size, announced] of [
    [3_499, 3_500],
    [3_501, 3_500],
    [10_000, 3_500],
    [0, 1],
  ] as const) {
    it(`is never completed: a stream of ${size} bytes instead of ${announced}`, async () => {
      const servers = await startMultipartServers(announced);
      const source = Readable.from(size === 0 ? [] : [randomBytes(size)]);
      const { client } = clientFor(servers.service);
      const request = { source, fileName: 'x', fileSizeBytes: announced, multipart };
      const error = await errorOf(client.upload(request));
      assert.deepEqual([error.code, error.fileId], ['source_size_mismatch', 'f-1']);
      assert.ok(!servers.file.puts.includes(servers.file.partCount), 'the last part is held back');
    });
  }

  it('or fails ends with source_failed', async () => {
    const servers = await startMultipartServers(5_000);
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield randomBytes(2_500);
      throw new Error('the disk is gone');
    }
    const request = { source: failing(), fileName: 'x', fileSizeBytes: 5_000, multipart };
    const error = await errorOf(clientFor(servers.service).client.upload(request));
    assert.deepEqual([error.code, error.fileId], ['source_failed', 'f-1']);
  });

  it('or stalls ends with timeout', async () => {
    const servers = await startMultipartServers(5_000);
    const source = new Readable({ read: () => undefined });
    source.push(randomBytes(2_500));
    const { client } = clientFor(servers.service, { stallTimeoutMs: 1_000 });
    const request = { source, fileName: 'x', fileSizeBytes: 5_000, multipart };
    assert.equal((await errorOf(client.upload(request))).code, 'timeout');
    assert.equal(source.destroyed, true);
  });
});
