import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { parse as parseContentDisposition } from 'content-disposition';
import {
  type CompleteResult,
  formatUsd,
  type Priority,
  type StorageRoutingClient,
  StorageRoutingError,
  type UploadProgress,
} from '../sdk/src/index.ts';
import { hashStream, require, say } from './demo-output.ts';

export interface DemoFile {
  readonly name: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  readonly priority: Priority;
  /** Is its upload cut off in the middle, and resumed? */
  readonly isInterrupted?: boolean;
}

const MIB = 1 << 20;

/** What the demo uploads. */
export const FILES: readonly DemoFile[] = [
  {
    name: 'summer 夏の海 🌊.mov',
    contentType: 'video/quicktime',
    sizeBytes: 64 * MIB,
    priority: 'hot',
  },
  {
    name: 'access.log',
    contentType: 'text/plain; charset=utf-8',
    sizeBytes: 0,
    priority: 'archive',
  },
  {
    name: 'Bericht für März.pdf',
    contentType: 'application/pdf',
    sizeBytes: 300_000,
    priority: 'cold',
  },
  {
    name: 'backup.tar',
    contentType: 'application/x-tar',
    sizeBytes: 72 * MIB,
    priority: 'archive',
    isInterrupted: true,
  },
];

/** Init, PUT, complete, GET; verifies that the downloaded bytes equal the uploaded ones. */
export async function sendAndFetch(
  client: StorageRoutingClient,
  folder: string,
  file: DemoFile,
): Promise<string> {
  const path = join(folder, file.name);
  const sha256 = await writeRandomFile(path, file.sizeBytes);
  const { contentType, priority } = file;
  const request = { source: path, contentType, priority };
  const done = await (file.isInterrupted ? sendInTwoRuns(client, request) : client.upload(request));
  const { routing, downloadUrl } = await client.getFile(done.fileId);
  const costs = routing.costs
    .map((cost) => `${cost.provider} ${formatUsd(cost.monthlyCostUsd)}`)
    .join(', ');
  say(`   decided   ${routing.provider}: ${routing.reason}`);
  say(`   per month ${costs} USD`);
  if (done.savedVsAwsFixed) say(`   saved     ${done.savedVsAwsFixed} USD a month against S3`);
  say(`   stored    straight at ${routing.provider}, then verified there: ${done.status}`);

  require(downloadUrl !== null, 'an active file has no download URL');
  const response = await fetch(downloadUrl);
  const { filename } = parseContentDisposition(
    response.headers.get('content-disposition') ?? '',
  ).parameters;
  require(filename === file.name, `it came back under the name ${filename}`);
  require((await hashStream(response.body ?? [])) === sha256, 'other bytes came back');
  say(`   fetched   as "${filename}", SHA-256 ${sha256.slice(0, 16)}… equal`);
  return done.fileId;
}

/** Stops an upload in parts in its middle, and resumes it with what the store does not hold. */
async function sendInTwoRuns(
  client: StorageRoutingClient,
  request: { source: string; contentType: string; priority: Priority },
): Promise<CompleteResult & { savedVsAwsFixed?: string }> {
  const stopped = new AbortController();
  const { signal } = stopped;
  let confirmed = 0;
  const onProgress = ({ confirmedBytes = 0, totalBytes }: UploadProgress): void => {
    confirmed = confirmedBytes;
    if (confirmedBytes > totalBytes / 3) stopped.abort();
  };
  const upload = client.upload({ ...request, signal, onProgress });
  const error: unknown = await upload.catch((reason: unknown) => reason);
  require(error instanceof StorageRoutingError &&
    error.fileId !== undefined, 'the upload was not cut off');
  say(`   cut off   after ${confirmed / MIB} MiB that the store has confirmed: ${error.code}`);
  const completed = await client.resume(error.fileId, request.source);
  say(`   resumed   with the parts that were missing`);
  return completed;
}

/** Deletes a file, and verifies that it is gone. */
export async function deleteAndLook(client: StorageRoutingClient, fileId: string): Promise<void> {
  const { status } = await client.deleteFile(fileId);
  const answer = await client.getFile(fileId).catch((error: unknown) => error);
  const code = answer instanceof Error && 'code' in answer ? answer.code : 'still there';
  require(status === 'deleted' &&
    code === 'file_deleted', `${fileId}: ${status}, then ${String(code)}`);
  say(`   ${fileId}: ${status}, and asked for again: ${code}`);
}

async function writeRandomFile(path: string, sizeBytes: number): Promise<string> {
  const hash = createHash('sha256');
  const file = await open(path, 'w');
  for (let left = sizeBytes; left > 0; left -= MIB) {
    const piece = randomBytes(Math.min(MIB, left));
    hash.update(piece);
    await file.write(piece);
  }
  await file.close();
  require((await hashStream(createReadStream(path))) ===
    hash.copy().digest('hex'), 'the file differs from the bytes written');
  return hash.digest('hex');
}
