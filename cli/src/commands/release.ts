import { escapeText } from '@storage-routing/client';
import { createReadStream } from 'node:fs';
import type { Release, StorageRoutingClient } from '@storage-routing/client';
import type { Command } from 'commander';
import { checkFree, writeWhole } from '../io/destination.ts';
import { EXIT, type ExitCode } from '../io/failure.ts';
import {
  type Invocation,
  type Perform,
  subcommand,
  usdAmount,
  wholeNumber,
} from '../io/invocation.ts';
import { escapeJson } from '../io/text.ts';
import { migrationText } from '../present/migration.ts';
import { releaseText } from '../present/release.ts';
import { releaseHeader, verifyReleaseFile } from '../io/release-file.ts';
import { follow } from './migration.ts';

interface RoundOptions {
  maxTotalUsd: number;
  removeAtMost?: number;
  wait?: boolean;
}

interface ReleaseOptions {
  wait?: boolean;
  show?: boolean;
  output?: string;
  force?: boolean;
}

interface VerifyOptions {
  root?: string;
  key?: string;
}

/** `srs round <migrationId>`, `srs release <migrationId>` and `srs verify-release <file>` */
export function addRelease(parent: Command, perform: Perform): void {
  subcommand(
    parent,
    'round',
    'copy once more what is new, changed or failed at the source of a migration',
  )
    .argument('<migrationId>')
    .requiredOption(
      '--max-total-usd <usd>',
      'copy nothing if it would cost more',
      usdAmount(1_000_000),
    )
    .option(
      '--remove-at-most <n>',
      'remove at the target what is gone at the source, if no more objects are gone (default: none)',
      wholeNumber(0, 1_000_000_000),
    )
    .option('--wait', 'follow it until it ends; the exit code is the outcome')
    .action(perform(round));
  subcommand(parent, 'release', 'check whether the source of a migration can be given up')
    .argument('<migrationId>')
    .option('--wait', 'until the check has ended; the exit code is the outcome')
    .option('--show', 'the latest check, without a new one')
    .option('-o, --output <path>', 'write the objects of a ready release to a file, as evidence')
    .option('-f, --force', 'replace a file that is there')
    .action(perform(release));
  subcommand(parent, 'verify-release', 'check the file of a release, without the service')
    .argument('<file>')
    .option('--root <hash>', 'the root hash that it must have')
    .option('--key <key>', 'prove that this object is in it')
    .action(perform(verify));
}

async function round(
  call: Invocation,
  id: string,
  { maxTotalUsd, removeAtMost, wait = false }: RoundOptions,
): Promise<ExitCode> {
  const { print, signal } = call;
  const { migrations } = await call.client();
  const asked = removeAtMost === undefined ? { maxTotalUsd } : { maxTotalUsd, removeAtMost };
  const started = await migrations.startRound(id, asked, { signal });
  if (!wait) {
    print.note(`round ${started.round} has begun; to watch it: srs migration watch ${id}`);
    await print.result(started, () => migrationText(started));
    return EXIT.done;
  }
  return await follow(call, id);
}

async function release(
  call: Invocation,
  id: string,
  { wait = false, show = false, output, force = false }: ReleaseOptions,
): Promise<ExitCode> {
  const { print, signal } = call;
  if (output !== undefined) await checkFree(output, force);
  const client = await call.client();
  const { migrations } = client;
  let seen = show
    ? await migrations.release(id, { signal })
    : (await migrations.beginRelease(id, { signal })).release;
  if (wait || output !== undefined)
    seen = await migrations.waitForRelease(id, { signal, onRetry: print.retry });
  if (output !== undefined && seen.status === 'ready')
    await writeWhole(output, force, listLines(client, id, seen, signal));
  await print.result(seen, () => releaseText(id, seen));
  return releaseExitCode(seen);
}

/** A check that still runs is not a failure. */
function releaseExitCode({ status }: Release): ExitCode {
  switch (status) {
    case 'failed':
      return EXIT.failed;
    case 'not_ready':
      return EXIT.partly;
    case 'checking':
    case 'ready':
      return EXIT.done;
  }
}

async function* listLines(
  { migrations }: StorageRoutingClient,
  migrationId: string,
  seen: Release,
  signal: AbortSignal,
): AsyncGenerator<string> {
  yield `${JSON.stringify(releaseHeader(migrationId, seen))}\n`;
  for await (const { key, etag, bytes, sha256 } of migrations.releasedObjects(migrationId, {
    signal,
  }))
    yield `${JSON.stringify({ key, etag, bytes, sha256 })}\n`;
}

async function verify(
  { print }: Invocation,
  file: string,
  { root, key }: VerifyOptions,
): Promise<ExitCode> {
  const verified = await verifyReleaseFile(linesOf(createReadStream(file, 'utf8')), key);
  if ('problem' in verified) {
    await print.result(
      { ok: false, ...verified },
      () => `refused: ${escapeText(verified.problem)}`,
    );
    return EXIT.failed;
  }
  const { header, proof } = verified;
  const isOther = root !== undefined && root !== header.rootHash;
  if (isOther || (key !== undefined && proof === undefined)) {
    const problem = isOther ? `its root hash is ${header.rootHash}` : 'no object has this key';
    await print.result({ ok: false, problem }, () => `refused: ${escapeText(problem)}`);
    return EXIT.failed;
  }
  const document = { ok: true, ...header, ...(proof ? { proof } : {}) };
  await print.result(document, () =>
    [
      escapeText(
        `verified: ${header.objects} objects, ${header.bytes} bytes, root ${header.rootHash}`,
      ),
      ...(proof ? [escapeJson(proof)] : []),
    ].join('\n'),
  );
  return EXIT.done;
}

/** Splits at "\n" alone: readline also splits at other characters, which keys may hold. */
async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let unfinished = '';
  for await (const piece of pieces) {
    const lines = (unfinished + piece).split('\n');
    unfinished = lines.pop() ?? '';
    yield* lines;
  }
  if (unfinished !== '') yield unfinished;
}
