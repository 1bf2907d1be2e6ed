import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFile, chmod, cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import type { Processes, ProcessHandle } from '../../dev/system/processes.ts';
import { parseDockerfile } from '../unit/deployment/dockerfile.ts';
import { readText } from '../unit/deployment/compose.ts';

const run = promisify(execFile);
const BUILD_WITHIN_MS = 30 * 60_000;
/** A command line that is killed leaves its container behind. */
const RUN = 'docker rm --force "$0" > /dev/null 2>&1; exec docker run --rm --name "$0" "$@"';
const MOST_OUTPUT_BYTES = 64 * 2 ** 20;
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
const TARGETS = ['api', 'worker', 'trial'] as const;
/** The image that the Dockerfile begins with, by its digest, and by its tag alone. */
const BASE = parseDockerfile(readText('Dockerfile'))[0]?.from ?? '';
const TAG = BASE.replace(/@.*/, '');
export type Target = (typeof TARGETS)[number];

/** A container engine of this machine. */
export interface ImageEngine {
  /** Runs its command line, and returns what it prints. */
  docker(args: readonly string[]): Promise<string>;
  /** The variables that its command line needs. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/**
 * The engine that runs, or else one that is started for this run alone. It has the image that the Dockerfile
 * begins with: pulled, or else made by hand from Debian's packages and Node's binary.
 *
 * @throws Error that says what is missing
 */
export async function openImageEngine(processes: Processes): Promise<ImageEngine> {
  const folder = await mkdtemp(join(tmpdir(), 'images-'));
  let daemon: ProcessHandle | undefined;
  const close = async () => {
    await daemon?.stop();
    // The daemon leaves its network namespace mounted.
    await run('umount', [join(folder, 'exec/netns/default')]).catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    let engine = createEngine({}, close);
    if (!(await succeeds(engine, 'info'))) {
      const socket = `unix://${join(folder, 'docker.sock')}`;
      engine = createEngine({ DOCKER_HOST: socket }, close);
      const isReady = () => succeeds(engine, 'info');
      daemon = processes.spawn(daemonSpec(folder, socket, isReady));
      await daemon.ready;
    }
    await provideBase(engine, folder);
    return engine;
  } catch (error) {
    await close();
    throw error;
  }
}

function createEngine(
  own: Readonly<Record<string, string>>,
  close: () => Promise<void>,
): ImageEngine {
  // The classic builder needs no plug-in of the command line.
  const environment = { ...own, DOCKER_BUILDKIT: '0' };
  const settings = {
    env: { ...process.env, ...environment },
    maxBuffer: MOST_OUTPUT_BYTES,
    timeout: BUILD_WITHIN_MS,
  };
  return {
    environment,
    close,
    docker: async (args) => (await run('docker', [...args], settings)).stdout,
  };
}

/** Whether a command line succeeds. */
const succeeds = ({ docker }: ImageEngine, ...args: readonly string[]): Promise<boolean> =>
  docker(args).then(
    () => true,
    () => false,
  );

function daemonSpec(folder: string, socket: string, isReady: () => Promise<boolean>) {
  const at = (name: string) => join(folder, name);
  return {
    name: 'dockerd',
    command: 'dockerd',
    args: [
      `--data-root=${at('data')}`,
      `--exec-root=${at('exec')}`,
      `--pidfile=${at('pid')}`,
      `--host=${socket}`,
      // Containers use the network of the machine.
      '--iptables=false',
      '--bridge=none',
    ],
    isReady,
    readyWithinMs: 60_000,
    stopWithinMs: 30_000,
  };
}

async function provideBase(engine: ImageEngine, folder: string): Promise<void> {
  if (await succeeds(engine, 'image', 'inspect', BASE)) return;
  if (await succeeds(engine, 'pull', BASE)) return;
  await makeBase(engine, TAG, folder);
}

/** Debian's smallest system with Node and npm, and with the registry that this machine uses. */
async function makeBase({ docker }: ImageEngine, base: string, folder: string): Promise<void> {
  const root = join(folder, 'root');
  const text = async (command: string, ...args: string[]) =>
    (await run(command, args, { timeout: BUILD_WITHIN_MS })).stdout.trim();
  await text('debootstrap', '--variant=minbase', 'bookworm', root, debianMirror());
  const [, major = '24'] = /^node:(\d+)/.exec(base) ?? [];
  const npm = ['exec', '--yes', `--package=node-linux-${process.arch}@${major}`, '--'];
  const node = await text('npm', ...npm, 'node', '-p', 'process.execPath');
  const lib = join(root, 'usr/local/lib/node_modules');
  await mkdir(lib, { recursive: true });
  await cp(node, join(root, 'usr/local/bin/node'));
  await cp(join(await text('npm', 'root', '--global'), 'npm'), join(lib, 'npm'), {
    recursive: true,
  });
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'));
  await appendFile(join(root, 'etc/passwd'), 'node:x:1000:1000::/home/node:/bin/sh\n');
  const certificates = join(root, CERTIFICATES);
  await mkdir(join(root, 'etc/ssl/certs'), { recursive: true });
  await writeFile(certificates, readFileSync(CERTIFICATES));
  await chmod(certificates, 0o644);
  const archive = join(folder, 'root.tar');
  await text('tar', '-C', root, '-cf', archive, '.');
  const registry = await text('npm', 'config', 'get', 'registry');
  const variables = [`npm_config_registry=${registry}`, `NODE_EXTRA_CA_CERTS=${CERTIFICATES}`];
  const changes = variables.flatMap((each) => ['--change', `ENV ${each}`]);
  await docker(['import', ...changes, archive, base]);
}

/** The one that this machine installs from. */
function debianMirror(): string {
  const sources = readFileSync('/etc/apt/sources.list.d/debian.sources', 'utf8');
  const [, mirror] = /^URIs: (\S+)/m.exec(sources) ?? [];
  if (mirror === undefined) throw new Error('the sources of apt name no mirror');
  return mirror;
}

/** Builds all targets of the Dockerfile; where its base was made by hand, which no digest names, by its tag. */
export async function buildImages(engine: ImageEngine, context: string): Promise<void> {
  const { docker } = engine;
  if (!(await succeeds(engine, 'image', 'inspect', BASE)))
    await writeFile(join(context, 'Dockerfile'), readText('Dockerfile').replaceAll(BASE, TAG));
  for (const target of TARGETS) {
    const named = ['--target', target, '--tag', imageOf(target)];
    await docker(['build', '--network=host', ...named, context]);
  }
}

const imageOf = (target: Target): string => `storage-routing-test-${target}`;

/**
 * Starts the service's own processes as containers: as docker-compose.yml does, without rights, on a file system
 * that is read-only. All others start as they are.
 *
 * @param shared a folder that the containers see under the same path
 */
export function inContainers(
  processes: Processes,
  { environment }: ImageEngine,
  shared: string,
): Processes {
  const spawn: Processes['spawn'] = (spec) => {
    const target = TARGETS.find((each) => each === spec.name);
    if (!target) return processes.spawn(spec);
    const variables = Object.entries(spec.environment ?? {})
      .filter(([name]) => name !== 'PATH' && name !== 'HOME')
      .flatMap(([name, value]) => ['--env', `${name}=${value}`]);
    const limits = ['--read-only', '--tmpfs=/tmp', '--cap-drop=ALL'];
    const rights = [...limits, '--security-opt=no-new-privileges'];
    const network = ['--network=host', `--volume=${shared}:${shared}`];
    const name = `${imageOf(target)}-${randomUUID().slice(0, 8)}`;
    return processes.spawn({
      ...spec,
      command: 'sh',
      args: ['-c', RUN, name, ...network, ...rights, ...variables, imageOf(target)],
      environment,
      readyWithinMs: 2 * spec.readyWithinMs,
    });
  };
  return {
    ...processes,
    spawn,
    async start(spec) {
      const handle = spawn(spec);
      await handle.ready;
      return handle;
    },
  };
}
