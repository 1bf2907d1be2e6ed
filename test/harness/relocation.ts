import assert from 'node:assert/strict';
import {
  createClient,
  type Relocation,
  type RelocationLine,
  type RelocationRequest,
  type Relocations,
} from '../../sdk/src/index.ts';
import { eventually, type Customer } from './customer.ts';
import type { OwnPlace } from './own-place.ts';

export type RelocatedFile = Extract<RelocationLine, { readonly fileId: string }>;

/** The relocations of a customer whose store `aws` has or had these places. */
export function relocationsOf(customer: Customer): Relocations {
  return createClient({ baseUrl: customer.baseUrl, dashboardToken: customer.token }).relocations;
}

/** Starts to move the files of a former place to the current one. */
export async function startRelocation(
  customer: Customer,
  from: Pick<OwnPlace, 'name'>,
  more: Partial<RelocationRequest> = {},
): Promise<string> {
  const place = { provider: 'aws', bucketName: from.name };
  const request = { from: place, to: 'aws', maxTotalUsd: 1, ...more };
  return (await relocationsOf(customer).start(request)).relocationId;
}

/** Waits until the relocation has this status; another end fails. */
export async function untilRelocation(
  customer: Customer,
  relocationId: string,
  wanted: Relocation['status'],
): Promise<Relocation> {
  const { get } = relocationsOf(customer);
  let latest = await get(relocationId);
  await eventually(`relocation ${relocationId} is ${wanted}`, async () => {
    latest = await get(relocationId);
    const hasEnded = latest.completedAt !== null && latest.status !== wanted;
    assert.ok(!hasEnded, JSON.stringify(latest));
    return latest.status === wanted;
  });
  return latest;
}

/** The lines of the report, without its sum. */
export async function relocatedFiles(
  customer: Customer,
  relocationId: string,
): Promise<RelocatedFile[]> {
  const files: RelocatedFile[] = [];
  for await (const line of relocationsOf(customer).report(relocationId))
    if ('fileId' in line) files.push(line);
  return files;
}

/** Asserts that the link of a file gives these bytes. */
export async function assertReadable(
  customer: Customer,
  fileId: string,
  bytes: Buffer,
): Promise<void> {
  const { status, body, text } = await customer.get(fileId);
  assert.equal(status, 200, text);
  const response = await fetch(String(body['downloadUrl']));
  assert.equal(response.status, 200);
  assert.ok(Buffer.from(await response.arrayBuffer()).equals(bytes));
}
