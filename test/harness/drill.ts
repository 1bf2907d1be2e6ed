import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  createClient,
  type Drill,
  type DrillCertificate,
  type Drills,
} from '../../sdk/src/index.ts';
import { eventually, type Customer } from './customer.ts';
import type { OwnPlace } from './own-place.ts';

/** The drills of a customer. */
export function drillsOf(customer: Pick<Customer, 'baseUrl' | 'token'>): Drills {
  return createClient({ baseUrl: customer.baseUrl, dashboardToken: customer.token }).drills;
}

/** A drill from a former place of the customer's store `aws` to its current one. */
export function drillFrom(from: Pick<OwnPlace, 'name'>, files = 10) {
  const place = { provider: 'aws', bucketName: from.name } as const;
  return { from: place, to: 'aws', sample: { files }, maxTotalUsd: 1 } as const;
}

/** Waits until the drill has this status; another end fails. */
export async function untilDrill(
  { get }: Drills,
  drillId: string,
  wanted: Drill['status'],
): Promise<Drill> {
  let latest = await get(drillId);
  await eventually(`drill ${drillId} is ${wanted}`, async () => {
    latest = await get(drillId);
    const hasEnded = latest.completedAt !== null && latest.status !== wanted;
    assert.ok(!hasEnded, JSON.stringify(latest));
    return latest.status === wanted;
  });
  return latest;
}

/** The certificate, whose hashes are computed again, apart from the service's own code. */
export async function verifiedCertificate(drills: Drills, drill: Drill): Promise<DrillCertificate> {
  const certificate = await drills.certificate(drill.drillId);
  assert.equal(sha256(JSON.stringify(certificate)), drill.certificateSha256);
  const leaves = certificate.objects.map(({ key, etag, sha256: hash, bytes }) =>
    JSON.stringify([key, etag, hash, bytes]),
  );
  assert.equal(leaves.length === 0 ? null : merkleRoot(leaves), drill.results.rootHash);
  assert.equal(leaves.length, drill.results.equal);
  return certificate;
}

export const sha256 = (data: Buffer | string): string =>
  createHash('sha256').update(data).digest('hex');

/** The root of a Merkle tree as RFC 6962 defines it. */
export function merkleRoot(leaves: readonly string[]): string {
  const tree = (hashes: readonly Buffer[]): Buffer => {
    const [only] = hashes;
    if (only && hashes.length === 1) return only;
    const half = 2 ** Math.ceil(Math.log2(hashes.length) - 1);
    const pair = [tree(hashes.slice(0, half)), tree(hashes.slice(half))];
    return createHash('sha256')
      .update(Buffer.concat([Buffer.from([1]), ...pair]))
      .digest();
  };
  const hashed = leaves.map((leaf) => createHash('sha256').update(`\0${leaf}`).digest());
  return tree(hashed).toString('hex');
}
