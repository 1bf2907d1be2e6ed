import { randomBytes } from 'node:crypto';
import {
  formatUsd,
  type Relocation,
  type RelocationRequest,
  type StorageRoutingClient,
} from '../sdk/src/index.ts';
import { createBar, hashStream, require, say } from './demo-output.ts';
import { toCredentials } from './first-account.ts';
import type { Environment } from './parts/part.ts';
import { isSoon } from './system/probes.ts';

/**
 * Seconds instead of hours: an old object waits until every URL that could reach it has ended,
 * those of its upload too. Long enough for the uploads before.
 */
export const SHORT_LIVED_URLS: Environment = {
  UPLOAD_URL_SECONDS: '15',
  DOWNLOAD_URL_SECONDS: '15',
  RELOCATION_DRAIN_SECONDS: '1',
};

const FILES = 12;
const FILE_BYTES = 500_000;
const POLL_MS = 100;
const DRAINED_WITHIN_MS = 120_000;

/** A file of which a reader has the link. */
interface LinkedFile {
  readonly fileId: string;
  readonly sha256: string;
}

/** Moves files to another store, and fetches one by its link before, during and after. */
export async function relocateFiles(
  client: StorageRoutingClient,
  environment: Environment,
): Promise<void> {
  say('\n19. Uploaded files move to another store, and no link breaks');
  const file = await uploadFiles(client);
  const { bucketName } = toCredentials('r2', environment);
  const request = { from: { provider: 'r2', bucketName }, to: 'b2' };
  const maxTotalUsd = await showEstimate(client, request);
  const { provider, downloadUrl } = await fetchByLink(client, file);
  say(`   before    the link leads to ${provider}, SHA-256 ${file.sha256.slice(0, 16)}… equal`);

  const { relocationId } = await client.relocations.start({ ...request, maxTotalUsd });
  const { progress } = await followMove(client, relocationId, file);
  require(progress.filesMoved === FILES, `${progress.filesMoved} files were moved`);
  require((await hashOf(downloadUrl)) === file.sha256, 'the URL from before serves other bytes');
  say('   moved     each file was copied, its bytes proven, then one write gave it its new place');
  say('   draining  the URL from before still works: the old objects stay until no URL to them');
  say('             can be alive, here some seconds, by default two hours');

  await waitUntilDrained(client, relocationId);
  const { provider: after } = await fetchByLink(client, file);
  const { status } = await fetch(downloadUrl);
  require(after === 'b2' && status >= 400, `it is at ${after}, its old URL answers ${status}`);
  say(`   after     the link leads to ${after}, the same bytes; the URL from before has ended`);
}

/** Some files at the store of hot files; the first of them. */
async function uploadFiles(client: StorageRoutingClient): Promise<LinkedFile> {
  const uploaded: LinkedFile[] = [];
  for (let at = 1; at <= FILES; at += 1) {
    const source = randomBytes(FILE_BYTES);
    const fileName = `photo ${at}.jpg`;
    const request = { source, fileName, contentType: 'image/jpeg', priority: 'hot' as const };
    const { fileId } = await client.upload(request);
    uploaded.push({ fileId, sha256: await hashStream([source]) });
  }
  const [first] = uploaded;
  require(first !== undefined, 'nothing was uploaded');
  return first;
}

/** @returns what the files may cost at most */
async function showEstimate(
  { relocations }: StorageRoutingClient,
  request: RelocationRequest,
): Promise<number> {
  const { files, bytes, quote, monthlyBeforeUsd, monthlyAfterUsd } =
    await relocations.estimate(request);
  say(`   estimate  ${files} files, ${bytes.toLocaleString('en')} bytes from r2 to b2:`);
  say(`             ${formatUsd(quote.totalUsd)} USD once; their storage a month`);
  say(
    `             ${formatUsd(monthlyBeforeUsd)} USD now, then ${formatUsd(monthlyAfterUsd)} USD`,
  );
  return quote.totalUsd;
}

/** Fetches the file by its link again and again while it moves. */
async function followMove(
  client: StorageRoutingClient,
  relocationId: string,
  file: LinkedFile,
): Promise<Relocation> {
  const bar = createBar();
  const moved = new AbortController();
  const moving = client.relocations
    .waitFor(relocationId, {
      pollMs: POLL_MS,
      onProgress: ({ status, progress: { filesMoved, filesTotal, percent } }) =>
        bar.show(status, percent, `${filesMoved} of ${filesTotal} files`),
    })
    .finally(() => moved.abort());
  const fetched = new Map<string, number>();
  const fetching = async () => {
    while (!moved.signal.aborted) {
      const { provider } = await fetchByLink(client, file);
      fetched.set(provider, (fetched.get(provider) ?? 0) + 1);
    }
  };
  const [relocation] = await Promise.all([moving, fetching()]);
  bar.end();
  const { status, error } = relocation;
  require(status ===
    'draining', `the relocation is ${status}: ${error?.message ?? 'see failures'}`);
  const counts = [...fetched].map(([provider, count]) => `${count} times from ${provider}`);
  say(`   during    fetched by its link meanwhile, ${counts.join(', ')}: always the same bytes`);
  return relocation;
}

async function waitUntilDrained(
  { relocations }: StorageRoutingClient,
  relocationId: string,
): Promise<void> {
  const isDrained = async () => (await relocations.get(relocationId)).status === 'completed';
  const drained = await isSoon(isDrained, { withinMs: DRAINED_WITHIN_MS, everyMs: POLL_MS });
  require(drained, 'the old objects are not deleted');
  let deleted = 0;
  for await (const line of relocations.report(relocationId))
    if ('fileId' in line && line.sourceDeletedAt !== null) deleted += 1;
  require(deleted === FILES, `${deleted} old objects are deleted`);
  say(`   deleted   ${deleted} old objects at r2, as the report says file by file`);
}

/** Asks the service where the file is, and reads it there. */
async function fetchByLink(client: StorageRoutingClient, { fileId, sha256 }: LinkedFile) {
  const { provider, downloadUrl } = await client.getFile(fileId);
  require(downloadUrl !== null, 'an active file has no download URL');
  require((await hashOf(downloadUrl)) === sha256, 'other bytes came back');
  return { provider, downloadUrl };
}

async function hashOf(url: string): Promise<string> {
  const { ok, status, body } = await fetch(url);
  require(ok, `the store answered ${status}`);
  return await hashStream(body ?? []);
}
