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

/** The bytes in pieces. */
export async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** A source without an end, and how many of its bytes were asked for. */
export function endless() {
  let given = 0;
  async function* source(): AsyncGenerator<Uint8Array> {
    for (;;) {
      given += 65_536;
      yield new Uint8Array(65_536);
    }
  }
  return { given: () => given, source: source() };
}

/** The same bytes as every kind of source. */
export async function sourcesOf(
  bytes: Buffer,
  pieceBytes = 337,
): Promise<Record<string, UploadSource>> {
  const path = await temporaryPath(`file-${bytes.length}.bin`);
  await writeFile(path, bytes);
  const [fileName, fileSizeBytes] = ['f.bin', bytes.length];
  const sent = () => pieces(bytes, pieceBytes);
  return {
    'a file path': { source: path },
    'a Buffer': { source: bytes, fileName },
    'a Uint8Array': { source: new Uint8Array(bytes), fileName },
    'an ArrayBuffer': { source: new Uint8Array(bytes).buffer, fileName },
    'a Blob': { source: new Blob([bytes]), fileName },
    'a Node stream': { source: Readable.from(sent()), fileName, fileSizeBytes },
    'a web stream': { source: new Blob([bytes]).stream(), fileName, fileSizeBytes },
    'a generator': { source: sent(), fileName, fileSizeBytes },
  };
}
