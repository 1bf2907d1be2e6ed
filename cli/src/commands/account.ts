import type { Command } from 'commander';
import { EXIT, type ExitCode } from '../failure.ts';
import { type Invocation, type Perform, subcommand } from '../invocation.ts';
import { accountText, usageText } from '../present/account.ts';

/** `srs me` and `srs usage` */
export function addAccount(parent: Command, perform: Perform): void {
  subcommand(parent, 'me', 'whose key this is, its plan and its stores').action(
    (_options: object, command: Command) => perform(command, showAccount),
  );
  subcommand(parent, 'usage', 'what this month has used so far').action(
    (_options: object, command: Command) => perform(command, showUsage),
  );
}

async function showAccount(call: Invocation): Promise<ExitCode> {
  const me = await (await call.client()).me({ signal: call.signal });
  await call.print.result(me, () => accountText(me));
  return EXIT.done;
}

async function showUsage(call: Invocation): Promise<ExitCode> {
  const { plan, usage } = await (await call.client()).me({ signal: call.signal });
  await call.print.result({ plan, ...usage }, () => usageText(plan, usage));
  return EXIT.done;
}
