import process from 'node:process';

/** Prints one line per step, with the time since the start. */
export interface Progress {
  say(line: string): void;
  /** Prints that `what` begins, and returns a function that prints its outcome and duration. */
  begin(what: string): (outcome: string) => void;
}

/** Lines go to standard error; standard output is reserved for results. */
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
