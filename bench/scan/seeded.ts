import type { CloudCustomer } from '../../test/harness/cloud-customer.ts';

/** The listed server runs in this process and takes its processor time only from it. */
export function seed(customer: CloudCustomer, name: string, count: number): string {
  const bucket = customer.bucket(name);
  customer.double.seed({
    bucket,
    generated: [
      {
        count,
        keyPattern: 'year={i/250000:4}/day={i/2500:4}/part-{i:8}.parquet',
        size: [1_000, 300_000, 80_000_000, 900_000_000],
        lastModified: { from: '2023-06-01T00:00:00Z', to: '2026-11-15T00:00:00Z' },
        storageClass: ['STANDARD', 'STANDARD', 'STANDARD_IA', 'GLACIER_IR'],
      },
    ],
  });
  return bucket;
}

/** Seconds that a whole scan takes, from the call until its status is completed. */
export async function timeScan(customer: CloudCustomer, connectionId: string, expected: number) {
  const startedAt = performance.now();
  const { scanId } = await customer.client.scanner.start(connectionId);
  const scan = await customer.client.scanner.waitFor(scanId, { pollMs: 250 });
  const seconds = (performance.now() - startedAt) / 1000;
  if (scan.status !== 'completed' || scan.summary.objects !== expected)
    throw new Error(`the scan is ${scan.status} with ${scan.summary.objects} objects`);
  return { seconds, requests: scan.requests };
}
