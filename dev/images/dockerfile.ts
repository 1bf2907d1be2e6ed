/** One line of a Dockerfile, continued lines joined. */
export interface Instruction {
  readonly word: string;
  readonly rest: string;
}

/** What stands between one FROM and the next. */
export interface Stage {
  readonly name: string;
  /** An image, or the name of a stage above. */
  readonly from: string;
  readonly instructions: readonly Instruction[];
}

/** Reads a Dockerfile as far as ours goes: no heredocs, no ARG, no other escape character. */
export function readDockerfile(text: string): readonly Stage[] {
  const stages: (Stage & { instructions: Instruction[] })[] = [];
  const lines = text
    .split('\n')
    .filter((line) => !/^\s*(#|$)/.test(line))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n');
  for (const line of lines) {
    const [, word = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    if (word === 'FROM') {
      const [from = '', as, name = ''] = rest.split(/\s+/);
      if (as !== 'AS') throw new Error(`a stage without a name: ${line}`);
      stages.push({ name, from, instructions: [] });
    } else {
      const stage = stages.at(-1);
      if (stage === undefined) throw new Error(`before the first FROM: ${line}`);
      stage.instructions.push({ word, rest });
    }
  }
  return stages;
}

/** The first word of each exception in an ignore file that leaves out everything else. */
export function readAllowedEntries(text: string): readonly string[] {
  const [all, ...exceptions] = text.split('\n').filter((line) => !/^\s*(#|$)/.test(line));
  const isSimple = exceptions.every((line) => /^![\w.-]+$/.test(line));
  if (all !== '*' || !isSimple) throw new Error('the ignore file must be * and exceptions to it');
  return exceptions.map((line) => line.slice(1));
}
