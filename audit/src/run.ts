import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { StoreError } from '../../adapters/object-store/errors.ts';
import { createBar } from '../../cli/src/io/bar.ts';
import type { Input, Output as Stream } from '../../cli/src/io/context.ts';
import { createRequestMeter } from '../../domain/scans/request-meter.ts';
import { compareKeys } from '../../domain/inventory/key-order.ts';
import { formatCount, formatMoney, formatNumber } from '../../shared/amounts.ts';
import { escapeText } from '../../shared/text.ts';
import { audit, INTERRUPTED, LIMITED } from './audit.ts';
import { PRICE_BOOK } from './data.ts';
import { estimate, type Estimate } from './estimate.ts';
import { AuditError, EXIT, type ExitCode } from './failure.ts';
import { checkWritable, pathOf, present, writeReport } from './output.ts';
import { readSettings, type Settings } from './settings.ts';
import { describeNeeds, openSource, type Counting } from './source.ts';

/** The process of a run. */
export interface AuditContext {
  readonly stdin: Input;
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted at the first Ctrl-C. */
  readonly interrupted: AbortSignal;
}

/** Runs one command line, without the program's name. */
export async function run(args: readonly string[], context: AuditContext): Promise<ExitCode> {
  const { stdout, stderr, env, interrupted } = context;
  const progress = createProgress(stderr);
  try {
    const settings = readSettings(args, env, (text) => void stdout.write(text));
    return settings ? await auditBy(settings, context, progress) : EXIT.done;
  } catch (error) {
    if (interrupted.aborted) return EXIT.interrupted;
    if (!(error instanceof AuditError)) throw error;
    progress.say(`srs-audit: ${error.message}`);
    return error.exitCode;
  }
}

/** Lists the buckets, says what reading them takes, reads them after a yes, and writes the report. */
async function auditBy(
  settings: Settings,
  context: AuditContext,
  progress: Progress,
): Promise<ExitCode> {
  if (settings.output !== undefined) await checkWritable(settings.output);
  const startedAt = new Date();
  const { meter, signal, counting, watch } = createCounting(settings, context, progress);
  const source = await openSource(settings, counting);
  try {
    const path = pathOf(settings, source, startedAt);
    if (settings.output === undefined) await checkWritable(path);
    const buckets = (await source.listBuckets()).toSorted((a, b) => compareKeys(a.name, b.name));
    const expected = await estimate(settings, source, buckets, startedAt);
    progress.say(expected.sentence);
    if (!settings.yes) await requireYes(context);
    const onRead = watch(buckets.length, expected);
    const audited = await audit({ settings, source, meter, signal, startedAt, onRead }, buckets);
    const reason: unknown = signal.reason;
    const { unread } = audited;
    if (unread.length > 0 && unread.length === buckets.length && reason === undefined)
      throw new AuditError(
        `nothing could be read. ${unread.slice(0, MAX_REASONS).join(' ')} ${describeNeeds(settings.home.provider)}`,
      );
    await writeReport(path, await present(audited, settings.format, source), context.stdout);
    const { list, other, costUsd } = meter.read();
    progress.say(
      `${path === '-' ? 'The report is' : `${escapeText(path)} is the report,`} made of ${formatCount(list + other, 'request')} (${formatMoney(costUsd)}).${reason === undefined ? '' : ' It is not complete, and says what is missing.'}`,
    );
    if (reason === INTERRUPTED) return EXIT.interrupted;
    return reason === LIMITED ? EXIT.limited : EXIT.done;
  } finally {
    source.close();
  }
}

/** Counts requests up to the limit, shows them once `watch` is called, and ends the reading early. */
function createCounting(
  { home, maxRequests }: Settings,
  { interrupted }: AuditContext,
  progress: Progress,
) {
  const meter = createRequestMeter(PRICE_BOOK, home.provider);
  const ending = new AbortController();
  interrupted.addEventListener('abort', () => ending.abort(INTERRUPTED), { once: true });
  let show = (_requests: number): void => undefined;
  const count: Counting['count'] = (kind, region) => {
    const { list, other } = meter.read();
    if (list + other >= maxRequests) {
      ending.abort(LIMITED);
      throw new StoreError('throttled');
    }
    meter.count(kind, region);
    show(list + other + 1);
  };
  const watch = (bucketsTotal: number, expected: Estimate) => {
    let read = { buckets: 0, objects: 0 };
    show = (requests) => {
      const { unknown, requests: all } = expected;
      progress.show(
        unknown === 0 ? requests / all : read.buckets / bucketsTotal,
        () =>
          `${formatNumber(read.buckets)} of ${formatCount(bucketsTotal, 'bucket')}, ${formatCount(read.objects, 'object')}, ${formatCount(requests, 'request')}, ${formatMoney(meter.read().costUsd)} so far`,
      );
    };
    return (buckets: number, objects: number): void => void (read = { buckets, objects });
  };
  return { meter, signal: ending.signal, counting: { count, charge: meter.charge }, watch };
}

const MAX_REASONS = 3;

/** @throws AuditError without a terminal, or without a yes */
async function requireYes({ stdin, stderr, interrupted }: AuditContext): Promise<void> {
  if (stdin.isTTY !== true || stderr.isTTY !== true)
    throw new AuditError('there is no terminal to ask on: --yes starts it.', EXIT.usage);
  // Not in raw mode, so that Ctrl-C stays a signal.
  const lines = createInterface({ input: stdin, output: stderr, terminal: false });
  try {
    const answer = await Promise.race([
      lines.question('Start? [y/N] ', { signal: interrupted }),
      once(lines, 'close').then(() => ''),
    ]);
    if (!/^y(es)?$/i.test(answer.trim())) throw new AuditError('not started; nothing was read.');
  } finally {
    lines.close();
  }
}

/** So often a line says how far it is, where there is no terminal. */
const LINE_EVERY_MS = 5_000;

type Progress = ReturnType<typeof createProgress>;

/** A bar that is redrawn on a terminal, and a line now and then elsewhere. */
function createProgress(out: Stream) {
  const now = () => performance.now();
  const bar = createBar(out, true, now);
  let saidAtMs = now();
  return {
    /** `share` from 0 to 1. */
    show(share: number, note: () => string): void {
      if (out.isTTY === true) return bar.show(Math.floor(Math.min(share, 0.99) * 100), note());
      if (now() - saidAtMs < LINE_EVERY_MS) return;
      saidAtMs = now();
      out.write(`${note()}\n`);
    },
    /** A line of its own. */
    say(line: string): void {
      bar.clear();
      out.write(`${line}\n`);
    },
  };
}
