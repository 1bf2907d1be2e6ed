import { failureOf, type ShownFailure } from './failure.ts';
import { type Bar, createBar } from './bar.ts';
import { shown, shownJson } from './text.ts';
import type { Output, CliContext } from './context.ts';

/** Data to standard output, everything else to standard error. */
export interface Printer {
  /** A result: one line of JSON, or the text for a person. False once nobody reads any more. */
  result(value: unknown, text: () => string): Promise<boolean>;
  /** Bytes or lines as they are. False once nobody reads any more. */
  data(piece: Uint8Array | string): Promise<boolean>;
  /** A word to the person who watches; not said with `--json`. */
  note(text: string): void;
  /** What has failed; `about` adds fields that say which piece of the work it was. */
  failure(error: unknown, about?: Readonly<Record<string, string>>): void;
  bar: Bar;
  /** Are these words in colour? */
  bold(text: string): string;
}

export interface PrinterOptions {
  json: boolean;
  /** Texts that must not get out in an error. */
  secrets: ReadonlySet<string>;
}

/** Makes the printer of one run. */
export function createPrinter(context: CliContext, options: PrinterOptions): Printer {
  const { stdout, stderr, env, now } = context;
  const { json, secrets } = options;
  const write = createWriter(stdout);
  const bar = createBar(stderr, !json, now);
  const say = (line: string): void => {
    bar.clear();
    stderr.write(`${line}\n`);
  };
  const isColoured = stdout.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  return {
    bar,
    result(value, text) {
      bar.clear();
      return write(`${json ? shownJson(value) : text()}\n`);
    },
    data: write,
    note(text) {
      if (!json) say(text);
    },
    failure(error, about = {}) {
      const failure = failureOf(error, secrets);
      say(json ? shownJson({ ...failure, ...about }) : sentence(failure, Object.values(about)));
    },
    bold: (text) => (isColoured && !json ? `\u001B[1m${text}\u001B[22m` : text),
  };
}

function sentence({ error, requestId, fileId }: ShownFailure, about: readonly string[]): string {
  const ids = [
    ...(fileId === undefined ? [] : [`file ${fileId}`]),
    ...(requestId === undefined ? [] : [`request ${requestId}`]),
  ];
  const what = ['srs', ...about, error].map(shown).join(': ');
  return ids.length === 0 ? what : `${what} [${shown(ids.join(', '))}]`;
}

/**
 * Writes at the pace of the reader. A reader that has gone (`| head`) is no failure: what only prints may stop, and what
 * changes something goes on to its end.
 */
function createWriter(out: Output): (piece: Uint8Array | string) => Promise<boolean> {
  let isRead = true;
  let failed: Error | undefined;
  out.on('error', (error: NodeJS.ErrnoException) => {
    isRead = false;
    if (error.code !== 'EPIPE') failed = error;
  });
  return async (piece) => {
    if (failed !== undefined) throw failed;
    if (!isRead) return false;
    await new Promise<void>((resolve) => {
      out.write(piece, () => resolve());
    });
    return isRead;
  };
}
