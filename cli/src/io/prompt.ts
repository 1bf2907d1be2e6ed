import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Interruption, type CliContext } from './context.ts';

/** Can somebody be asked here? */
export function canAsk({ stdin, stderr }: CliContext): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** One line of an answer; empty where the input ends. */
export function ask(context: CliContext, question: string): Promise<string> {
  return answerTo(context, question, false);
}

/** The same for a secret: what is typed is not shown. */
export function askSecret(context: CliContext, question: string): Promise<string> {
  return answerTo(context, question, true);
}

/** Only a clear yes is one. */
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
    // No answer is remembered: a secret is not offered again by the arrow keys.
    historySize: 0,
  });
  // Only now: from here on the terminal itself shows nothing of what is typed.
  if (isHidden) stderr.write(question);
  try {
    return await new Promise<string>((resolve, reject) => {
      // The terminal is in raw mode: Ctrl-C comes as a key, and no signal is sent.
      lines.once('SIGINT', () => {
        interrupt();
        reject(new Interruption('SIGINT'));
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
