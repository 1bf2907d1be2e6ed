import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { InterruptionError, type CliContext } from './context.ts';
import { EXIT, LocalError } from './failure.ts';
import type { Invocation } from './invocation.ts';

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
async function confirm(context: CliContext, question: string): Promise<boolean> {
  return /^y(es)?$/i.test(await ask(context, `${question} [y/N] `));
}

/** @throws LocalError `not_confirmed` if nobody can be asked */
export function requireAnswer(context: CliContext, yes: boolean, does: string): void {
  if (yes || canAsk(context)) return;
  throw new LocalError('not_confirmed', `no terminal to ask on: --yes ${does}`, EXIT.usage);
}

/** What is shown before something is paid for. */
interface Offer {
  readonly text: string;
  readonly question: string;
  /** What it is without a yes: `not approved`. */
  readonly otherwise: string;
  readonly yes: boolean;
  readonly cost?: { readonly totalUsd: number; readonly maxTotalUsd: number };
}

/**
 * Shows an offer, and returns after a yes.
 *
 * @throws LocalError `quote_exceeded` if it costs more than is allowed, `not_confirmed`
 */
export async function requireYes(
  { context, print }: Pick<Invocation, 'context' | 'print'>,
  { text, question, otherwise, yes, cost }: Offer,
): Promise<void> {
  // The prompt includes the offer; with --json, stdout carries the JSON document only.
  if (yes) print.note(text);
  else context.stderr.write(`${text}\n`);
  if (cost && cost.totalUsd > cost.maxTotalUsd)
    throw new LocalError(
      'quote_exceeded',
      `the estimate is above --max-total-usd ${cost.maxTotalUsd}; nothing was sent`,
    );
  if (!yes && !(await confirm(context, question)))
    throw new LocalError('not_confirmed', `${otherwise}; nothing was sent`);
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
