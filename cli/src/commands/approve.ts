import {
  PROVIDERS,
  type PlacementOption,
  type Provider,
  type Recommendation,
  type StorageRoutingClient,
} from '@storage-routing/client';
import { type Command, Option } from 'commander';
import { canAsk, confirm } from '../io/prompt.ts';
import { EXIT, type ExitCode, LocalError, wrongUsage } from '../io/failure.ts';
import { type Invocation, type Perform, subcommand } from '../io/invocation.ts';
import { quoteText } from '../present/quote.ts';

interface ApproveOptions {
  target: Provider;
  scanId?: string;
  yes?: boolean;
}

/** `srs approve <recommendationId>` */
export function addApprove(parent: Command, perform: Perform): void {
  subcommand(parent, 'approve', 'read a recommended move’s quote, and say yes to it')
    .argument('<recommendationId>')
    .addOption(
      new Option('--target <provider>', 'where to').choices(PROVIDERS).makeOptionMandatory(),
    )
    .option(
      '--scan-id <scanId>',
      'whose recommendation it is (else the newest scans are looked at)',
    )
    .option('-y, --yes', 'do not ask (for scripts)')
    .action((recommendationId: string, options: ApproveOptions, command: Command) =>
      perform(command, (call) => approve(call, recommendationId, options)),
    );
}

async function approve(
  call: Invocation,
  recommendationId: string,
  { target, scanId, yes = false }: ApproveOptions,
): Promise<ExitCode> {
  const { context, print, signal } = call;
  if (!yes && !canAsk(context)) {
    throw new LocalError('not_confirmed', 'no terminal to ask on: --yes approves', EXIT.usage);
  }
  const client = await call.client();
  const scanIds = scanId === undefined ? newestScans(client, signal) : [scanId];
  const move = await find(client, recommendationId, scanIds, signal);
  const quote = `${quoteText(move, optionFor(move, target))}\n`;
  // The prompt includes the quote; with --json, stdout carries the JSON document only.
  if (!yes) context.stderr.write(quote);
  else print.note(quote.trimEnd());
  if (!yes && !(await confirm(context, 'Approve?'))) {
    throw new LocalError('not_confirmed', 'not approved; nothing was sent');
  }
  const approved = await client.migrations.approve(
    recommendationId,
    { targetProvider: target },
    { signal },
  );
  await print.result(approved, () => approved.migrationId);
  print.note(`Watch it: srs migration watch ${approved.migrationId}`);
  return EXIT.done;
}

/**
 * A completed scan supersedes the recommendations of earlier scans, so an open recommendation exists only in the newest
 * completed scan of its connection.
 */
async function* newestScans(
  client: StorageRoutingClient,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const seen = new Set<string>();
  for (const { scanId, connectionId, status } of (await client.scanner.history({ signal })).items) {
    if (status !== 'completed' || seen.has(connectionId)) continue;
    seen.add(connectionId);
    yield scanId;
  }
}

async function find(
  client: StorageRoutingClient,
  recommendationId: string,
  scanIds: AsyncIterable<string> | Iterable<string>,
  signal: AbortSignal,
): Promise<Recommendation> {
  for await (const scanId of scanIds) {
    const { recommendations } = await client.scanner.results(scanId, { signal });
    const found = recommendations.find((one) => one.recommendationId === recommendationId);
    if (found !== undefined) return found;
  }
  const message = 'no such recommendation in the newest scans; --scan-id names an older one';
  throw new LocalError('recommendation_not_found', message);
}

function optionFor(move: Recommendation, target: Provider): PlacementOption {
  if (move.kind !== 'move') {
    const message = `this is a ${move.kind}: only a move can be approved`;
    throw new LocalError('recommendation_not_approvable', message);
  }
  const found = move.options.find(({ provider }) => provider === target);
  if (found !== undefined) return found;
  const names = move.options.map(({ provider }) => provider).join(', ');
  throw wrongUsage(`${target} is not among its options: ${names}`);
}
