import type { StorageRoutingClient } from '@storage-routing/client';
import { type Command, InvalidArgumentError } from 'commander';
import { type Access, type AccessOptions, readAccess } from './access.ts';
import { EXIT, exitCodeOf, type ExitCode } from './failure.ts';
import { createPrinter, type Printer } from './printer.ts';
import type { CliContext } from './context.ts';

/** One command on its way: what it may use. */
export interface Invocation {
  context: CliContext;
  json: boolean;
  print: Printer;
  signal: AbortSignal;
  /** Read when first asked for. */
  access(): Promise<Access>;
  /** Made when first asked for. */
  client(): Promise<StorageRoutingClient>;
  /** From here on this text is kept out of every error. */
  keepSecret(text: string | undefined): void;
  /** What the command line says about where the service is. */
  accessOptions: AccessOptions;
}

/** The work of a command; its answer is the process's exit code. */
export type Work = (call: Invocation) => Promise<ExitCode>;

/** Carries a command's work out and shows how it failed. Never rejects. */
export type Perform = (command: Command, work: Work) => Promise<void>;

interface CommonOptions extends AccessOptions {
  json?: boolean;
}

/** A command with the options that all of them have. */
export function subcommand(
  parent: Command,
  name: string,
  description: string,
  { isDefault = false } = {},
): Command {
  return parent
    .command(name, { isDefault })
    .description(description)
    .option('--json', 'machine-readable: JSON on stdout, errors as JSON lines on stderr')
    .option('--base-url <url>', 'where the service is, instead of SRS_BASE_URL or the login')
    .option('--insecure', 'allow http:// to another machine (credentials in clear text)');
}

/** How commands are performed in these surroundings; `finish` is told the exit code. */
export function createPerform(context: CliContext, finish: (exitCode: ExitCode) => void): Perform {
  return async (command, work) => {
    const call = createInvocation(context, command.opts<CommonOptions>());
    try {
      finish(await work(call));
    } catch (error) {
      call.print.failure(error);
      finish(exitCodeOf(error, context.signal));
    } finally {
      call.print.bar.clear();
    }
  };
}

function createInvocation(context: CliContext, options: CommonOptions): Invocation {
  const secrets = new Set<string>();
  const json = options.json === true;
  const keepSecret = (text: string | undefined): void => void (text && secrets.add(text));
  let access: Promise<Access> | undefined;
  let client: Promise<StorageRoutingClient> | undefined;
  const readOnce = (): Promise<Access> =>
    (access ??= readAccess(context, options).then((found) => {
      keepSecret(found.apiKey);
      keepSecret(found.dashboardToken);
      return found;
    }));
  return {
    context,
    json,
    signal: context.signal,
    print: createPrinter(context, { json, secrets }),
    accessOptions: options,
    keepSecret,
    access: readOnce,
    client: () => (client ??= readOnce().then((found) => context.createClient(found))),
  };
}

/** Many pieces of work, `concurrency` at a time; what one answers or how it failed says nothing about the others. */
export async function eachOf<Item>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<ExitCode>,
): Promise<ExitCode[]> {
  const codes: ExitCode[] = items.map(() => EXIT.failed);
  const queue = items.entries();
  const run = async (): Promise<void> => {
    // The iterator is shared: each takes the next one.
    for (const [index, item] of queue) codes[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, run));
  return codes;
}

/** Reads a whole number from an option. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`a whole number from ${least} to ${most} is needed`);
  };
}
