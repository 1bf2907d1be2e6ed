import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { nativeEntry } from '../system/cache.ts';
import { readOutput } from '../system/commands.ts';
import type { ProcessSpec } from '../system/processes.ts';
import { isHttpUp } from '../system/probes.ts';
import { VERSIONS } from '../system/versions.ts';
import {
  nativeFromCache,
  fromDownload,
  fromGo,
  fromPath,
  platformNames,
} from './program-resolvers.ts';
import type { Program, Service } from './service.ts';

/** An S3 server on files that verifies signatures; one process per store. */
export const versitygw: Service = {
  name: 'versitygw',
  version: VERSIONS.versitygw,
  addresses: ['PROVIDER_ENDPOINT_R2', 'PROVIDER_ENDPOINT_B2'],
  resolvers(resolverContext) {
    const target = {
      ...nativeEntry('versitygw', VERSIONS.versitygw),
      program: 'versitygw',
      versionArgs: ['--version'],
    };
    const { os, cpu } = platformNames();
    const system = os === 'linux' ? 'Linux' : 'Darwin';
    const tag = `v${VERSIONS.versitygw}`;
    const archive = `versitygw_${tag}_${system}_${cpu === 'amd64' ? 'x86_64' : 'arm64'}.tar.gz`;
    const url = `https://github.com/versity/versitygw/releases/download/${tag}/${archive}`;
    const module = `github.com/versity/versitygw/cmd/versitygw@${tag}`;
    return [
      fromPath('versitygw', async (path) => void (await readOutput(path, ['--version']))),
      nativeFromCache(resolverContext, target),
      fromDownload(resolverContext, target, { url, packed: true }),
      fromGo(resolverContext, target, module),
    ];
  },
};

export interface StoreOptions {
  /** The provider that it represents; also the name of its log. */
  name: string;
  port: number;
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
  bucket: string;
  dataFolder: string;
}

/** Creates the bucket too: this server stores a bucket as a folder. */
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
