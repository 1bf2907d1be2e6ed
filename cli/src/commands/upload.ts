import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Priority, StorageRoutingClient, UploadRequest } from '@storage-routing/client';
import { type Command, Option } from 'commander';
import mime from 'mime';
import { exitCodeOf, exitCodeOfMany, type ExitCode, EXIT, wrongUsage } from '../io/failure.ts';
import {
  eachOf,
  type Invocation,
  type Perform,
  subcommand,
  wholeNumber,
} from '../io/invocation.ts';
import { createTransferBar, type TransferBar } from '../present/transfer.ts';
import { shown, shownBytes } from '../io/text.ts';
import { spool } from '../io/spool.ts';

interface UploadOptions {
  priority: Priority;
  contentType?: string;
  name?: string;
  size?: number;
  concurrency: number;
}

const STDIN = '-';

/** `srs upload <file...>` */
export function addUpload(parent: Command, perform: Perform): void {
  subcommand(parent, 'upload', 'send files to the store that the service chooses for each')
    .argument('<file...>', 'paths; "-" is standard input')
    .addOption(
      new Option('-p, --priority <priority>', 'what they are kept for')
        .choices(['hot', 'archive', 'cold'])
        .default('hot'),
    )
    .option('--content-type <type>', 'a media type for all of them, instead of one by each name')
    .option('--name <name>', 'another name than the file has (one file; needed for "-")')
    .option('--size <bytes>', 'how many bytes "-" has', wholeNumber(0, Number.MAX_SAFE_INTEGER))
    .option('--concurrency <n>', 'how many at a time', wholeNumber(1, 64), 4)
    .action((paths: string[], options: UploadOptions, command: Command) =>
      perform(command, (call) => uploadAll(call, paths, options)),
    );
}

async function uploadAll(
  call: Invocation,
  paths: readonly string[],
  options: UploadOptions,
): Promise<ExitCode> {
  checkOptions(paths, options);
  const client = await call.client();
  const bar = createTransferBar(call.print.bar, paths.length, call.context.now);
  const sizes = await Promise.all(paths.map((path) => sizeOf(path, options)));
  bar.expect(sizes.reduce((sum, size) => sum + size, 0));
  const codes = await eachOf([...paths.entries()], options.concurrency, ([index, path]) =>
    // After an interruption, uploads that have not started are skipped without a message each.
    call.signal.aborted
      ? Promise.resolve(exitCodeOf(call.signal.reason, call.signal))
      : uploadOne(call, client, { path, index, options, bar }),
  );
  if (paths.length > 1) {
    const done = codes.filter((code) => code === EXIT.done).length;
    call.print.note(`${done} of ${paths.length} files uploaded`);
  }
  return exitCodeOfMany(codes);
}

function checkOptions(paths: readonly string[], { name, size }: UploadOptions): void {
  const stdins = paths.filter((path) => path === STDIN).length;
  if (stdins > 1) throw wrongUsage('standard input can be uploaded once');
  if (name !== undefined && paths.length > 1) throw wrongUsage('--name is for one file');
  if (stdins === 1 && name === undefined) throw wrongUsage('"-" needs a --name');
  if (size !== undefined && stdins === 0) throw wrongUsage('--size is for "-"');
}

/** For the progress bar only; the upload itself reports an unreadable file. */
async function sizeOf(path: string, { size }: UploadOptions): Promise<number> {
  if (path === STDIN) return size ?? 0;
  return await stat(path).then(
    (found) => (found.isFile() ? found.size : 0),
    () => 0,
  );
}

interface OneUpload {
  path: string;
  index: number;
  options: UploadOptions;
  bar: TransferBar;
}

async function uploadOne(
  call: Invocation,
  client: StorageRoutingClient,
  { path, index, options, bar }: OneUpload,
): Promise<ExitCode> {
  try {
    const result = await withSource(call, path, options, (source) =>
      client.upload({
        ...source,
        contentType: options.contentType ?? typeOf(source.fileName),
        priority: options.priority,
        signal: call.signal,
        onProgress: ({ sentBytes }) => bar.moved(index, sentBytes),
      } as UploadRequest),
    );
    bar.finished(index);
    if (result.routingWarning !== undefined)
      call.print.note(`${shown(path)}: ${shown(result.routingWarning)}`);
    await call.print.result({ file: path, ...result }, () => {
      const { fileId, provider, fileSizeBytes, savedVsAwsFixed } = result;
      return `${fileId}  ${provider}  ${shownBytes(fileSizeBytes)}  saves $${savedVsAwsFixed} a month  ${shown(path)}`;
    });
    return EXIT.done;
  } catch (error) {
    bar.finished(index);
    call.print.failure(error, { file: path });
    if (call.signal.aborted && isNamed(error))
      call.print.note(`file ${error.fileId} was not finished; it expires by itself`);
    return exitCodeOf(error, call.signal);
  }
}

function isNamed(error: unknown): error is Error & { fileId: string } {
  return error instanceof Error && 'fileId' in error && typeof error.fileId === 'string';
}

/** The source of the upload: the file, the stream where its size is given, else a temporary copy on disk. */
async function withSource<Result>(
  { context, signal }: Invocation,
  path: string,
  { name, size }: UploadOptions,
  work: (source: { fileName: string; source: unknown; fileSizeBytes?: number }) => Promise<Result>,
): Promise<Result> {
  if (path !== STDIN) return await work({ source: path, fileName: name ?? basename(path) });
  const fileName = name ?? '';
  if (size !== undefined)
    return await work({ source: context.stdin, fileName, fileSizeBytes: size });
  const spooled = await spool(context.stdin, signal);
  try {
    return await work({ source: spooled.path, fileName });
  } finally {
    await spooled.remove();
  }
}

function typeOf(fileName: string): string {
  return mime.getType(fileName) ?? 'application/octet-stream';
}
