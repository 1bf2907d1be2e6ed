import { join } from 'node:path';
import { escapeText, formatBytes, type Download } from '@storage-routing/client';
import type { Command } from 'commander';
import { checkFree, isFolder, safeName, writeWhole } from '../io/destination.ts';
import { EXIT, exitCodeFor, combineExitCodes, type ExitCode, wrongUsage } from '../io/failure.ts';
import { runConcurrently, type Invocation, type Perform, subcommand } from '../io/invocation.ts';
import { createTransferBar, type TransferBar } from '../present/transfer.ts';

interface GetOptions {
  output?: string;
  force?: boolean;
}

const STDOUT = '-';
const DELETES_AT_ONCE = 4;

/** `srs get <fileId>` and `srs rm <fileId...>` */
export function addFiles(parent: Command, perform: Perform): void {
  subcommand(parent, 'get', 'download a file from its store')
    .argument('<fileId>')
    .option('-o, --output <path>', 'where to; "-" is standard output (default: its own name, here)')
    .option('-f, --force', 'replace a file that is there')
    .action(perform(get));
  subcommand(parent, 'rm', 'delete files at their stores')
    .argument('<fileId...>')
    .action(perform(removeAll));
}

async function get(call: Invocation, fileId: string, options: GetOptions): Promise<ExitCode> {
  const { output, force = false } = options;
  if (output === STDOUT && call.json) throw wrongUsage('--json and "-o -" both want stdout');
  // An existing file is refused before the first request, if its name is known.
  if (output !== undefined && output !== STDOUT) {
    if (!(await isFolder(output))) await checkFree(output, force);
  }
  const client = await call.client();
  const download = await client.download(fileId, { signal: call.signal });
  const bar = createTransferBar(call.print.bar, 1, call.context.now);
  bar.expect(download.file.fileSizeBytes);
  if (output === STDOUT) return await printAll(call, download, bar);
  const path = await pathFor(call, download, output);
  await writeWhole(path, force, counted(download, bar));
  const { fileSizeBytes, provider, contentType } = download.file;
  const saved = { fileId, path, fileSizeBytes, provider, contentType };
  await call.print.result(saved, () => `${escapeText(path)}  ${formatBytes(fileSizeBytes)}`);
  return EXIT.done;
}

async function pathFor(
  { context }: Invocation,
  { file }: Download,
  output: string | undefined,
): Promise<string> {
  const name = safeName(file.fileName, safeName(file.fileId, 'file'));
  if (output === undefined) return join(context.workingFolder, name);
  return (await isFolder(output)) ? join(output, name) : output;
}

async function* counted({ body }: Download, bar: TransferBar): AsyncGenerator<Uint8Array> {
  let receivedBytes = 0;
  for await (const piece of body) {
    receivedBytes += piece.byteLength;
    bar.moved(0, receivedBytes);
    yield piece;
  }
}

async function printAll(call: Invocation, download: Download, bar: TransferBar): Promise<ExitCode> {
  for await (const piece of counted(download, bar)) {
    if (!(await call.print.data(piece))) break;
  }
  return EXIT.done;
}

async function removeAll(call: Invocation, fileIds: readonly string[]): Promise<ExitCode> {
  const client = await call.client();
  const codes = await runConcurrently(fileIds, DELETES_AT_ONCE, async (fileId) => {
    try {
      const result = await client.deleteFile(fileId, { signal: call.signal });
      await call.print.result(result, () =>
        result.status === 'deleted'
          ? `${fileId}  deleted`
          : `${fileId}  deleting (the service retries for 7 days)`,
      );
      return EXIT.done;
    } catch (error) {
      call.print.failure(error, { file: fileId });
      return exitCodeFor(error, call.signal);
    }
  });
  return combineExitCodes(codes);
}
