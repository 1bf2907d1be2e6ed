import { chmod, copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type { CacheEntry } from '../system/cache.ts';
import { findOnPath, readOutput, requireOnPath, runLogged } from '../system/commands.ts';
import { download, downloadFromArchive } from '../system/download.ts';
import type { Resolver } from '../system/resolvers.ts';
import { native, type Program, type ResolverContext } from './service.ts';

const BUILD_WITHIN_MS = 25 * 60_000;

/** A cache entry and the program's file in it. */
export interface Target extends CacheEntry {
  program: string;
  /** Arguments of a cheap call that verifies that the program runs on this machine. */
  versionArgs: readonly string[];
}

export function fromPath(name: string, check: (path: string) => Promise<void>): Resolver<Program> {
  return {
    name: 'on the PATH',
    quiet: true,
    async resolve() {
      const path = await findOnPath(name);
      if (path === undefined) throw new Error(`no ${name}`);
      await check(path);
      return native(path);
    },
  };
}

export function fromCache(
  resolverContext: ResolverContext,
  entry: CacheEntry,
  toProgram: (folder: string) => Program,
): Resolver<Program> {
  return {
    name: 'in the cache',
    quiet: true,
    async resolve() {
      const folder = await resolverContext.cache.find(entry);
      if (folder === undefined) throw new Error(`not in ${resolverContext.cache.folder}`);
      return toProgram(folder);
    },
  };
}

export function nativeFromCache(
  resolverContext: ResolverContext,
  target: Target,
): Resolver<Program> {
  return fromCache(resolverContext, target, (folder) => native(join(folder, target.program)));
}

export interface OfficialDownload {
  url: string;
  packed: boolean;
}

export function fromDownload(
  resolverContext: ResolverContext,
  target: Target,
  source: OfficialDownload,
): Resolver<Program> {
  return installed(resolverContext, target, 'official download', async (folder, logFile) => {
    const file = join(folder, target.program);
    if (source.packed) await downloadFromArchive(source.url, target.program, folder, logFile);
    else await download(source.url, file);
    await chmod(file, 0o755);
  });
}

/**
 * Builds a Go program. Unlike `go install`, it takes modules with replace directives, which Go ignores in
 * dependencies.
 * @param versioned the program's package with its version
 * @param dependencies versions of dependencies that differ from the program's own
 */
export function fromGo(
  resolverContext: ResolverContext,
  target: Target,
  versioned: string,
  dependencies: readonly string[] = [],
): Resolver<Program> {
  const build = installed(
    resolverContext,
    target,
    `go build ${versioned}`,
    async (folder, logFile) => {
      await requireOnPath('go');
      const [path] = versioned.split('@');
      const module = await mkdtemp(join(tmpdir(), 'go-module-'));
      const go = (...args: string[]) =>
        runLogged('go', args, { logFile, folder: module, timeoutMs: BUILD_WITHIN_MS });
      try {
        await writeFile(join(module, 'go.mod'), 'module local\n');
        await go('get', versioned, ...dependencies);
        await go('build', '-buildvcs=false', '-o', join(folder, target.program), path ?? versioned);
      } finally {
        await rm(module, { recursive: true, force: true });
      }
    },
  );
  return { ...build, takesMinutes: true };
}

/** Fills the cache with `make`, and verifies that the program starts before it becomes visible there. */
export function installed(
  resolverContext: ResolverContext,
  target: Target,
  name: string,
  make: (folder: string, logFile: string) => Promise<void>,
): Resolver<Program> {
  return {
    name,
    async resolve(report) {
      const logFile = await resolverContext.cache.logFile(target, name.split(' ')[0] ?? 'step');
      report('not needed, another process has put it into the cache');
      const folder = await resolverContext.cache.install(target, async (building) => {
        report('done');
        await make(building, logFile);
        await readOutput(join(building, target.program), target.versionArgs);
      });
      return native(join(folder, target.program));
    },
  };
}

/** Fetches Java libraries and their dependencies into `folder/lib`. */
export async function fetchJavaLibraries(
  artifacts: readonly string[],
  folder: string,
  logFile: string,
): Promise<void> {
  await requireOnPath('mvn');
  const dependencies = artifacts.map((artifact) => {
    const [groupId, artifactId, version] = artifact.split(':');
    return `<dependency><groupId>${groupId}</groupId><artifactId>${artifactId}</artifactId><version>${version}</version></dependency>`;
  });
  const project = `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>local</groupId><artifactId>libraries</artifactId><version>1</version><packaging>pom</packaging>
<dependencies>${dependencies.join('')}</dependencies></project>\n`;
  const projectFile = join(folder, 'pom.xml');
  await writeFile(projectFile, project);
  const args = [
    '-B',
    '-f',
    projectFile,
    'dependency:copy-dependencies',
    `-DoutputDirectory=${join(folder, 'lib')}`,
  ];
  await runLogged('mvn', args, { logFile, timeoutMs: 10 * 60_000 });
}

export async function copyInto(folder: string, file: string, name: string): Promise<void> {
  await copyFile(file, join(folder, name));
}

/** This platform in the terms of Go and the release pages. */
export function platformNames(): { os: 'linux' | 'darwin'; cpu: 'amd64' | 'arm64' } {
  if (process.platform !== 'linux' && process.platform !== 'darwin') {
    throw new Error(`the local servers run on Linux and macOS, not on ${process.platform}`);
  }
  if (process.arch !== 'x64' && process.arch !== 'arm64')
    throw new Error(`no servers for ${process.arch}`);
  return { os: process.platform, cpu: process.arch === 'x64' ? 'amd64' : 'arm64' };
}

/** Compares the first match of `marker` in a version text with the minimum. @throws Error if it is older */
export function requireVersion(
  text: string,
  marker: RegExp,
  oldest: readonly [number, number],
): void {
  const found = marker.exec(text);
  const major = Number(found?.[1]);
  const minor = Number(found?.[2]);
  const isNewEnough = major > oldest[0] || (major === oldest[0] && minor >= oldest[1]);
  if (!isNewEnough) {
    throw new Error(`${found?.[0] ?? 'an unknown version'} is older than ${oldest.join('.')}`);
  }
}
