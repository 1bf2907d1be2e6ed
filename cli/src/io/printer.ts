import { escapeText } from '@storage-routing/client';
import type { Retry } from '@storage-routing/client';
import { describeFailure, type PrintedFailure } from './failure.ts';
import { type Bar, createBar } from './bar.ts';
import { formatDuration, escapeJson } from './text.ts';
import type { Output, CliContext } from './context.ts';

/** Data to standard output, everything else to standard error. */
export interface Printer {
  /** Prints a result: one line of JSON, or text. False once the reader has closed the stream. */
  result(value: unknown, text: () => string): Promise<boolean>;
  /** Prints bytes or lines unchanged. False once the reader has closed the stream. */
  data(piece: Uint8Array | string): Promise<boolean>;
  /** Prints a note for a person; omitted with `--json`. */
  note(text: string): void;
  /** Prints a failure; `about` adds fields that identify the item. */
  failure(error: unknown, about?: Readonly<Record<string, string>>): void;
  /** The sentence about a failure, as a terminal shows it. */
  failureText(error: unknown): string;
  /** Prints a note about a long wait before a repeated call; at most every 30 s. */
  retry(retry: Retry): void;
  bar: Bar;
  /** Returns the text in bold, if colour is enabled. */
  bold(text: string): string;
}

/** A shorter wait is not reported; parallel calls wait for the same reason. */
const REPORTED_FROM_MS = 5_000;
const REPORTED_AGAIN_AFTER_MS = 30_000;

/** @param secrets texts to remove from every error */
export function createPrinter(
  { stdout, stderr, env, now }: CliContext,
  json: boolean,
  secrets: ReadonlySet<string>,
): Printer {
  const write = createWriter(stdout);
  const bar = createBar(stderr, !json, now);
  const say = (line: string): void => {
    bar.clear();
    stderr.write(`${line}\n`);
  };
  let reportedAtMs = Number.NEGATIVE_INFINITY;
  const isColoured = stdout.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  return {
    bar,
    retry({ error, waitMs }) {
      if (waitMs < REPORTED_FROM_MS || now() - reportedAtMs < REPORTED_AGAIN_AFTER_MS) return;
      reportedAtMs = now();
      const { error: reason } = describeFailure(error, secrets);
      if (!json) say(`${escapeText(reason)}; tries again in ${formatDuration(waitMs / 1_000)}`);
    },
    result(value, text) {
      bar.clear();
      return write(`${json ? escapeJson(value) : text()}\n`);
    },
    data: write,
    note(text) {
      if (!json) say(text);
    },
    failure(error, about = {}) {
      const failure = describeFailure(error, secrets);
      say(json ? escapeJson({ ...failure, ...about }) : sentence(failure, Object.values(about)));
    },
    failureText: (error) => sentence(describeFailure(error, secrets), []),
    bold: (text) => (isColoured && !json ? `\u001B[1m${text}\u001B[22m` : text),
  };
}

function sentence({ error, requestId, fileId }: PrintedFailure, about: readonly string[]): string {
  const ids = [
    ...(fileId === undefined ? [] : [`file ${fileId}`]),
    ...(requestId === undefined ? [] : [`request ${requestId}`]),
  ];
  const what = ['srs', ...about, error].map(escapeText).join(': ');
  return ids.length === 0 ? what : `${what} [${escapeText(ids.join(', '))}]`;
}

/**
 * Writes with backpressure. A closed reader (`| head`) is not a failure: commands that only print
 * may stop, and commands that change something continue.
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
