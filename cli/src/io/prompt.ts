import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { InterruptionError, type CliContext } from './context.ts';

/** Is there a terminal to prompt on? */
export function canAsk({ stdin, stderr }: CliContext): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** Reads one line; empty at the end of input. */
export function ask(context: CliContext, question: string): Promise<string> {
  return answerTo(context, question, false);
}

/** Reads one line without echo, for secrets. */
export function askSecret(context: CliContext, question: string): Promise<string> {
  return answerTo(context, question, true);
}

/** True only for an explicit yes. */
export async function confirm(context: CliContext, question: string): Promise<boolean> {
  return /^y(es)?$/i.test(await ask(context, `${question} [y/N] `));
}

async function answerTo(context: CliContext, question: string, isHidden: boolean): Promise<string> {
  const { stdin, stderr, signal, interrupt } = context;
  const nowhere = new Writable({ write: (_piece, _encoding, done) => done() });
  const lines = createInterface({
    input: stdin,
    output: isHidden ? nowhere : stderr,
    terminal: true,
    // No history: the arrow keys must not show an earlier secret.
    historySize: 0,
  });
  // Written after echo is off, so the terminal never shows what is typed.
  if (isHidden) stderr.write(question);
  try {
    return await new Promise<string>((resolve, reject) => {
      // In raw mode Ctrl-C arrives as a key, without a signal.
      lines.once('SIGINT', () => {
        interrupt();
        reject(new InterruptionError('SIGINT'));
      });
      lines.once('close', () => resolve(''));
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      lines.question(isHidden ? '' : question).then((answer) => resolve(answer.trim()), reject);
    });
  } finally {
    lines.close();
    if (isHidden) stderr.write('\n');
  }
}
