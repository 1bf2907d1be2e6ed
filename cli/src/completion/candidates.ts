import type { Argument, Command, Option } from 'commander';

/** A word that can stand at the cursor. */
export interface Candidate {
  value: string;
  description: string;
}

export interface Completion {
  candidates: readonly Candidate[];
  /** Can a path stand there? The shell completes it. */
  files: boolean;
}

const NOTHING: Completion = { candidates: [], files: false };
const IS_PATH = /^(?:file|path|folder)$/;

/** What is looked up for the values of these names; asked only if one can stand at the cursor. */
export type Lookups = Readonly<Record<'provider' | 'place', () => Promise<readonly Candidate[]>>>;

/**
 * What can stand at the cursor, from the commands themselves.
 *
 * | the words end with | completed by |
 * |---|---|
 * | an option that takes a value | its choices, the providers, the places, or files for a path |
 * | `-…` | the options of the command that are not there yet |
 * | a command with subcommands | its subcommands |
 * | an argument | its choices, the providers, or files if it is a path |
 *
 * @param words all words after the program's name up to the cursor; the last one may be empty.
 */
export async function complete(
  program: Command,
  words: readonly string[],
  lookups: Lookups,
): Promise<Completion> {
  // bash makes words of their own of `=`, so `--status=open` arrives as three.
  const parts = words.filter((word) => word !== '=');
  const current = words.at(-1) === '=' ? '' : (parts.pop() ?? '');
  const { command, position, pending, used } = readBefore(program, parts);
  const completeValues = (holder: Argument | Option | undefined) => readValues(holder, lookups);
  if (pending !== undefined) return starting(await completeValues(pending), current);
  const [, flag, begun] = /^(--[\w-]+)=(.*)$/.exec(current) ?? [];
  const valued = flag === undefined ? undefined : findOption(command, flag);
  if (valued !== undefined && begun !== undefined) {
    const { candidates } = starting(await completeValues(valued), begun);
    const whole = candidates.map(({ value, description }) => ({
      value: `${flag}=${value}`,
      description,
    }));
    return { candidates: whole, files: false };
  }
  if (current.startsWith('-')) return starting(completeOptions(command, used), current);
  if (command.commands.length > 0 && position === 0) {
    return starting(completeSubcommands(command), current);
  }
  return starting(await completeValues(argumentAt(command, position)), current);
}

interface Before {
  command: Command;
  /** The number of arguments that the command has already. */
  position: number;
  /** The option whose value comes next. */
  pending: Option | undefined;
  used: ReadonlySet<Option>;
}

/** Reads the words before the cursor. */
function readBefore(program: Command, words: readonly string[]): Before {
  const used = new Set<Option>();
  let command = program;
  let position = 0;
  let pending: Option | undefined;
  for (const word of words) {
    if (pending !== undefined) {
      pending = undefined;
    } else if (word.startsWith('-') && word !== '-') {
      const [flag = ''] = word.split('=');
      const option = findOption(command, flag);
      if (option !== undefined) used.add(option);
      if (option?.required === true && !word.includes('=')) pending = option;
    } else {
      const next = command.commands.find(
        (each) => each.name() === word || each.aliases().includes(word),
      );
      if (next !== undefined && position === 0) command = next;
      else if (command !== program || word !== 'help') position += 1;
    }
  }
  return { command, position, pending, used };
}

function findOption(command: Command, flag: string): Option | undefined {
  return command.options.find(({ long, short }) => flag === long || flag === short);
}

function completeOptions(command: Command, used: ReadonlySet<Option>): Completion {
  const candidates = command
    .createHelp()
    .visibleOptions(command)
    .filter((option) => !used.has(option))
    .map(({ long, short, description }) => ({ value: long ?? short ?? '', description }));
  return { candidates, files: false };
}

function completeSubcommands(command: Command): Completion {
  const candidates = command
    .createHelp()
    .visibleCommands(command)
    .map((each) => ({ value: each.name(), description: each.description() }));
  return { candidates, files: false };
}

function argumentAt(command: Command, position: number): Argument | undefined {
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  return registeredArguments[position] ?? (last?.variadic === true ? last : undefined);
}

/** The values of an option or of an argument. */
async function readValues(
  holder: Argument | Option | undefined,
  lookups: Lookups,
): Promise<Completion> {
  if (holder === undefined) return NOTHING;
  if (holder.argChoices !== undefined) {
    const { argChoices, description } = holder;
    return { candidates: argChoices.map((value) => ({ value, description })), files: false };
  }
  const name = 'flags' in holder ? (/<([\w-]+)>/.exec(holder.flags)?.[1] ?? '') : holder.name();
  const isLookedUp = name === 'provider' || name === 'place';
  const candidates = isLookedUp ? await lookups[name]() : [];
  return { candidates, files: IS_PATH.test(name) };
}

function starting({ candidates, files }: Completion, current: string): Completion {
  return { candidates: candidates.filter(({ value }) => value.startsWith(current)), files };
}
