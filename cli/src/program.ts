import { Command, CommanderError } from 'commander';
import { addAccount } from './commands/account.ts';
import { addApprove } from './commands/approve.ts';
import { addConnections } from './commands/connections.ts';
import { addFiles } from './commands/files.ts';
import { addLists } from './commands/lists.ts';
import { addKeys } from './commands/keys.ts';
import { addLogin } from './commands/login.ts';
import { addMigration } from './commands/migration.ts';
import { addProviders } from './commands/providers.ts';
import { addPut } from './commands/put.ts';
import { addScan } from './commands/scan.ts';
import { EXIT, type ExitCode, withoutCredentials } from './io/failure.ts';
import { createPerform } from './io/invocation.ts';
import { shown, shownJson } from './io/text.ts';
import type { CliContext } from './io/context.ts';
import { VERSION } from './io/version.ts';

/** Runs one command line (without the program's name) and resolves to the exit code. Never rejects. */
export async function run(args: readonly string[], context: CliContext): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.done;
  const perform = createPerform(context, (code) => {
    exitCode = code;
  });
  const program = createProgram(context, args.includes('--json'));
  for (const add of [
    addLogin,
    addPut,
    addFiles,
    addAccount,
    addProviders,
    addKeys,
    addConnections,
    addScan,
    addLists,
    addApprove,
    addMigration,
  ]) {
    add(program, perform);
  }
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  }
  return exitCode;
}

/** The program without its commands: output and error handling; it never exits the process. */
function createProgram({ stdout, stderr }: CliContext, isJson: boolean): Command {
  return new Command('srs')
    .description('Upload to your own stores, audit what cloud storage costs, and move it.')
    .version(VERSION)
    .helpCommand(true)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      outputError: (text, write) => write(usageError(text, isJson)),
    });
}

/** Repeats the argument without option values and secrets, which may have been typed by mistake. */
function usageError(text: string, isJson: boolean): string {
  const said = withoutCredentials(text.trim().replaceAll(/(--?[\w-]+)=[^']*/g, '$1=…'));
  const message = shown(said.replace(/^error: /, '').replaceAll('\n', ' '));
  return isJson ? `${shownJson({ error: message, code: 'wrong_usage' })}\n` : `srs: ${message}\n`;
}
