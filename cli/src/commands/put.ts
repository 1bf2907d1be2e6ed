import { escapeText, formatNumber, PRIORITIES } from '@storage-routing/client';
import { type Command, Option } from 'commander';
import { filesInFolders, type FilesToPut, singleFile, STDIN } from '../io/files-to-put.ts';
import { exitCodeFor, combineExitCodes, type ExitCode, EXIT, wrongUsage } from '../io/failure.ts';
import {
  runConcurrently,
  type Invocation,
  type Perform,
  subcommand,
  wholeNumber,
} from '../io/invocation.ts';
import { createTransferBar } from '../present/transfer.ts';
import { putOne, type PutOptions } from './put-one.ts';

interface Options extends PutOptions {
  name?: string;
  recursive?: boolean;
  concurrency: number;
}

/** Options that a file has from its first run. */
const OF_THE_FIRST_RUN = ['priority', 'contentType', 'name', 'size', 'recursive'] as const;

/** `srs put <file...>` */
export function addPut(parent: Command, perform: Perform): void {
  subcommand(parent, 'put', 'upload files, each to the store that the service chooses')
    .alias('upload')
    .argument('<file...>', 'paths; "-" is standard input')
    .addOption(
      new Option('-p, --priority <priority>', 'decides the store')
        .choices(PRIORITIES)
        .default('hot'),
    )
    .option('--content-type <type>', 'a media type for all of them, instead of one by each name')
    .option('--name <name>', 'the name to store, instead of its own (one file; required for "-")')
    .option('--size <bytes>', 'the size of "-" in bytes', wholeNumber(0, Number.MAX_SAFE_INTEGER))
    .option('-r, --recursive', 'every file in the given folders')
    .option('--concurrency <n>', 'how many files at a time', wholeNumber(1, 64), 4)
    .option('--parts <n>', 'how many parts of a large file at a time', wholeNumber(1, 32), 4)
    .option('--resume <fileId>', 'continue the upload of this file')
    .option('--accept-modified', 'resume although the file was modified after its upload began')
    .addHelpText(
      'after',
      '\nA second run sends the same files again, each as a new file. Links in folders are not followed.',
    )
    .action(perform(putAll));
}

function checkOptions(paths: readonly string[], options: Options, command: Command): void {
  const { name, size, resume, acceptModified, recursive } = options;
  const stdins = paths.filter((path) => path === STDIN).length;
  if (resume !== undefined) {
    if (paths.length > 1) throw wrongUsage('--resume is for one file');
    const given = OF_THE_FIRST_RUN.find((option) => command.getOptionValueSource(option) === 'cli');
    if (given !== undefined) throw wrongUsage('a resumed file keeps its name, type and priority');
    return;
  }
  if (acceptModified === true) throw wrongUsage('--accept-modified is for --resume');
  if (recursive === true) {
    if (name !== undefined) throw wrongUsage('the files of a folder keep their names');
    if (stdins > 0) throw wrongUsage('"-" is no folder');
  }
  if (stdins > 1) throw wrongUsage('standard input can be uploaded once');
  if (name !== undefined && paths.length > 1) throw wrongUsage('--name is for one file');
  if (stdins === 1 && name === undefined) throw wrongUsage('"-" needs a --name');
  if (size !== undefined && stdins === 0) throw wrongUsage('--size is for "-"');
}

async function putAll(
  call: Invocation,
  paths: readonly string[],
  options: Options,
  command: Command,
): Promise<ExitCode> {
  checkOptions(paths, options, command);
  const client = await call.client();
  const { files, skipped } = await findFiles(paths, options);
  if (files.length === 0) throw wrongUsage('there is no file in these folders');
  const bar = createTransferBar(call.print.bar, files.length, call.context.now);
  bar.expect(files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) + (options.size ?? 0));
  let end: ExitCode | undefined;
  const failed: string[] = [];
  const codes = await runConcurrently(
    [...files.entries()],
    options.concurrency,
    async ([index, file]) => {
      // What ends every upload ends the run; those that have not started are skipped without a
      // message each.
      if (call.signal.aborted) end = exitCodeFor(call.signal.reason, call.signal);
      if (end !== undefined) return end;
      const code = await putOne(call, client, { file, index, options, bar });
      if (code !== EXIT.done) failed.push(file.path);
      if (code === EXIT.unauthorised || code === EXIT.plan) end = code;
      return code;
    },
  );
  summarise(call, codes, { files, skipped }, failed);
  return combineExitCodes(codes);
}

async function findFiles(
  paths: readonly string[],
  { recursive, name }: Options,
): Promise<FilesToPut> {
  if (recursive === true) return await filesInFolders(paths);
  return { files: await Promise.all(paths.map((path) => singleFile(path, name))), skipped: 0 };
}

function summarise(
  { print }: Invocation,
  codes: readonly ExitCode[],
  { files, skipped }: FilesToPut,
  failed: readonly string[],
): void {
  if (skipped > 0)
    print.note(`${formatNumber(skipped)} skipped: links, and what is neither file nor folder`);
  if (files.length === 1) return;
  const done = codes.filter((code) => code === EXIT.done).length;
  for (const path of failed) print.note(`failed: ${escapeText(path)}`);
  const untried = files.length - done - failed.length;
  const unsent = untried === 0 ? '' : `, ${formatNumber(untried)} not tried`;
  print.note(`${formatNumber(done)} of ${formatNumber(files.length)} files uploaded${unsent}`);
}
