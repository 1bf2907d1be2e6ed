import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { nativeEntry } from '../cache.ts';
import { outputOf } from '../commands.ts';
import type { ProcessSpec } from '../processes.ts';
import { isHttpUp } from '../probes.ts';
import { VERSIONS } from '../versions.ts';
import { cachedNative, goInstall, officialDownload, onPath, platformNames } from './rungs.ts';
import type { Program, Service } from './service.ts';

/** An S3 server on files that checks signatures; one process for each store. */
export const versitygw: Service = {
  name: 'versitygw',
  version: VERSIONS.versitygw,
  addresses: ['PROVIDER_ENDPOINT_R2', 'PROVIDER_ENDPOINT_B2'],
  rungs(workshop) {
    const target = {
      ...nativeEntry('versitygw', VERSIONS.versitygw),
      program: 'versitygw',
      proof: ['--version'],
    };
    const { os, cpu } = platformNames();
    const system = os === 'linux' ? 'Linux' : 'Darwin';
    const tag = `v${VERSIONS.versitygw}`;
    const archive = `versitygw_${tag}_${system}_${cpu === 'amd64' ? 'x86_64' : 'arm64'}.tar.gz`;
    const url = `https://github.com/versity/versitygw/releases/download/${tag}/${archive}`;
    const module = `github.com/versity/versitygw/cmd/versitygw@${tag}`;
    return [
      onPath('versitygw', async (path) => void (await outputOf(path, ['--version']))),
      cachedNative(workshop, target),
      officialDownload(workshop, target, { url, packed: true }),
      goInstall(workshop, target, module),
    ];
  },
};

export interface StoreOptions {
  /** The provider that it stands for; also the name of its log. */
  name: string;
  port: number;
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
  bucket: string;
  dataFolder: string;
}

/** Makes the bucket too: to this server a bucket is a folder. */
export async function storeProcess(program: Program, options: StoreOptions): Promise<ProcessSpec> {
  const files = join(options.dataFolder, 'files');
  const versions = join(options.dataFolder, 'versions');
  await mkdir(join(files, options.bucket), { recursive: true });
  await mkdir(versions, { recursive: true });
  return {
    name: `store-${options.name}`,
    command: program.command,
    args: [
      ...program.args,
      '--port',
      `127.0.0.1:${options.port}`,
      '--region',
      options.region,
      '--health',
      '/health',
      '--quiet',
      '--keep-alive',
      'posix',
      '--versioning-dir',
      versions,
      files,
    ],
    environment: {
      ROOT_ACCESS_KEY_ID: options.accessKeyId,
      ROOT_SECRET_ACCESS_KEY: options.secretAccessKey,
    },
    isReady: () => isHttpUp(`http://127.0.0.1:${options.port}/health`),
    readyWithinMs: 30_000,
  };
}
