import {
  escapeText,
  type PlacementOption,
  type Provider,
  type Recommendation,
  type RecommendationDetail,
  type StorageRoutingClient,
} from '@storage-routing/client';
import type { Command } from 'commander';
import { requireAnswer, requireYes } from '../io/prompt.ts';
import { EXIT, type ExitCode, LocalError, WHAT_IS_OPEN, wrongUsage } from '../io/failure.ts';
import { type Invocation, type Perform, subcommand } from '../io/invocation.ts';
import { howToText, quoteText } from '../present/approval.ts';

interface ApproveOptions {
  target?: Provider;
  yes?: boolean;
}

/** `srs approve <recommendationId>` */
export function addApprove(parent: Command, perform: Perform): void {
  subcommand(
    parent,
    'approve',
    'show the quote of a recommended move and approve it; for other recommendations, print how to carry them out',
  )
    .argument('<recommendationId>')
    .option('--target <provider>', 'where to (default: the recommended store)')
    .option('-y, --yes', 'do not ask (for scripts)')
    .action(perform(approve));
}

async function approve(
  call: Invocation,
  recommendationId: string,
  options: ApproveOptions,
): Promise<ExitCode> {
  const client = await call.client();
  const { signal } = call;
  const recommendation = await client.scanner.recommendation(recommendationId, { signal });
  const { howTo, status } = recommendation;
  if (howTo !== null) {
    if (options.target !== undefined || options.yes === true)
      call.print.note('this is no move: --target and --yes are ignored, and nothing is sent');
    if (status !== 'open') call.print.note(`it is ${status}: a newer scan may say otherwise`);
    await call.print.result(howTo, () => howToText(recommendation, howTo));
    return EXIT.done;
  }
  switch (status) {
    case 'open':
      return await approveMove(call, client, recommendation, options);
    case 'approved':
      return await repeatApproval(call, client, recommendation, options);
    default:
      throw notOpen(recommendation);
  }
}

/** The failure of what can only be done with an open recommendation. */
export function notOpen({ status, supersededBy }: Recommendation): LocalError {
  const next =
    supersededBy === null ? WHAT_IS_OPEN : `the one after it: srs approve ${supersededBy}`;
  return new LocalError('recommendation_not_open', `it is ${status}; ${next}`);
}

/** Answers as the approval did; of a migration that has ended, it says so. */
async function repeatApproval(
  { print, signal }: Invocation,
  { migrations }: StorageRoutingClient,
  { recommendationId, migrationId }: Recommendation,
  { target }: ApproveOptions,
): Promise<ExitCode> {
  const earlier = await migrations.get(migrationId ?? '', { signal });
  const targetProvider = target ?? earlier.target.provider;
  const approved = await migrations.approve(recommendationId, { targetProvider }, { signal });
  print.note(
    `It was approved before, by ${escapeText(earlier.approvedByName)}; its migration: ${earlier.status}.`,
  );
  await print.result(approved, () => approved.migrationId);
  return EXIT.done;
}

async function approveMove(
  call: Invocation,
  client: StorageRoutingClient,
  move: RecommendationDetail,
  { target = move.recommendedProvider ?? undefined, yes = false }: ApproveOptions,
): Promise<ExitCode> {
  const { context, print, signal } = call;
  const option = optionFor(move, target);
  requireAnswer(context, yes, 'approves');
  const { provider: source } = await client.scanner.results(move.scanId, { signal });
  const text = quoteText(move, option, source, context.now());
  await requireYes(call, { text, question: 'Approve?', otherwise: 'not approved', yes });
  const approved = await client.migrations.approve(
    move.recommendationId,
    { targetProvider: option.provider },
    { signal },
  );
  await print.result(approved, () => approved.migrationId);
  print.note(`Watch it: srs migration watch ${approved.migrationId}`);
  return EXIT.done;
}

function optionFor(move: Recommendation, target: Provider | undefined): PlacementOption {
  const option = move.options.find(({ provider }) => provider === target);
  if (option !== undefined) return option;
  const names = move.options.map(({ provider }) => provider).join(', ');
  throw wrongUsage(`${target} is not among its options: ${names}`);
}
