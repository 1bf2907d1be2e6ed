import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Command } from 'commander';
import { EXIT, type ExitCode } from '../io/failure.ts';
import type { Invocation, Perform } from '../io/invocation.ts';

export const AUDIT = 'audit';
const PROGRAM = 'srs-audit';
const PACKAGE = '@storage-routing/audit';

/** `srs audit …`: a program of its own, so that this one stays small. It gets every argument. */
export function addAudit(parent: Command, perform: Perform): void {
  parent
    .command(AUDIT)
    .description(`audit an S3 account without a service (${PROGRAM}, of the package ${PACKAGE})`)
    .argument('[arguments...]')
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .action(perform(audit));
}

async function audit({ context, print }: Invocation, given: readonly string[]): Promise<ExitCode> {
  const child = spawn(PROGRAM, given, { stdio: 'inherit', env: context.env });
  try {
    const [exitCode] = (await once(child, 'close')) as [number | null];
    return (exitCode ?? EXIT.interrupted) as ExitCode;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const command = ['npx', PACKAGE, ...given].join(' ');
    print.note(
      `${PROGRAM} is not installed here: ${command} runs it, npm install --global ${PACKAGE} installs it`,
    );
    return EXIT.failed;
  }
}
