import type { CallOptions, StorageRoutingClient } from '@storage-routing/client';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Access, type AccessOptions, readAccess } from './access.ts';
import { EXIT, exitCodeFor, type ExitCode } from './failure.ts';
import { createPrinter, type Printer } from './printer.ts';
import type { CliContext } from './context.ts';

/** The context of one command: client, credentials, output. */
export interface Invocation {
  context: CliContext;
  json: boolean;
  print: Printer;
  signal: AbortSignal;
  /** Read on first use. */
  access(): Promise<Access>;
  /** Created on first use. */
  client(): Promise<StorageRoutingClient>;
  /** Reads the login again on the next use. */
  forget(): void;
  /** Removes this text from every later error. */
  keepSecret(text: string | undefined): void;
  /** The options that select the service. */
  accessOptions: AccessOptions;
}

/**
 * Makes the action of a command: it runs the work with the command's arguments, its options and the
 * command, and prints a failure. The action never rejects.
 */
export type Perform = <Given extends unknown[]>(
  work: (call: Invocation, ...given: Given) => Promise<ExitCode>,
) => (...given: Given) => Promise<void>;

/** The work of a command that prints the result of its calls. */
export function show<Given extends unknown[], Result>(
  read: (client: StorageRoutingClient, options: CallOptions, ...given: Given) => Promise<Result>,
  text: (result: Result) => string,
): (call: Invocation, ...given: Given) => Promise<ExitCode> {
  return async (call, ...given) => {
    const result = await read(await call.client(), { signal: call.signal }, ...given);
    await call.print.result(result, () => text(result));
    return EXIT.done;
  };
}

interface CommonOptions extends AccessOptions {
  json?: boolean;
}

/** A command. `addCommonOptions` comes after its own options. */
export function subcommand(
  parent: Command,
  name: string,
  description: string,
  { isDefault = false } = {},
): Command {
  return parent.command(name, { isDefault }).description(description);
}

const COMMON = 'Options of every command:';

/** The options of every command, in a group of their own in its help. */
export function addCommonOptions(command: Command): void {
  for (const [flags, description] of [
    ['--json', 'machine-readable: JSON on stdout, errors as JSON lines on stderr'],
    ['--base-url <url>', 'where the service is, instead of SRS_BASE_URL or the login'],
    ['--insecure', 'allow http:// to another machine (credentials in clear text)'],
  ] as const) {
    command.addOption(new Option(flags, description).helpGroup(COMMON));
  }
  command.addHelpOption(new Option('-h, --help', 'show this').helpGroup(COMMON));
}

/** Returns `perform` for this context; `finish` receives the exit code. */
export function createPerform(context: CliContext, finish: (exitCode: ExitCode) => void): Perform {
  return (work) =>
    async (...given) => {
      // Commander passes the command last, also to work that takes fewer parameters.
      const command = given.at(-1) as Command;
      const call = createInvocation(context, command.opts<CommonOptions>());
      try {
        finish(await work(call, ...given));
      } catch (error) {
        call.print.failure(error);
        finish(exitCodeFor(error, context.signal));
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
    (access ??= readAccess(context, options).then((loaded) => {
      const { apiKey, dashboardToken: token } = loaded;
      keepSecret(apiKey);
      if (typeof token !== 'function') {
        keepSecret(token);
        return loaded;
      }
      const renewed = async (): Promise<string> => {
        const fresh = await token();
        keepSecret(fresh);
        return fresh;
      };
      return { ...loaded, dashboardToken: renewed };
    }));
  return {
    context,
    json,
    signal: context.signal,
    print: createPrinter(context, json, secrets),
    accessOptions: options,
    keepSecret,
    access: readOnce,
    client: () => (client ??= readOnce().then((loaded) => context.createClient(loaded))),
    forget() {
      access = undefined;
      client = undefined;
    },
  };
}

/** Processes all items, `concurrency` at a time; each item succeeds or fails independently. */
export async function runConcurrently<Item>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<ExitCode>,
): Promise<ExitCode[]> {
  const codes: ExitCode[] = items.map(() => EXIT.failed);
  const queue = items.entries();
  const run = async (): Promise<void> => {
    // The iterator is shared: each worker takes the next item.
    for (const [index, item] of queue) codes[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, run));
  return codes;
}

/** Parses an option as an integer in a range. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`a whole number from ${least} to ${most} is needed`);
  };
}

/** Parses an option as an amount of USD. */
export function usdAmount(most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}(?:\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
    if (value <= most) return value;
    throw new InvalidArgumentError(
      `an amount from 0 to ${most} is needed, with at most 6 decimals`,
    );
  };
}
