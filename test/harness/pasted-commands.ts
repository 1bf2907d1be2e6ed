import { execFile } from 'node:child_process';
import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
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

/** A terminal whose `aws` reaches the double, with the credentials of a user. */
export async function openTerminal(
  cli: string,
  double: AwsDouble,
  user: User,
  more: Readonly<Record<string, string>> = {},
): Promise<Terminal> {
  const folder = await mkdtemp(join(tmpdir(), 'terminal-'));
  const aws = join(folder, 'aws');
  await writeFile(aws, `#!/bin/sh\nexec '${cli}' --endpoint-url '${double.s3Endpoint}' "$@"\n`);
  await chmod(aws, 0o755);
  const env = {
    ...process.env,
    PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}`,
    ...more,
    AWS_ACCESS_KEY_ID: user.accessKeyId,
    AWS_SECRET_ACCESS_KEY: user.secretAccessKey,
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    // The commands name what they need and do not depend on a customer's settings.
    AWS_DEFAULT_OUTPUT: 'table',
    AWS_DEFAULT_REGION: 'us-west-2',
  };
  return {
    async paste(command) {
      const { stdout } = await run('/bin/sh', ['-c', command], { env, timeout: 120_000 });
      return stdout;
    },
  };
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
