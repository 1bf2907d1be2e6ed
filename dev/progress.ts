import process from 'node:process';

/** One visible line per step, with the time since the beginning. */
export interface Progress {
  say(line: string): void;
  /** Says that `what` begins, and returns what says how it ended, with the step's own time. */
  begin(what: string): (outcome: string) => void;
}

/** Lines go to standard error: standard output belongs to the caller's answers. */
export function createProgress(
  write: (line: string) => void = (line) => process.stderr.write(`${line}\n`),
): Progress {
  const startedAt = performance.now();
  const say = (line: string) => write(`[${seconds(performance.now() - startedAt)}] ${line}`);
  return {
    say,
    begin(what) {
      const begunAt = performance.now();
      say(`${what} …`);
      return (outcome) =>
        say(`${what}: ${outcome} (${seconds(performance.now() - begunAt).trim()})`);
    },
  };
}

export const silentProgress: Progress = { say: () => {}, begin: () => () => {} };

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`.padStart(7);
}
