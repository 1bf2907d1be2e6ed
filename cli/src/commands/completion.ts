import type { CallOptions, StorageRoutingClient } from '@storage-routing/client';
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
  const { candidates, files } = await complete(program, words, {
    provider: () => readProviders(call),
    place: () => readPlaces(call),
  });
  const lines = candidates.map(({ value, description }) => `${value}\t${description}\n`);
  await call.print.data([...lines, ...(files ? [':files\n'] : [])].join(''));
  return EXIT.done;
}

async function readProviders(call: Invocation): Promise<Candidate[]> {
  return await lookUp(call, async ({ providers }, options) => {
    const { items } = await providers.catalogue(options);
    return items.map(({ provider, title }) => ({ value: provider, description: title }));
  });
}

/** The current and former places of the account. */
async function readPlaces(call: Invocation): Promise<Candidate[]> {
  return await lookUp(call, async ({ providers }, options) => {
    const { items } = await providers.list(options);
    return items.flatMap((item) =>
      [item, ...item.formerPlaces].map(({ bucketName, region }) => ({
        value: `${item.provider}/${bucketName}`,
        description: region,
      })),
    );
  });
}

/** A name that cannot be looked up in time, or without a login, is typed. */
async function lookUp(
  call: Invocation,
  read: (client: StorageRoutingClient, options: CallOptions) => Promise<Candidate[]>,
): Promise<Candidate[]> {
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(LONGEST_WAIT_MS)]);
  try {
    return await read(await call.client(), { signal });
  } catch {
    return [];
  }
}
