import {
  PROVIDERS,
  type ListedRecommendation,
  type PlacementOption,
  type Provider,
  type Recommendation,
  type StorageRoutingClient,
} from '@storage-routing/client';
import { type Command, Option } from 'commander';
import { canAsk, confirm } from '../io/prompt.ts';
import { EXIT, type ExitCode, LocalError, wrongUsage } from '../io/failure.ts';
import { type Invocation, type Perform, subcommand } from '../io/invocation.ts';
import { howToText } from '../present/how-to.ts';
import { quoteText } from '../present/quote.ts';

interface ApproveOptions {
  target?: Provider;
  yes?: boolean;
}

/** The service's largest page. */
const PAGE_ITEMS = 50;
/** The service's last page begins here. */
const MAX_OFFSET = 10_000;

/** `srs approve <recommendationId>` */
export function addApprove(parent: Command, perform: Perform): void {
  subcommand(
    parent,
    'approve',
    'read a recommended move’s quote, and say yes to it; of another recommendation, how to carry it out',
  )
    .argument('<recommendationId>')
    .addOption(
      new Option('--target <provider>', 'where to (default: the recommended store)').choices(
        PROVIDERS,
      ),
    )
    .option('-y, --yes', 'do not ask (for scripts)')
    .action((recommendationId: string, options: ApproveOptions, command: Command) =>
      perform(command, (call) => approve(call, recommendationId, options)),
    );
}

async function approve(
  call: Invocation,
  recommendationId: string,
  options: ApproveOptions,
): Promise<ExitCode> {
  const client = await call.client();
  const recommendation = await find(client, recommendationId, call.signal);
  const { howTo } = recommendation;
  if (howTo !== null) {
    await call.print.result(howTo, () => howToText(recommendation, howTo));
    return EXIT.done;
  }
  return await approveMove(call, client, recommendation, options);
}

async function approveMove(
  { context, print, signal }: Invocation,
  client: StorageRoutingClient,
  move: Recommendation,
  { target = move.recommendedProvider ?? undefined, yes = false }: ApproveOptions,
): Promise<ExitCode> {
  const option = optionFor(move, target);
  if (!yes && !canAsk(context)) {
    throw new LocalError('not_confirmed', 'no terminal to ask on: --yes approves', EXIT.usage);
  }
  const quote = `${quoteText(move, option)}\n`;
  // The prompt includes the quote; with --json, stdout carries the JSON document only.
  if (!yes) context.stderr.write(quote);
  else print.note(quote.trimEnd());
  if (!yes && !(await confirm(context, 'Approve?'))) {
    throw new LocalError('not_confirmed', 'not approved; nothing was sent');
  }
  const approved = await client.migrations.approve(
    move.recommendationId,
    { targetProvider: option.provider },
    { signal },
  );
  await print.result(approved, () => approved.migrationId);
  print.note(`Watch it: srs migration watch ${approved.migrationId}`);
  return EXIT.done;
}

/** Open recommendations come first: they are few, while the others grow with every scan. */
async function find(
  client: StorageRoutingClient,
  recommendationId: string,
  signal: AbortSignal,
): Promise<Recommendation> {
  const isIt = (one: Recommendation) => one.recommendationId === recommendationId;
  for (const filter of [{ status: 'open' as const }, {}]) {
    for await (const items of pages(client, filter, signal)) {
      const found = items.find(isIt);
      if (found !== undefined) return found;
    }
  }
  throw new LocalError('recommendation_not_found', 'no such recommendation: srs recommendations');
}

async function* pages(
  client: StorageRoutingClient,
  filter: { status?: 'open' },
  signal: AbortSignal,
): AsyncGenerator<readonly ListedRecommendation[]> {
  let offset = 0;
  for (let total = 1; offset < total && offset <= MAX_OFFSET;) {
    const page = await client.scanner.recommendations({
      ...filter,
      limit: PAGE_ITEMS,
      offset,
      signal,
    });
    if (page.items.length === 0) return;
    yield page.items;
    total = page.total;
    offset += page.items.length;
  }
}

function optionFor(move: Recommendation, target: Provider | undefined): PlacementOption {
  const found = move.options.find(({ provider }) => provider === target);
  if (found !== undefined) return found;
  const names = move.options.map(({ provider }) => provider).join(', ');
  throw wrongUsage(`${target} is not among its options: ${names}`);
}
