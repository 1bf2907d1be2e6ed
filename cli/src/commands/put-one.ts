import {
  escapeText,
  formatBytes,
  formatMoney,
  type CompleteResult,
  type Priority,
  type StartedFile,
  type StorageRoutingClient,
  type UploadRequest,
  type UploadResult,
} from '@storage-routing/client';
import mime from 'mime';
import { exitCodeFor, type ExitCode, EXIT } from '../io/failure.ts';
import { type FileToPut, STDIN } from '../io/files-to-put.ts';
import type { Invocation } from '../io/invocation.ts';
import { spool } from '../io/spool.ts';
import { quoteArgument } from '../io/text.ts';
import type { TransferBar } from '../present/transfer.ts';

/** The options of `srs put` that concern one file. */
export interface PutOptions {
  priority: Priority;
  contentType?: string;
  size?: number;
  parts: number;
  resume?: string;
  acceptModified?: boolean;
}

interface OnePut {
  file: FileToPut;
  /** Its place among the files of the run. */
  index: number;
  options: PutOptions;
  bar: TransferBar;
}

/** Failures after which the same command would fail again. */
const FINAL_CODES = new Set([
  'file_not_found',
  'file_deleted',
  'file_expired',
  'source_changed',
  'source_size_mismatch',
]);

/** Uploads or resumes one file, and prints the outcome. Never rejects. */
export async function putOne(
  call: Invocation,
  client: StorageRoutingClient,
  one: OnePut,
): Promise<ExitCode> {
  const { file, index, bar } = one;
  const { path } = file;
  try {
    const result = await transfer(call, client, one);
    bar.finished(index);
    await print(call, path === STDIN ? file.fileName : path, result);
    return EXIT.done;
  } catch (error) {
    bar.finished(index);
    call.print.failure(error, { file: path });
    const { fileId, code } = error as { fileId?: string; code?: string };
    if (fileId !== undefined && !FINAL_CODES.has(code ?? '')) {
      const input = path === STDIN ? ', with the same standard input' : '';
      call.print.note(`to continue${input}: ${resumeCommand(call, fileId, path)}`);
    }
    return exitCodeFor(error, call.signal);
  }
}

async function transfer(
  call: Invocation,
  client: StorageRoutingClient,
  { file, index, options, bar }: OnePut,
): Promise<CompleteResult | UploadResult> {
  let isFirst = true;
  const transferOptions = {
    signal: call.signal,
    parallelParts: options.parts,
    onRetry: call.print.retry,
    onProgress: (progress: { sentBytes: number; confirmedBytes?: number; totalBytes: number }) => {
      const { sentBytes, confirmedBytes = sentBytes } = progress;
      if (isFirst && options.resume !== undefined) {
        bar.expect(progress.totalBytes);
        bar.began(confirmedBytes);
      }
      isFirst = false;
      bar.moved(index, confirmedBytes);
    },
  };
  const { resume, acceptModified } = options;
  if (resume !== undefined) {
    const source = file.path === STDIN ? call.context.stdin : file.path;
    const result = await client.resume(resume, source, { ...transferOptions, acceptModified });
    if (isFirst) call.print.note(`nothing was sent: the store had all bytes of ${resume}`);
    return result;
  }
  return await withSource(call, file, options, (source) =>
    client.upload({
      ...source,
      ...transferOptions,
      contentType: options.contentType ?? guessMediaType(source.fileName),
      priority: options.priority,
      onStarted: (started: StartedFile) => noteStart(call, file.path, started),
    } as UploadRequest),
  );
}

/** Printed at the beginning, because a killed process cannot print it. */
function noteStart(call: Invocation, path: string, { fileId, multipart }: StartedFile): void {
  if (!multipart) return;
  const command = resumeCommand(call, fileId, path);
  call.print.note(`${escapeText(path)}: is sent in parts; after an interruption: ${command}`);
}

/** The command that resumes a file, quoted for a shell. */
function resumeCommand({ accessOptions }: Invocation, fileId: string, path: string): string {
  const { baseUrl, insecure } = accessOptions;
  return [
    'srs put',
    ...(baseUrl === undefined ? [] : ['--base-url', quoteArgument(baseUrl)]),
    ...(insecure === true ? ['--insecure'] : []),
    '--resume',
    quoteArgument(fileId),
    path === STDIN ? path : quoteArgument(path),
  ].join(' ');
}

async function print(
  call: Invocation,
  path: string,
  result: CompleteResult | UploadResult,
): Promise<void> {
  if ('routingWarning' in result && result.routingWarning !== undefined)
    call.print.note(`${escapeText(path)}: ${escapeText(result.routingWarning)}`);
  await call.print.result({ file: path, ...result }, () => {
    const { fileId, provider, fileSizeBytes } = result;
    const saves = 'savedVsAws' in result ? [`saves ${formatMoney(result.savedVsAws)} a month`] : [];
    return [fileId, provider, formatBytes(fileSizeBytes), ...saves, escapeText(path)].join('  ');
  });
}

/** The file, the stream if its size is given, otherwise a temporary copy on disk. */
async function withSource<Result>(
  { context, signal }: Invocation,
  { path, fileName }: FileToPut,
  { size }: PutOptions,
  work: (source: { fileName: string; source: unknown; fileSizeBytes?: number }) => Promise<Result>,
): Promise<Result> {
  if (path !== STDIN) return await work({ source: path, fileName });
  if (size !== undefined)
    return await work({ source: context.stdin, fileName, fileSizeBytes: size });
  const spooled = await spool(context.stdin, signal);
  try {
    return await work({ source: spooled.path, fileName });
  } finally {
    await spooled.remove();
  }
}

function guessMediaType(fileName: string): string {
  return mime.getType(fileName) ?? 'application/octet-stream';
}
