import { readFile } from 'node:fs/promises';
import type { Drill, DrillRequest, DrillSchedule, Provider } from '@storage-routing/client';
import { describeRule, escapeText } from '@storage-routing/client';
import { Option, type Command } from 'commander';
import { checkFree, writeWhole } from '../io/destination.ts';
import { EXIT, type ExitCode, wrongUsage } from '../io/failure.ts';
import {
  type Invocation,
  type Perform,
  show,
  subcommand,
  usdAmount,
  wholeNumber,
} from '../io/invocation.ts';
import { requireAnswer, requireYes } from '../io/prompt.ts';
import { verifyCertificate } from '../io/release-file.ts';
import {
  drillEstimateText,
  drillPercent,
  drillProgress,
  drillScheduleText,
  drillText,
} from '../present/drill.ts';
import { toPlace } from './relocate.ts';

interface CertificateOptions {
  output?: string;
  force?: boolean;
}

interface SampleOptions {
  from?: { provider: Provider; bucketName: string };
  connectionId?: string;
  bucket?: string;
  to: Provider;
  sampleFiles?: number;
  sampleBytes?: number;
  maxTotalUsd?: number;
  yes?: boolean;
}

interface DrillOptions extends SampleOptions, CertificateOptions {
  dryRun?: boolean;
  wait?: boolean;
}

interface ScheduleOptions extends Omit<SampleOptions, 'to'> {
  to?: Provider;
  every?: DrillSchedule['every'];
  hour?: number;
  off?: boolean;
}

const PERIODS = ['month', 'quarter'] as const satisfies readonly DrillSchedule['every'][];

const DEFAULT_FILES = 1_000;
const MAX_BYTES = 1e15;

/** `srs drill`, and `srs drill schedule`, `watch`, `show`, `cancel`, `certificate`, `verify` */
export function addDrill(parent: Command, perform: Perform): void {
  const drill = parent
    .command('drill')
    .description('try an exit: copy a sample to another store, read it back, remove it');
  withCertificate(
    withSample(
      subcommand(drill, 'start', 'show what it costs, ask, and begin', {
        isDefault: true,
      }).requiredOption(...TO),
    )
      .option('--dry-run', 'show the estimate alone')
      .option('--wait', 'until it has ended; the exit code is the outcome'),
  ).action(perform(start));
  withSample(
    subcommand(drill, 'schedule', 'show, set or remove when drills start by themselves')
      .addOption(new Option('--every <period>', 'how often, with --hour').choices(PERIODS))
      .option('--hour <hour>', 'the hour in UTC, 0 to 23', wholeNumber(0, 23))
      .option('--off', 'begin one only when asked')
      .option(...TO),
  ).action(perform(schedule));
  subcommand(drill, 'watch', 'follow it to its end; the exit code is the outcome')
    .argument('<drillId>')
    .action(perform((call: Invocation, id: string) => watch(call, id)));
  subcommand(drill, 'show', 'its current state')
    .argument('<drillId>')
    .action(perform(show(({ drills }, options, id: string) => drills.get(id, options), drillText)));
  subcommand(drill, 'cancel', 'go no further, and remove what is copied')
    .argument('<drillId>')
    .action(
      perform(show(({ drills }, options, id: string) => drills.cancel(id, options), drillText)),
    );
  withCertificate(
    subcommand(
      drill,
      'certificate',
      'what it has proven: one page, or JSON where the path says so',
    ),
  )
    .argument('<drillId>')
    .action(perform(certificate));
  subcommand(drill, 'verify', 'check a certificate as JSON, without the service')
    .argument('<file>')
    .option('--sha256 <hash>', 'the certificateSha256 that it must have')
    .action(perform(verify));
}

const TO = ['--to <provider>', 'where to: the current place of this store'] as const;

/** What is sampled, and what it may cost. */
function withSample(command: Command): Command {
  return command
    .option('--from <place>', 'the files that you routed to <provider>/<bucket>', toPlace)
    .option('--connection-id <connectionId>', 'instead: a bucket of an audited account')
    .option('--bucket <name>', 'of --connection-id')
    .option('--sample-files <n>', 'files in the sample (default: 1,000)', wholeNumber(1, 10_000))
    .option('--sample-bytes <n>', 'or bytes in the sample', wholeNumber(1, MAX_BYTES))
    .option(
      '--max-total-usd <usd>',
      'copy nothing if it would cost more (default: the estimate that is shown)',
      usdAmount(1_000_000),
    )
    .option('-y, --yes', 'do not ask (for scripts)');
}

/** Without the service. */
async function verify(
  { print }: Invocation,
  file: string,
  { sha256 }: { sha256?: string },
): Promise<ExitCode> {
  const verified = verifyCertificate(await readFile(file, 'utf8'));
  const isOther = 'sha256' in verified && sha256 !== undefined && sha256 !== verified.sha256;
  const { problem } = isOther ? { problem: `its SHA-256 is ${verified.sha256}` } : verified;
  if (problem !== undefined) {
    await print.result({ ok: false, problem }, () => `refused: ${escapeText(problem)}`);
    return EXIT.failed;
  }
  await print.result({ ok: true, ...verified }, () =>
    escapeText(
      `verified: ${verified.objects} objects, root ${verified.rootHash}, SHA-256 ${verified.sha256}`,
    ),
  );
  return EXIT.done;
}

function withCertificate(command: Command): Command {
  return command
    .option('-o, --output <path>', 'the certificate, as HTML; as JSON where it ends with .json')
    .option('-f, --force', 'replace a file that is there');
}

async function start(call: Invocation, options: DrillOptions): Promise<ExitCode> {
  const { context, print, signal } = call;
  const { dryRun = false, yes = false, output, force = false } = options;
  requireAnswer(context, dryRun || yes, 'begins it');
  if (output !== undefined) await checkFree(output, force);
  const request = toRequest(options);
  const { drills } = await call.client();
  if (dryRun) {
    const estimate = await drills.estimate(request, { signal });
    await print.result(estimate, () => drillEstimateText(request, estimate));
    return EXIT.done;
  }
  const maxTotalUsd = await requireDrill(call, request, options, 'Begin the drill?');
  const begun = await drills.start({ ...request, maxTotalUsd }, { signal });
  if (options.wait || output !== undefined) return await watch(call, begun.drillId, options);
  await print.result(begun, () => drillText(begun));
  return EXIT.done;
}

/** Shows what a drill costs, and returns what it may cost, after a yes. */
async function requireDrill(
  call: Invocation,
  request: DrillRequest,
  { yes = false, ...options }: Pick<SampleOptions, 'yes' | 'maxTotalUsd'>,
  question: string,
): Promise<number> {
  const { drills } = await call.client();
  const estimate = await drills.estimate(request, { signal: call.signal });
  const text = drillEstimateText(request, estimate);
  const { totalUsd } = estimate;
  const { maxTotalUsd = totalUsd } = options;
  const cost = { totalUsd, maxTotalUsd };
  await requireYes(call, { text, question, otherwise: 'not confirmed', yes, cost });
  return maxTotalUsd;
}

async function schedule(call: Invocation, options: ScheduleOptions): Promise<ExitCode> {
  const { every, hour: hourUtc, to, maxTotalUsd, off = false, yes = false, ...sample } = options;
  const { signal, context } = call;
  const { drills } = await call.client();
  let current: DrillSchedule | null = null;
  const isRule = every !== undefined && hourUtc !== undefined && to !== undefined;
  if (isRule && maxTotalUsd !== undefined && !off) {
    requireAnswer(context, yes, 'saves it');
    const request = toRequest({ ...sample, to });
    const question = `Begin such a drill every ${describeRule({ every, hourUtc })}?`;
    await requireDrill(call, request, { maxTotalUsd, yes }, question);
    const rule = { every, hourUtc, drill: { ...request, maxTotalUsd } };
    current = await drills.setSchedule(rule, { signal });
  } else if (every ?? hourUtc ?? to ?? sample.from ?? sample.connectionId)
    throw wrongUsage(
      '--every, --hour, --to, --max-total-usd and what to sample, or --off, or none of them',
    );
  else if (off) await drills.removeSchedule({ signal });
  else current = await drills.schedule({ signal });
  await call.print.result({ schedule: current }, () => drillScheduleText(current));
  return EXIT.done;
}

function toRequest(options: SampleOptions): DrillRequest {
  const { to, sampleFiles, sampleBytes } = options;
  const sample =
    sampleBytes === undefined ? { files: sampleFiles ?? DEFAULT_FILES } : { bytes: sampleBytes };
  return { from: sourceOf(options), to, sample };
}

/** @throws LocalError `wrong_usage` */
function sourceOf({ from, connectionId, bucket }: SampleOptions): DrillRequest['from'] {
  const isWhole = connectionId !== undefined && bucket !== undefined;
  if (from && !isWhole) return from;
  if (!from && isWhole) return { connectionId, bucketName: bucket };
  throw wrongUsage('either --from, or --connection-id and --bucket, is needed');
}

async function watch(
  call: Invocation,
  id: string,
  options: CertificateOptions = {},
): Promise<ExitCode> {
  const { print, signal } = call;
  print.note(`Ctrl-C does not stop it; to watch it again: srs drill watch ${id}`);
  const { drills } = await call.client();
  const ended = await drills.waitFor(id, {
    signal,
    onRetry: print.retry,
    onProgress: (seen) => print.bar.show(drillPercent(seen), drillProgress(seen)),
  });
  if (options.output !== undefined) await writeCertificate(call, id, options);
  await print.result(ended, () => drillText(ended));
  return exitCodeOf(ended);
}

function exitCodeOf({ status, results }: Drill): ExitCode {
  if (status !== 'completed') return EXIT.failed;
  return results.failed > 0 ? EXIT.partly : EXIT.done;
}

async function certificate(
  call: Invocation,
  id: string,
  options: CertificateOptions,
): Promise<ExitCode> {
  const { print, signal } = call;
  const { output } = options;
  if (output === undefined) {
    const { drills } = await call.client();
    await print.data(await drills.certificatePage(id, { signal }));
    return EXIT.done;
  }
  await writeCertificate(call, id, options);
  await print.result({ drillId: id, path: output }, () => escapeText(output));
  return EXIT.done;
}

async function writeCertificate(
  { client, signal }: Invocation,
  id: string,
  { output = '', force = false }: CertificateOptions,
): Promise<void> {
  const { drills } = await client();
  const text = output.endsWith('.json')
    ? JSON.stringify(await drills.certificate(id, { signal }))
    : await drills.certificatePage(id, { signal });
  await writeWhole(output, force, pieces(text));
}

async function* pieces(text: string): AsyncGenerator<string> {
  yield text;
}
