import { createWriteStream } from 'node:fs';
import { chmod, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { runLogged } from './commands.ts';

const ANSWER_WITHIN_MS = 3_000;
const SILENCE_MS = 30_000;
const MOST_REDIRECTS = 5;

/** @throws Error if the host cannot be reached within 3 s */
export async function requireReachable(url: string): Promise<void> {
  await requestOnce(url, 'HEAD', new AbortController());
}

/** Downloads one file; gives up after 3 s without an answer, or 30 s without a byte. */
export async function download(url: string, file: string): Promise<void> {
  const abort = new AbortController();
  let target = url;
  for (let hop = 0; hop <= MOST_REDIRECTS; hop += 1) {
    const response = await requestOnce(target, 'GET', abort);
    const location = response.headers.get('location');
    if (response.status >= 300 && response.status < 400 && location !== null) {
      target = new URL(location, target).href;
      continue;
    }
    if (!response.ok || response.body === null)
      throw new Error(`${new URL(target).host} answered ${response.status}`);
    let silence = setTimeout(() => abort.abort(), SILENCE_MS);
    const watch = new Transform({
      transform(chunk, _encoding, done) {
        clearTimeout(silence);
        silence = setTimeout(() => abort.abort(), SILENCE_MS);
        done(null, chunk);
      },
    });
    await pipeline(Readable.fromWeb(response.body), watch, createWriteStream(file)).finally(() =>
      clearTimeout(silence),
    );
    return;
  }
  throw new Error(`more than ${MOST_REDIRECTS} redirects from ${new URL(url).host}`);
}

/** Downloads a .tar.gz and extracts its program to `folder/program`. */
export async function downloadFromArchive(
  url: string,
  program: string,
  folder: string,
  logFile: string,
): Promise<void> {
  const archive = join(folder, 'archive.tar.gz');
  const unpacked = join(folder, 'unpacked');
  await download(url, archive);
  await runLogged('mkdir', ['-p', unpacked], { logFile, timeoutMs: 5_000 });
  await runLogged('tar', ['-xzf', archive, '-C', unpacked], { logFile, timeoutMs: 120_000 });
  const files = await readdir(unpacked, { recursive: true });
  const found = files.find((path) => path === program || path.endsWith(`/${program}`));
  if (found === undefined) throw new Error(`no ${program} in the archive of ${new URL(url).host}`);
  await rename(join(unpacked, found), join(folder, program));
  await chmod(join(folder, program), 0o755);
  await rm(archive);
  await rm(unpacked, { recursive: true });
}

async function requestOnce(
  url: string,
  method: 'GET' | 'HEAD',
  abort: AbortController,
): Promise<Response> {
  const tooLate = setTimeout(() => abort.abort(), ANSWER_WITHIN_MS);
  try {
    return await fetch(url, { method, redirect: 'manual', signal: abort.signal });
  } catch (error) {
    const cause =
      error instanceof Error ? (error.cause as NodeJS.ErrnoException | undefined)?.code : undefined;
    const reason = abort.signal.aborted
      ? `no answer in ${ANSWER_WITHIN_MS} ms`
      : (cause ?? String(error));
    throw new Error(`${new URL(url).host} cannot be reached: ${reason}`, { cause: error });
  } finally {
    clearTimeout(tooLate);
  }
}
