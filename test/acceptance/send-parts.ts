import assert from 'node:assert/strict';
import { putTo, type StartedParts } from './store.ts';
import type { Tenant } from './tenant.ts';
import { bodyOf } from './wire.ts';

export interface PartUrl {
  readonly partNumber: number;
  readonly sizeBytes: number;
  readonly presignedUrl: string;
}

export async function sendParts(
  tenant: Tenant,
  { fileId, multipart }: StartedParts,
  bytes: Buffer,
  partNumbers: readonly number[],
): Promise<void> {
  const answer = bodyOf(await tenant.parts(fileId, partNumbers), 200);
  for (const { partNumber, presignedUrl } of (answer as { parts: PartUrl[] }).parts) {
    const from = (partNumber - 1) * multipart.partSizeBytes;
    const body = bytes.subarray(from, from + multipart.partSizeBytes);
    const sent = await putTo(presignedUrl, { body });
    assert.equal(sent.status, 200, sent.text);
  }
}
