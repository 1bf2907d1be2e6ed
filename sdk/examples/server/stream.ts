/** A stream goes to the store as it is read. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { client, show } from './client.ts';

// README
const stopped = new AbortController();
const stored = await client.upload({
  source: createReadStream('film.mp4'),
  fileName: 'film.mp4',
  fileSizeBytes: (await stat('film.mp4')).size,
  priority: 'archive', // or 'hot' (the default) or 'cold'
  onProgress: ({ sentBytes, totalBytes }) => show(sentBytes / totalBytes),
  signal: stopped.signal,
});
// end

console.log(stored.status);
