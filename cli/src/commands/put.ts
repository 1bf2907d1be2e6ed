import { stat } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { exitCodeOf, exitCodeOfMany, type ExitCode, EXIT, wrongUsage } from '../io/failure.ts';
import {
  eachOf,
  type Invocation,
  type Perform,
  subcommand,
  wholeNumber,
} from '../io/invocation.ts';
import { createTransferBar } from '../present/transfer.ts';
import { putOne, type PutOptions, STDIN } from './put-one.ts';

interface Options extends PutOptions {
  concurrency: number;
}

/** Options that a file has from its first run. */
const OF_THE_FIRST_RUN = ['priority', 'contentType', 'name', 'size'] as const;

/** `srs put <file...>` */
export function addPut(parent: Command, perform: Perform): void {
  subcommand(parent, 'put', 'send files to the store that the service chooses for each')
    .alias('upload')
    .argument('<file...>', 'paths; "-" is standard input')
    .addOption(
      new Option('-p, --priority <priority>', 'what they are kept for')
        .choices(['hot', 'archive', 'cold'])
        .default('hot'),
    )
    .option('--content-type <type>', 'a media type for all of them, instead of one by each name')
    .option('--name <name>', 'another name than the file has (one file; needed for "-")')
    .option('--size <bytes>', 'how many bytes "-" has', wholeNumber(0, Number.MAX_SAFE_INTEGER))
    .option('--concurrency <n>', 'how many files at a time', wholeNumber(1, 64), 4)
    .option('--parts <n>', 'how many parts of a large file at a time', wholeNumber(1, 32), 4)
    .option('--resume <fileId>', 'go on with the upload of this file')
    .option('--accept-modified', 'resume although the file was modified after its upload began')
    .action((paths: string[], options: Options, command: Command) =>
      perform(command, (call) => {
        checkOptions(paths, options, command);
        return putAll(call, paths, options);
      }),
    );
}

function checkOptions(paths: readonly string[], options: Options, command: Command): void {
  const { name, size, resume, acceptModified } = options;
  const stdins = paths.filter((path) => path === STDIN).length;
  if (resume !== undefined) {
    if (paths.length > 1) throw wrongUsage('--resume is for one file');
    const given = OF_THE_FIRST_RUN.find((option) => command.getOptionValueSource(option) === 'cli');
    if (given !== undefined) throw wrongUsage('a resumed file keeps its name, type and priority');
    return;
  }
  if (acceptModified === true) throw wrongUsage('--accept-modified is for --resume');
  if (stdins > 1) throw wrongUsage('standard input can be uploaded once');
  if (name !== undefined && paths.length > 1) throw wrongUsage('--name is for one file');
  if (stdins === 1 && name === undefined) throw wrongUsage('"-" needs a --name');
  if (size !== undefined && stdins === 0) throw wrongUsage('--size is for "-"');
}

async function putAll(
  call: Invocation,
  paths: readonly string[],
  options: Options,
): Promise<ExitCode> {
  const client = await call.client();
  const bar = createTransferBar(call.print.bar, paths.length, call.context.now);
  const sizes = await Promise.all(paths.map((path) => sizeOf(path, options)));
  bar.expect(sizes.reduce((sum, size) => sum + size, 0));
  const codes = await eachOf([...paths.entries()], options.concurrency, ([index, path]) =>
    // After an interruption, uploads that have not started are skipped without a message each.
    call.signal.aborted
      ? Promise.resolve(exitCodeOf(call.signal.reason, call.signal))
      : putOne(call, client, { path, index, options, bar }),
  );
  if (paths.length > 1) {
    const done = codes.filter((code) => code === EXIT.done).length;
    call.print.note(`${done} of ${paths.length} files uploaded`);
  }
  return exitCodeOfMany(codes);
}

/** For the progress bar only; the upload itself reports an unreadable file. */
async function sizeOf(path: string, { size }: PutOptions): Promise<number> {
  if (path === STDIN) return size ?? 0;
  return await stat(path).then(
    (found) => (found.isFile() ? found.size : 0),
    () => 0,
  );
}
