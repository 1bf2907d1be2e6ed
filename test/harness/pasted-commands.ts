import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { AwsDouble } from '../../dev/aws-double/index.ts';

const run = promisify(execFile);

/** Runs commands as a customer would paste them: in a shell, with the AWS CLI and his credentials. */
export interface Terminal {
  /** What a command prints. Rejects where it fails. */
  paste(command: string): Promise<string>;
}

interface User {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Adds a user who may do everything in an account. */
export function addOwner(double: AwsDouble, awsAccount: string): User {
  const user = { accessKeyId: `AKIA${awsAccount}0000`, secretAccessKey: `secret-${awsAccount}` };
  double.putUser({ ...user, accountId: awsAccount, userName: 'owner' });
  return user;
}

/**
 * A terminal with the credentials of a user, whose `aws` reaches the double.
 *
 * @param double null: whatever the commands name
 */
export async function openTerminal(
  cli: string,
  double: AwsDouble | null,
  user: User,
  more: Readonly<Record<string, string>> = {},
): Promise<Terminal> {
  const folder = await mkdtemp(join(tmpdir(), 'terminal-'));
  const endpoint = double === null ? '' : `--endpoint-url '${double.s3Endpoint}'`;
  await writeProgram(folder, 'aws', `exec '${cli}' ${endpoint} "$@"`);
  const env = {
    ...process.env,
    AWS_ACCESS_KEY_ID: user.accessKeyId,
    AWS_SECRET_ACCESS_KEY: user.secretAccessKey,
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    // The commands name what they need and do not depend on a customer's settings.
    AWS_DEFAULT_OUTPUT: 'table',
    AWS_DEFAULT_REGION: 'us-west-2',
    ...more,
    PATH: [folder, more['PATH'] ?? process.env['PATH']].join(delimiter),
  };
  return {
    async paste(command) {
      const { stdout } = await run('/bin/sh', ['-c', command], { env, timeout: 120_000 });
      return stdout;
    },
  };
}

/** A program of a terminal, as a line of a shell. */
export async function writeProgram(folder: string, name: string, line: string): Promise<void> {
  await writeFile(join(folder, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
}

/** A CLI whose fields are those of 2023. What it prints of them is all that differs. */
export async function writeOldCli(real: string): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'old-cli-')), 'aws');
  const lines = [
    '#!/bin/sh',
    'case "$*" in',
    `*--generate-cli-skeleton*) '${real}' "$@" | grep -v TransitionDefaultMinimumObjectSize; exit ;;`,
    'esac',
    `exec '${real}' "$@"`,
  ];
  await writeFile(path, lines.join('\n'), { mode: 0o755 });
  return path;
}
