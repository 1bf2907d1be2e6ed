import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { nativeEntry, type CacheEntry } from '../cache.ts';
import { findOnPath, outputOf, requireOnPath, runLogged } from '../commands.ts';
import { requireReachable } from '../download.ts';
import type { Rung } from '../ladder.ts';
import type { ProcessSpec } from '../processes.ts';
import { isMongoUp } from '../probes.ts';
import { OLDEST_ON_PATH, VERSIONS } from '../versions.ts';
import {
  cachedNative,
  copyInto,
  fetchJavaLibraries,
  filling,
  inCache,
  onPath,
  requireVersion,
} from './rungs.ts';
import type { Program, Service, Workshop } from './service.ts';

const SOURCE = join(import.meta.dirname, '..', 'mongo', 'MongoDouble.java');
const DOWNLOADS = 'https://fastdl.mongodb.org/';
const JAVA_FLAGS = ['-XX:+UseSerialGC', '-Xmx1g', '-Xshare:auto'];

/** MongoDB itself, or a double that speaks its protocol. */
export const mongodb: Service = {
  name: 'mongodb',
  version: VERSIONS.mongod,
  addresses: ['MONGODB_URI'],
  rungs(workshop) {
    const target = {
      ...nativeEntry('mongod', VERSIONS.mongod),
      program: 'mongod',
      proof: ['--version'],
    };
    const [doubleInCache, doubleBuilt] = doubleRungs(workshop);
    return [
      onPath('mongod', requireRecentMongod),
      cachedNative(workshop, target),
      doubleInCache,
      filling(workshop, target, 'official download', downloadMongod),
      doubleBuilt,
    ];
  },
};

/** The double alone: for the tests of what it promises. */
export const mongoDouble: Service = {
  name: 'mongo-double',
  version: VERSIONS.mongoJavaServer,
  addresses: [],
  rungs: doubleRungs,
};

export interface MongoOptions {
  port: number;
  /** A folder of its own. */
  dataFolder: string;
  /** Keep on disk what the double would hold in memory. mongod always keeps it. */
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
    // The double ends when this closes, even where nobody is left to signal it.
    keepsStdin: true,
    isReady: () => isMongoUp('127.0.0.1', options.port),
    readyWithinMs: 60_000,
  };
}

function doubleRungs(workshop: Workshop): [Rung<Program>, Rung<Program>] {
  const sourceHash = createHash('sha256').update(readFileSync(SOURCE)).digest('hex').slice(0, 12);
  const entry: CacheEntry = {
    name: 'mongo-double',
    version: `${VERSIONS.mongoJavaServer}-${sourceHash}`,
  };
  const built: Rung<Program> = {
    name: 'mongo-java-server by mvn',
    async climb() {
      await requireOnPath('java');
      const logFile = await workshop.cache.logFile(entry, 'mvn');
      return doubleIn(
        await workshop.cache.install(entry, (folder) => buildDouble(folder, logFile)),
      );
    },
  };
  const cached = inCache(workshop, entry, doubleIn);
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
  // A runtime without compiler starts the source itself, half a second slower.
  if ((await findOnPath('javac')) === undefined) return;
  const args = ['-cp', join(folder, 'lib', '*'), '-d', classes, SOURCE];
  await runLogged('javac', args, { logFile, timeoutMs: 120_000 });
}

/** `java` prefers what is on the class path, and falls back to the source file beside it. */
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

/** In a process of its own: the package prints to standard output, and reads its settings from the environment. */
async function downloadMongod(folder: string, logFile: string): Promise<void> {
  await requireReachable(DOWNLOADS);
  const script = `
    import { MongoBinary } from 'mongodb-memory-server-core';
    await MongoBinary.getPath({ version: process.argv[1], downloadDir: process.argv[2], checkMD5: true });`;
  const args = ['--input-type=module', '-e', script, VERSIONS.mongod, folder];
  const environment = {
    // Unless this says so, the package does not check the server's certificate.
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
  requireVersion(await outputOf(path, ['--version']), /v(\d+)\.(\d+)/, OLDEST_ON_PATH.mongod);
}
