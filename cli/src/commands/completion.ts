import { Argument, type Command } from 'commander';
import { complete } from '../completion/candidates.ts';
import { SCRIPTS, type Shell, SHELLS } from '../completion/scripts.ts';
import { EXIT, type ExitCode } from '../io/failure.ts';
import { type Invocation, type Perform, subcommand } from '../io/invocation.ts';

/** `srs completion <shell>`, and `srs __complete`, which the shells call */
export function addCompletion(parent: Command, perform: Perform): void {
  subcommand(parent, 'completion', 'print the completion for a shell')
    .addArgument(new Argument('<shell>', 'which one').choices(SHELLS))
    .action((shell: Shell, _options: object, command: Command) =>
      perform(command, ({ print }) => printScript(print, shell)),
    );
  parent
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .action((words: string[], _options: object, command: Command) =>
      perform(command, ({ print }) => printCandidates(print, parent, words)),
    );
}

async function printScript(print: Invocation['print'], shell: Shell): Promise<ExitCode> {
  const script = SCRIPTS[shell];
  await print.result({ shell, script }, () => script);
  return EXIT.done;
}

async function printCandidates(
  print: Invocation['print'],
  program: Command,
  words: readonly string[],
): Promise<ExitCode> {
  const { candidates, files } = complete(program, words);
  const lines = candidates.map(({ value, description }) => `${value}\t${description}\n`);
  await print.data([...lines, ...(files ? [':files\n'] : [])].join(''));
  return EXIT.done;
}
