import type { Command } from 'commander';
import { EXIT, type ExitCode } from '../io/failure.ts';
import { type Invocation, type Perform, subcommand } from '../io/invocation.ts';
import { changesText } from '../present/changes.ts';

/** `srs changes` */
export function addChanges(parent: Command, perform: Perform): void {
  subcommand(parent, 'changes', 'what is different from the scan before, and why')
    .argument('<scanId>', 'a completed scan')
    .action(perform(showChanges));
}

async function showChanges(call: Invocation, scanId: string): Promise<ExitCode> {
  const changes = await (await call.client()).scanner.changes(scanId, { signal: call.signal });
  await call.print.result(changes, () => changesText(changes));
  return EXIT.done;
}
