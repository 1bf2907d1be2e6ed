import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Readable } from 'node:stream';

/** Writes a stream to a private temporary file, because stores require the size first. */
export async function spool(source: Readable, signal: AbortSignal) {
  const folder = await mkdtemp(join(tmpdir(), 'srs-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const path = join(folder, 'stdin');
  try {
    await pipeline(source, createWriteStream(path, { mode: 0o600, flags: 'wx' }), { signal });
    return { path, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
