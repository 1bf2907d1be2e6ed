import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { UploadSource } from '../../../sdk/src/index.ts';

let folder: string | undefined;
after(async () => {
  if (folder !== undefined) await rm(folder, { recursive: true });
});

/** A path for a file, in a folder that is removed after the tests. */
export async function temporaryPath(name: string): Promise<string> {
  folder ??= await mkdtemp(join(tmpdir(), 'srs-sdk-sources-'));
  return join(folder, name);
}

/** The same bytes as every kind of source. */
export async function sourcesOf(bytes: Buffer): Promise<Record<string, UploadSource>> {
  const path = await temporaryPath(`file-${bytes.length}.bin`);
  await writeFile(path, bytes);
  const [fileName, fileSizeBytes] = ['f.bin', bytes.length];
  function* pieces(): Generator<Buffer> {
    for (let at = 0; at < bytes.length; at += 337) yield bytes.subarray(at, at + 337);
  }
  return {
    'a file path': { source: path },
    'a Buffer': { source: bytes, fileName },
    'an ArrayBuffer': { source: new Uint8Array(bytes).buffer, fileName },
    'a Blob': { source: new Blob([bytes]), fileName },
    'a Node stream': { source: Readable.from(pieces()), fileName, fileSizeBytes },
    'a web stream': { source: new Blob([bytes]).stream(), fileName, fileSizeBytes },
  };
}
