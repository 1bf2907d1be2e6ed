/** One instruction of a Dockerfile, continued lines joined. */
interface Instruction {
  readonly name: string;
  readonly value: string;
}

/** The instructions from one FROM to the next. */
interface Stage {
  readonly name: string;
  /** An image, or the name of an earlier stage. */
  readonly from: string;
  readonly instructions: readonly Instruction[];
}

/**
 * Parses the subset of the Dockerfile syntax that this repository uses: no heredocs, no ARG, no
 * other escape character.
 */
export function parseDockerfile(text: string): readonly Stage[] {
  const stages: (Stage & { instructions: Instruction[] })[] = [];
  const lines = text
    .split('\n')
    .filter((line) => !/^\s*(#|$)/.test(line))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n');
  for (const line of lines) {
    const [, name = '', value = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    if (name === 'FROM') {
      const [from = '', as, stage = ''] = value.split(/\s+/);
      if (as !== 'AS') throw new Error(`a stage without a name: ${line}`);
      stages.push({ name: stage, from, instructions: [] });
    } else {
      const stage = stages.at(-1);
      if (stage === undefined) throw new Error(`before the first FROM: ${line}`);
      stage.instructions.push({ name, value });
    }
  }
  return stages;
}

/** The entries of a `.dockerignore` that excludes everything but named entries, and within those what `**` names. */
export function parseAllowedEntries(text: string): readonly string[] {
  const [all, ...exceptions] = text.split('\n').filter((line) => !/^\s*(#|$)/.test(line));
  const isSimple = exceptions.every((line) => /^(?:![\w.-]+|\*\*\/[\w.*-]+)$/.test(line));
  if (all !== '*' || !isSimple) throw new Error('the ignore file must be * and exceptions to it');
  return exceptions.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
}
