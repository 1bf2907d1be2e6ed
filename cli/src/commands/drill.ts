import type { Drill, DrillRequest, Provider } from '@storage-routing/client';
import { escapeText } from '@storage-routing/client';
import type { Command } from 'commander';
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
import { drillEstimateText, drillPercent, drillProgress, drillText } from '../present/drill.ts';
import { toPlace } from './relocate.ts';

interface CertificateOptions {
  output?: string;
  force?: boolean;
}

interface DrillOptions extends CertificateOptions {
  from?: { provider: Provider; bucketName: string };
  connectionId?: string;
  bucket?: string;
  to: Provider;
  sampleFiles?: number;
  sampleBytes?: number;
  maxTotalUsd?: number;
  dryRun?: boolean;
  yes?: boolean;
  wait?: boolean;
}

const DEFAULT_FILES = 1_000;
const MAX_BYTES = 1e15;

/** `srs drill`, and `srs drill watch`, `show`, `cancel` and `certificate` */
export function addDrill(parent: Command, perform: Perform): void {
  const drill = parent
    .command('drill')
    .description('try an exit: copy a sample to another store, read it back, remove it');
  withCertificate(
    subcommand(drill, 'start', 'show what it costs, ask, and begin', { isDefault: true })
      .option('--from <place>', 'the files that you routed to <provider>/<bucket>', toPlace)
      .option('--connection-id <connectionId>', 'instead: a bucket of an audited account')
      .option('--bucket <name>', 'of --connection-id')
      .requiredOption('--to <provider>', 'where to: the current place of this store')
      .option('--sample-files <n>', 'files in the sample (default: 1,000)', wholeNumber(1, 10_000))
      .option('--sample-bytes <n>', 'or bytes in the sample', wholeNumber(1, MAX_BYTES))
      .option(
        '--max-total-usd <usd>',
        'copy nothing if it would cost more (default: the estimate that is shown)',
        usdAmount(1_000_000),
      )
      .option('--dry-run', 'show the estimate alone')
      .option('-y, --yes', 'do not ask (for scripts)')
      .option('--wait', 'until it has ended; the exit code is the outcome'),
  ).action(perform(start));
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
  const estimate = await drills.estimate(request, { signal });
  const text = drillEstimateText(request, estimate);
  if (dryRun) {
    await print.result(estimate, () => text);
    return EXIT.done;
  }
  const { totalUsd } = estimate;
  const { maxTotalUsd = totalUsd } = options;
  const cost = { totalUsd, maxTotalUsd };
  const question = 'Begin the drill?';
  await requireYes(call, { text, question, otherwise: 'not confirmed', yes, cost });
  const begun = await drills.start({ ...request, maxTotalUsd }, { signal });
  if (options.wait || output !== undefined) return await watch(call, begun.drillId, options);
  await print.result(begun, () => drillText(begun));
  return EXIT.done;
}

function toRequest(options: DrillOptions): DrillRequest {
  const { to, sampleFiles, sampleBytes } = options;
  const sample =
    sampleBytes === undefined ? { files: sampleFiles ?? DEFAULT_FILES } : { bytes: sampleBytes };
  return { from: sourceOf(options), to, sample };
}

/** @throws LocalError `wrong_usage` */
function sourceOf({ from, connectionId, bucket }: DrillOptions): DrillRequest['from'] {
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
