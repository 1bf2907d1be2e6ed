import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { nativeEntry, type CacheEntry } from '../system/cache.ts';
import { findOnPath, readOutput, requireOnPath, runLogged } from '../system/commands.ts';
import { requireReachable } from '../system/download.ts';
import type { Resolver } from '../system/resolvers.ts';
import type { ProcessSpec } from '../system/processes.ts';
import { isMongoUp } from '../system/probes.ts';
import { OLDEST_ON_PATH, VERSIONS } from '../system/versions.ts';
import {
  nativeFromCache,
  copyInto,
  fetchJavaLibraries,
  installed,
  fromCache,
  fromPath,
  requireVersion,
} from './program-resolvers.ts';
import type { Program, Service, ResolverContext } from './service.ts';

const SOURCE = join(import.meta.dirname, '..', 'mongo', 'MongoDouble.java');
const DOWNLOADS = 'https://fastdl.mongodb.org/';
const JAVA_FLAGS = ['-XX:+UseSerialGC', '-Xmx1g', '-Xshare:auto'];

/** MongoDB, or a double that implements its protocol. */
export const mongodb: Service = {
  name: 'mongodb',
  version: VERSIONS.mongod,
  addresses: ['MONGODB_URI'],
  resolvers(resolverContext) {
    const target = {
      ...nativeEntry('mongod', VERSIONS.mongod),
      program: 'mongod',
      versionArgs: ['--version'],
    };
    const [doubleInCache, doubleBuilt] = doubleResolvers(resolverContext);
    return [
      fromPath('mongod', requireRecentMongod),
      nativeFromCache(resolverContext, target),
      doubleInCache,
      installed(resolverContext, target, 'official download', downloadMongod),
      doubleBuilt,
    ];
  },
};

/** Only the double, for its own tests. */
export const mongoDouble: Service = {
  name: 'mongo-double',
  version: VERSIONS.mongoJavaServer,
  addresses: [],
  resolvers: doubleResolvers,
};

export interface MongoOptions {
  port: number;
  /** A folder of its own. */
  dataFolder: string;
  /** The double keeps its data on disk instead of in memory. mongod always does. */
  persistent: boolean;
}

export function mongoProcess(program: Program, options: MongoOptions): ProcessSpec {
  const port = String(options.port);
  const args =
    program.kind === 'double'
      ? ['127.0.0.1', port, ...(options.persistent ? [join(options.dataFolder, 'double.mv')] : [])]
      : ['--bind_ip', '127.0.0.1', '--port', port, '--dbpath', options.dataFolder, '--quiet'];
  return {
    name: 'mongodb',
    command: program.command,
    args: [...program.args, ...args],
    // The double ends when its stdin closes, even if this process is killed.
    keepsStdin: true,
    isReady: () => isMongoUp('127.0.0.1', options.port),
    readyWithinMs: 60_000,
  };
}

function doubleResolvers(resolverContext: ResolverContext): [Resolver<Program>, Resolver<Program>] {
  const sourceHash = createHash('sha256').update(readFileSync(SOURCE)).digest('hex').slice(0, 12);
  const entry: CacheEntry = {
    name: 'mongo-double',
    version: `${VERSIONS.mongoJavaServer}-${sourceHash}`,
  };
  const built: Resolver<Program> = {
    name: 'mongo-java-server by mvn',
    async resolve() {
      await requireOnPath('java');
      const logFile = await resolverContext.cache.logFile(entry, 'mvn');
      return doubleIn(
        await resolverContext.cache.install(entry, (folder) => buildDouble(folder, logFile)),
      );
    },
  };
  const cached = fromCache(resolverContext, entry, doubleIn);
  return [{ ...cached, name: 'its double in the cache' }, built];
}

async function buildDouble(folder: string, logFile: string): Promise<void> {
  const version = VERSIONS.mongoJavaServer;
  const artifacts = ['mongo-java-server', 'mongo-java-server-h2-backend'];
  await fetchJavaLibraries(
    artifacts.map((name) => `de.bwaldvogel:${name}:${version}`),
    folder,
    logFile,
  );
  await copyInto(folder, SOURCE, 'MongoDouble.java');
  const classes = join(folder, 'classes');
  await mkdir(classes);
  // Without javac, java runs the source file, half a second slower.
  if ((await findOnPath('javac')) === undefined) return;
  const args = ['-cp', join(folder, 'lib', '*'), '-d', classes, SOURCE];
  await runLogged('javac', args, { logFile, timeoutMs: 120_000 });
}

/** Runs the compiled class if it exists, otherwise the source file. */
function doubleIn(folder: string): Program {
  const classPath = `${join(folder, 'classes')}:${join(folder, 'lib', '*')}`;
  const isCompiled = hasClass(join(folder, 'classes', 'MongoDouble.class'));
  const main = isCompiled ? 'MongoDouble' : join(folder, 'MongoDouble.java');
  return { kind: 'double', command: 'java', args: [...JAVA_FLAGS, '-cp', classPath, main] };
}

function hasClass(file: string): boolean {
  try {
    return readFileSync(file).length > 0;
  } catch {
    return false;
  }
}

/** In a separate process: the package prints to standard output and reads its settings from the environment. */
async function downloadMongod(folder: string, logFile: string): Promise<void> {
  await requireReachable(DOWNLOADS);
  const script = `
    import { MongoBinary } from 'mongodb-memory-server-core';
    await MongoBinary.getPath({ version: process.argv[1], downloadDir: process.argv[2], checkMD5: true });`;
  const args = ['--input-type=module', '-e', script, VERSIONS.mongod, folder];
  const environment = {
    // Without this setting the package does not verify the server's certificate.
    npm_config_strict_ssl: 'true',
    MONGOMS_MAX_RETRIES: '1',
    MONGOMS_RUNTIME_DOWNLOAD: 'true',
  };
  const repository = join(import.meta.dirname, '..', '..');
  await runLogged(process.execPath, args, {
    logFile,
    environment,
    folder: repository,
    timeoutMs: 10 * 60_000,
  });
  const names = await readdir(folder);
  const found = names.find((name) => name.startsWith('mongod') && !name.endsWith('.md5'));
  if (found === undefined) throw new Error('the download held no mongod');
  await rename(join(folder, found), join(folder, 'mongod'));
  await Promise.all(
    names
      .filter((name) => name !== found)
      .map((name) => rm(join(folder, name), { recursive: true })),
  );
}

async function requireRecentMongod(path: string): Promise<void> {
  requireVersion(await readOutput(path, ['--version']), /v(\d+)\.(\d+)/, OLDEST_ON_PATH.mongod);
}
