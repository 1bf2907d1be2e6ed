import process from 'node:process';

/** Prints one line per step, with the time since the start. */
export interface Progress {
  say(line: string): void;
  /**
   * Prints that `what` begins, and every half minute that it goes on. Returns a function that prints its outcome and
   * duration.
   *
   * @param remark follows `what` in the first line
   */
  begin(what: string, remark?: string): (outcome: string) => void;
}

const REMINDED_EVERY_MS = 30_000;

/** Lines go to standard error; standard output is reserved for results. */
export function createProgress(
  write: (line: string) => void = (line) => process.stderr.write(`${line}\n`),
  remindEveryMs = REMINDED_EVERY_MS,
): Progress {
  const startedAt = performance.now();
  const say = (line: string) => write(`[${seconds(performance.now() - startedAt)}] ${line}`);
  return {
    say,
    begin(what, remark = '') {
      const begunAt = performance.now();
      const duration = () => seconds(performance.now() - begunAt).trim();
      say(`${what}${remark} …`);
      const reminder = setInterval(() => say(`${what}: goes on (${duration()})`), remindEveryMs);
      reminder.unref();
      return (outcome) => {
        clearInterval(reminder);
        say(`${what}: ${outcome} (${duration()})`);
      };
    },
  };
}

export const silentProgress: Progress = { say: () => {}, begin: () => () => {} };

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`.padStart(7);
}
