import { Argument, type Command } from 'commander';
import { type Candidate, complete } from '../completion/candidates.ts';
import { SCRIPTS, type Shell, SHELLS } from '../completion/scripts.ts';
import { EXIT, type ExitCode } from '../io/failure.ts';
import { type Invocation, type Perform, subcommand } from '../io/invocation.ts';

/** A person waits for a completion. */
const LONGEST_WAIT_MS = 1_500;

/** `srs completion <shell>`, and `srs __complete`, which the shells call */
export function addCompletion(parent: Command, perform: Perform): void {
  subcommand(parent, 'completion', 'print the completion script of a shell')
    .addArgument(new Argument('<shell>', 'which one').choices(SHELLS))
    .action(perform(printScript));
  parent
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .action(perform((call, words: string[]) => printCandidates(call, parent, words)));
}

async function printScript({ print }: Invocation, shell: Shell): Promise<ExitCode> {
  const script = SCRIPTS[shell];
  await print.result({ shell, script }, () => script);
  return EXIT.done;
}

async function printCandidates(
  call: Invocation,
  program: Command,
  words: readonly string[],
): Promise<ExitCode> {
  const { candidates, files } = await complete(program, words, () => readProviders(call));
  const lines = candidates.map(({ value, description }) => `${value}\t${description}\n`);
  await call.print.data([...lines, ...(files ? [':files\n'] : [])].join(''));
  return EXIT.done;
}

/** A name that cannot be looked up in time, or without a login, is typed. */
async function readProviders(call: Invocation): Promise<Candidate[]> {
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(LONGEST_WAIT_MS)]);
  try {
    const { items } = await (await call.client()).providers.catalogue({ signal });
    return items.map(({ provider, title }) => ({ value: provider, description: title }));
  } catch {
    return [];
  }
}
