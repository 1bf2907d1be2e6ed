import { execFile, spawnSync } from 'node:child_process';
import process from 'node:process';
import { promisify } from 'node:util';
import type { BenchStore } from './migration/servers.ts';

/** `RCLONE` names the program. */
const RCLONE = process.env['RCLONE'] || 'rclone';
const run = promisify(execFile);

/** Ends the process with a hint if rclone is not there. */
export function requireRclone(): void {
  if (spawnSync(RCLONE, ['version'], { stdio: 'ignore' }).status === 0) return;
  process.stdout.write(
    `There is no ${RCLONE}: go install github.com/rclone/rclone@v1.75.1, then set RCLONE.\n`,
  );
  process.exit(1);
}

export async function rclone(
  args: readonly string[],
  environment: Record<string, string>,
): Promise<void> {
  const { AWS_CA_BUNDLE: _unused, ...own } = process.env;
  await run(RCLONE, [...args, '--s3-no-check-bucket'], {
    maxBuffer: 1 << 28,
    env: { ...own, RCLONE_CONFIG: '/dev/null', ...environment },
  });
}

/** The settings of a store, as `name:` of rclone's arguments. */
export const remote = (
  name: string,
  { region, keys }: BenchStore,
  endpoint: string,
): Record<string, string> => ({
  [`RCLONE_CONFIG_${name}_TYPE`]: 's3',
  [`RCLONE_CONFIG_${name}_PROVIDER`]: 'Other',
  [`RCLONE_CONFIG_${name}_ENDPOINT`]: endpoint,
  [`RCLONE_CONFIG_${name}_REGION`]: region,
  [`RCLONE_CONFIG_${name}_FORCE_PATH_STYLE`]: 'true',
  [`RCLONE_CONFIG_${name}_ACCESS_KEY_ID`]: keys.accessKeyId,
  [`RCLONE_CONFIG_${name}_SECRET_ACCESS_KEY`]: keys.secretAccessKey,
});
