import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { UPLOADS_PREFIX } from '../domain/common/file-keys.ts';
import type { FileRecord } from '../domain/uploads/file.ts';
import type { Relocation, StorageRoutingClient } from '../sdk/src/index.ts';
import { describeFile } from '../test/harness/described-file.ts';
import { openBench, withService, type Bench } from './migration/servers.ts';
import { rclone, remote, requireRclone } from './rclone.ts';
import { listServers } from './uploads/targets.ts';
import {
  metered,
  readEndedChildrenMs,
  readPeakMib,
  secondsOf,
  type Metered,
} from './uploads/processor-time.ts';

/**
 * `npm run bench:relocation`: the files of an account move from one store to the other, next to
 * `rclone copy` of the same objects between the same stores in the same run. `RCLONE` names its
 * program, `FILES` is the number of files.
 */
const FILES = Number(process.env['FILES'] || 100_000);
const SIZE_BYTES = 4_096;
const INSERTED_AT_ONCE = 16;
const POLL_MS = 300;
const run = promisify(execFile);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Runs rclone with the remotes `src:` and `dst:`. */
const copyBy = ({ source, target }: Bench, args: readonly string[]): Promise<void> =>
  rclone([...args, '--transfers', '16'], {
    ...remote('SRC', source, source.endpoint),
    ...remote('DST', target, target.endpoint),
  });

/** Active files of the account, and their objects at the source. */
async function seed(bench: Bench, accountId: string): Promise<void> {
  const { records, source, stack } = bench;
  const folder = join(stack.processes.dataFolder, 'seed');
  const ids = Array.from({ length: FILES }, () => randomUUID());
  const { nextAttemptAt: _, ...described } = describeFile(new Date());
  const completedAt = new Date();
  const insert = async (fileId: string) => {
    const key = `${UPLOADS_PREFIX}${fileId}/file.bin`;
    const file: FileRecord = {
      ...described,
      fileId,
      accountId,
      status: 'active',
      sizeBytes: SIZE_BYTES,
      objectKey: key,
      location: { provider: 'aws', bucketName: 'source-bucket', region: source.region },
      createdAt: completedAt,
      urlExpiresAt: completedAt,
      completedAt,
    };
    await records.files.insertFile(file);
    await mkdir(join(folder, UPLOADS_PREFIX, fileId), { recursive: true });
    await writeFile(join(folder, key), randomBytes(SIZE_BYTES));
  };
  for (let at = 0; at < FILES; at += INSERTED_AT_ONCE)
    await Promise.all(ids.slice(at, at + INSERTED_AT_ONCE).map(insert));
  await copyBy(bench, ['copy', folder, 'src:source-bucket']);
  await rm(folder, { recursive: true });
}

async function until(
  { relocations }: StorageRoutingClient,
  relocationId: string,
  isSo: (relocation: Relocation) => boolean,
): Promise<void> {
  for (;;) {
    const relocation = await relocations.get(relocationId);
    if (isSo(relocation)) return;
    await wait(POLL_MS);
  }
}

function report(what: string, { seconds, cpuMs }: Metered): void {
  const figures = Object.entries(cpuMs).map(([name, ms]) => `${name} ${(ms / FILES).toFixed(2)}`);
  say(
    `${what}: ${seconds.toFixed(1)} s, ${Math.round(FILES / seconds)} files/s; ` +
      `processor time per file in ms: ${figures.join(', ')}`,
  );
}

requireRclone();
await run('npm', ['run', 'build']);
const bench = await openBench(0);
// URLs end before the last file is moved: the deletes follow the copies at once.
const environment = { DOWNLOAD_URL_SECONDS: '1', RELOCATION_DRAIN_SECONDS: '1' };
await withService(bench, { isSlow: false, environment }, async (client, accountId, service) => {
  const [worker] = service.workers;
  const processes = [
    ...service.apis.map(({ pid }) => ({ name: 'API', pid })),
    ...service.workers.map(({ pid }) => ({ name: 'worker', pid })),
    ...bench.stores.filter(({ name }) => name !== 'proxy'),
    ...listServers(bench.stack).filter(({ name }) => name !== 'store'),
  ];
  await seed(bench, accountId);
  const request = { from: { provider: 'aws', bucketName: 'source-bucket' }, to: 'b2' };
  report(
    'the estimate',
    await metered(processes, () => secondsOf(() => client.relocations.estimate(request))),
  );
  const beforeMs = readEndedChildrenMs();
  const copied = await metered(bench.stores, () =>
    secondsOf(() => copyBy(bench, ['copy', 'src:source-bucket', 'dst:target-bucket/copied'])),
  );
  const theirs = {
    ...copied,
    cpuMs: { rclone: readEndedChildrenMs() - beforeMs, ...copied.cpuMs },
  };
  let relocationId = '';
  const move = async () => {
    ({ relocationId } = await client.relocations.start({ ...request, maxTotalUsd: 100 }));
    await until(
      client,
      relocationId,
      ({ status }) => status !== 'planning' && status !== 'copying',
    );
  };
  const ours = await metered(processes, () => secondsOf(move));
  report('rclone copy', theirs);
  report('moves', ours);
  say(`ratio ${(theirs.seconds / ours.seconds).toFixed(2)} of rclone's rate`);
  const isOver = ({ completedAt }: Relocation) => completedAt !== null;
  report(
    'the deletes of the old objects',
    await metered([], () => secondsOf(() => until(client, relocationId, isOver))),
  );
  const { status, progress } = await client.relocations.get(relocationId);
  say(`${status}: ${JSON.stringify(progress)}`);
  if (worker) say(`the worker's memory at its highest: ${Math.round(readPeakMib(worker.pid))} MiB`);
});
await bench.close();
process.exit(0);
