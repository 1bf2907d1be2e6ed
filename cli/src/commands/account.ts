import {
  type CallOptions,
  StorageRoutingError,
  type StorageRoutingClient,
  type Subscription,
} from '@storage-routing/client';
import type { Command } from 'commander';
import { EXIT, type ExitCode } from '../io/failure.ts';
import { type Invocation, type Perform, show, subcommand } from '../io/invocation.ts';
import { accountText, savingsText, usageText } from '../present/account.ts';

/** `srs me`, `srs account` and `srs usage` */
export function addAccount(parent: Command, perform: Perform): void {
  subcommand(parent, 'me', 'the account of the API key, its plan and its stores').action(
    perform(
      show(
        (client, options) => client.me(options),
        (me) => accountText(me),
      ),
    ),
  );
  subcommand(
    parent,
    'account',
    'the account of the dashboard token, its plan, stores and subscription',
  ).action(perform(show(readAccount, (account) => accountText(account, account.subscription))));
  subcommand(parent, 'usage', 'the usage of this month, and the totals routed and saved').action(
    perform(showUsage),
  );
}

/** The account of the dashboard token, with its subscription. */
export async function readAccount(client: StorageRoutingClient, options: CallOptions) {
  const [account, subscription] = await Promise.all([
    client.account(options),
    findSubscription(client, options),
  ]);
  return { ...account, subscription };
}

/** Null also if the service sells no plans. */
async function findSubscription(
  { billing }: StorageRoutingClient,
  options: CallOptions,
): Promise<Subscription | null> {
  try {
    return (await billing.subscription(options)).subscription;
  } catch (error) {
    const sellsNone =
      error instanceof StorageRoutingError && error.code === 'billing_not_configured';
    if (sellsNone) return null;
    throw error;
  }
}

async function showUsage(call: Invocation): Promise<ExitCode> {
  const { me, summary, monthly } = await readUsage(call);
  await call.print.result(
    { ...(me && { plan: me.plan, ...me.usage }), ...(summary && { summary }), ...monthly },
    () => monthText({ me, summary, monthly }),
  );
  if (!summary)
    call.print.note('What was routed and saved, month by month, needs the dashboard token.');
  return EXIT.done;
}

/** The API key reads the month against the plan; the dashboard token reads totals and savings. */
export async function readUsage({ access, client: open, signal }: Invocation) {
  const client = await open();
  const { apiKey, dashboardToken } = await access();
  const [me, routed] = await Promise.all([
    // Without credentials, the first call names the missing one.
    apiKey !== undefined || dashboardToken === undefined ? client.me({ signal }) : undefined,
    dashboardToken === undefined
      ? undefined
      : Promise.all([client.analytics.summary({ signal }), client.analytics.monthly({ signal })]),
  ]);
  const [summary, monthly] = routed ?? [];
  return { me, summary, monthly };
}

/** What {@link readUsage} has read. */
export function monthText({ me, summary, monthly }: Awaited<ReturnType<typeof readUsage>>): string {
  return [
    ...(me ? [usageText(me.plan, me.usage)] : []),
    ...(summary && monthly ? [savingsText(summary, monthly)] : []),
  ].join('\n\n');
}
