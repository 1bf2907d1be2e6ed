import { escapeText } from '@storage-routing/client';
import { Command, CommanderError, type OutputConfiguration } from 'commander';
import { addAccount } from './commands/account.ts';
import { addApprove } from './commands/approve.ts';
import { addAudit, AUDIT } from './commands/audit.ts';
import { addCompletion } from './commands/completion.ts';
import { addConnections } from './commands/connections.ts';
import { addDrill } from './commands/drill.ts';
import { addFiles } from './commands/files.ts';
import { addLists } from './commands/lists.ts';
import { addKeys } from './commands/keys.ts';
import { addLogin } from './commands/login.ts';
import { addMcp } from './commands/mcp.ts';
import { addMigration } from './commands/migration.ts';
import { addOpen } from './commands/open.ts';
import { addProviders } from './commands/providers.ts';
import { addPut } from './commands/put.ts';
import { addRelocate } from './commands/relocate.ts';
import { addRelease } from './commands/release.ts';
import { addReport } from './commands/report.ts';
import { addScan } from './commands/scan.ts';
import { addSchedule } from './commands/schedule.ts';
import { addWebhooks } from './commands/webhooks.ts';
import { EXAMPLES } from './examples.ts';
import { EXIT, type ExitCode, LocalError, withoutCredentials } from './io/failure.ts';
import { checkIds } from './io/ids.ts';
import { addCommonOptions, createPerform, type Perform } from './io/invocation.ts';
import { escapeJson } from './io/text.ts';
import type { CliContext } from './io/context.ts';

/** The package's version. A test compares it with package.json. */
const VERSION = '0.1.0';

/** The commands, in the order of the help. */
const COMMANDS: readonly ((parent: Command, perform: Perform) => void)[] = [
  addLogin,
  addOpen,
  addPut,
  addFiles,
  addAccount,
  addProviders,
  addKeys,
  addConnections,
  addSchedule,
  addScan,
  addReport,
  addAudit,
  addLists,
  addApprove,
  addMigration,
  addRelease,
  addRelocate,
  addDrill,
  addWebhooks,
  addMcp,
  addCompletion,
];

/** Runs one command line, without the program's name. Never rejects. */
export async function run(args: readonly string[], context: CliContext): Promise<ExitCode> {
  const { stdout, stderr } = context;
  const isJson = args.includes('--json');
  let exitCode: ExitCode = EXIT.done;
  const perform = createPerform(context, (code) => {
    exitCode = code;
  });
  const output = {
    writeOut: (text: string) => void stdout.write(text),
    writeErr: (text: string) => void stderr.write(text),
    outputError: (text: string, write: (text: string) => void) => write(usageError(text, isJson)),
  };
  try {
    await createProgram(perform, output).parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof LocalError) {
      stderr.write(usageError(error.message, isJson));
      return error.exitCode;
    }
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  }
  return exitCode;
}

/** The program with its commands; it never exits the process. */
export function createProgram(perform: Perform, output: OutputConfiguration = {}): Command {
  const program = new Command('srs')
    .description('Upload to your own stores, audit what cloud storage costs, and move it.')
    .version(VERSION)
    .helpCommand(true)
    .exitOverride()
    .enablePositionalOptions()
    // Before the commands, which inherit it.
    .configureOutput(output);
  for (const add of COMMANDS) add(program, perform);
  completeCommands(program);
  return program;
}

/** Adds what all commands share. */
function completeCommands(parent: Command, path = ''): void {
  for (const command of parent.commands) {
    const name = `${path}${command.name()}`;
    if (command.commands.length > 0) {
      completeCommands(command, `${name} `);
      continue;
    }
    // Its options are those of another program.
    if (name === AUDIT) continue;
    checkIds(command);
    addCommonOptions(command);
    const examples = (EXAMPLES[name] ?? []).map((line) => `\n  ${line}`);
    if (examples.length > 0) command.addHelpText('after', `\nExamples:${examples.join('')}`);
  }
}

/** Repeats the argument without option values and secrets, which may have been typed by mistake. */
function usageError(text: string, isJson: boolean): string {
  const said = withoutCredentials(text.trim().replaceAll(/(--?[\w-]+)=[^']*/g, '$1=…'));
  const message = escapeText(said.replace(/^error: /, '').replaceAll('\n', ' '));
  return isJson ? `${escapeJson({ error: message, code: 'wrong_usage' })}\n` : `srs: ${message}\n`;
}
