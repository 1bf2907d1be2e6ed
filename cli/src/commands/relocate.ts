import {
  type Priority,
  PRIORITIES,
  type Provider,
  type Relocation,
  type RelocationRequest,
} from '@storage-routing/client';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { EXIT, type ExitCode } from '../io/failure.ts';
import {
  type Invocation,
  type Perform,
  show,
  subcommand,
  usdAmount,
  wholeNumber,
} from '../io/invocation.ts';
import { requireAnswer, requireYes } from '../io/prompt.ts';
import { estimateText, relocationProgress, relocationText } from '../present/relocation.ts';
import { addReportOptions, endExitCode, type ReportOptions, writeReport } from './migration.ts';

type Place = RelocationRequest['from'];

interface RelocateOptions extends Pick<Place, 'region' | 'accountId' | 'jurisdiction'> {
  from: Pick<Place, 'provider' | 'bucketName'>;
  to: Provider;
  priority?: Priority;
  minAgeDays?: number;
  file?: string[];
  maxTotalUsd?: number;
  dryRun?: boolean;
  yes?: boolean;
}

const MAX_AGE_DAYS = 36_500;

/** `srs relocate`, and `srs relocation watch`, `show`, `cancel` and `report` */
export function addRelocate(parent: Command, perform: Perform): void {
  subcommand(
    parent,
    'relocate',
    'move uploaded files from one of your places to another: no link breaks',
  )
    .requiredOption(
      '--from <place>',
      'where they are: <provider>/<bucket>, also a former place',
      toPlace,
    )
    .requiredOption('--to <provider>', 'where to: the current place of this store')
    .addOption(new Option('-p, --priority <priority>', 'only files of it').choices(PRIORITIES))
    .option('--min-age-days <n>', 'only files that are older', wholeNumber(0, MAX_AGE_DAYS))
    .option('--file <fileId...>', 'only these files')
    .option(
      '--max-total-usd <usd>',
      'move nothing if it would cost more (default: the estimate that is shown)',
      usdAmount(1_000_000),
    )
    .option('--dry-run', 'show the estimate alone')
    .option('-y, --yes', 'do not ask (for scripts)')
    .option('--region <region>', 'of --from, where several places have its bucket name')
    .option('--account-id <id>', 'of --from, in the same case')
    .option('--jurisdiction <name>', 'of --from, in the same case')
    .action(perform(relocate));
  const relocation = parent.command('relocation').description('moves of uploaded files');
  subcommand(
    relocation,
    'watch',
    'follow it until every file is moved; the exit code is the outcome',
  )
    .argument('<relocationId>')
    .action(perform(watch));
  const works = [
    [
      'show',
      'its current state',
      show(({ relocations }, options, id: string) => relocations.get(id, options), relocationText),
    ],
    [
      'cancel',
      'move no further file; what is moved stays',
      show(
        ({ relocations }, options, id: string) => relocations.cancel(id, options),
        relocationText,
      ),
    ],
  ] as const;
  for (const [name, description, work] of works)
    subcommand(relocation, name, description).argument('<relocationId>').action(perform(work));
  addReportOptions(
    subcommand(relocation, 'report', 'its report: one JSON line per file').argument(
      '<relocationId>',
    ),
  ).action(perform(report));
}

/** @throws InvalidArgumentError */
export function toPlace(text: string): RelocateOptions['from'] {
  const [, provider, bucketName] = /^([^/]+)\/([^/]+)$/.exec(text) ?? [];
  if (provider !== undefined && bucketName !== undefined) return { provider, bucketName };
  throw new InvalidArgumentError('<provider>/<bucket> is needed, as `srs providers` lists them');
}

async function relocate(call: Invocation, options: RelocateOptions): Promise<ExitCode> {
  const { context, print, signal } = call;
  const { dryRun = false, yes = false } = options;
  requireAnswer(context, dryRun || yes, 'begins it');
  const { relocations } = await call.client();
  const request = toRequest(options);
  const estimate = await relocations.estimate(request, { signal });
  const text = estimateText(request, estimate);
  if (dryRun || estimate.files === 0) {
    await print.result(estimate, () => (dryRun ? text : 'no file is there to be moved'));
    return EXIT.done;
  }
  const { totalUsd } = estimate.quote;
  const { maxTotalUsd = totalUsd } = options;
  const cost = { totalUsd, maxTotalUsd };
  await requireYes(call, { text, question: 'Move them?', otherwise: 'not confirmed', yes, cost });
  const { relocationId } = await relocations.start({ ...request, maxTotalUsd }, { signal });
  return await watch(call, relocationId);
}

function toRequest(options: RelocateOptions): RelocationRequest {
  const { from, to, region, accountId, jurisdiction } = options;
  const { priority, minAgeDays, file: fileIds } = options;
  return {
    from: {
      ...from,
      ...(region !== undefined && { region }),
      ...(accountId !== undefined && { accountId }),
      ...(jurisdiction !== undefined && { jurisdiction }),
    },
    to,
    select: {
      ...(priority !== undefined && { priority }),
      ...(minAgeDays !== undefined && { minAgeDays }),
      ...(fileIds !== undefined && { fileIds }),
    },
  };
}

/** The wait for the deletes of old objects may take hours, so it ends before. */
async function watch(call: Invocation, id: string): Promise<ExitCode> {
  const { print, signal } = call;
  print.note(`Ctrl-C does not stop it; to watch it again: srs relocation watch ${id}`);
  const { relocations } = await call.client();
  const ended = await relocations.waitFor(id, {
    signal,
    onRetry: print.retry,
    onProgress: (seen) => print.bar.show(seen.progress.percent, relocationProgress(seen)),
  });
  await print.result(ended, () => relocationText(ended));
  return exitCodeOf(ended);
}

/** A file that has failed is known before the old objects are deleted. */
function exitCodeOf({ status, progress }: Relocation): ExitCode {
  if (status === 'draining' && progress.filesFailed > 0) return EXIT.partly;
  return endExitCode(status);
}

async function report(call: Invocation, id: string, options: ReportOptions): Promise<ExitCode> {
  const { relocations } = await call.client();
  const lines = relocations.report(id, { signal: call.signal });
  return await writeReport(call, options, { relocationId: id }, lines);
}
