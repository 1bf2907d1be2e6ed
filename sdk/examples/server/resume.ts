/** An upload in parts that is cut off, and goes on. */
import { StorageRoutingError } from '@storage-routing/client';
import { client } from './client.ts';

/** Yours: a database, a file. */
const kept: { fileId?: string } = {};
const stopped = new AbortController();

/** Here the upload is cut off on purpose. */
function show(part: number): void {
  console.error(part);
  if (part > 0.3) stopped.abort();
}

// README
try {
  await client.upload({
    source: 'film.mp4',
    parallelParts: 8,
    onStarted: ({ fileId }) => (kept.fileId = fileId), // survives a crash of this process
    onProgress: ({ confirmedBytes = 0, totalBytes }) => show(confirmedBytes / totalBytes),
    signal: stopped.signal,
  });
} catch (error) {
  if (!(error instanceof StorageRoutingError) || error.fileId === undefined) throw error;
  await client.resume(error.fileId, 'film.mp4');
}
// end

console.log((await client.getFile(kept.fileId ?? '')).status);
