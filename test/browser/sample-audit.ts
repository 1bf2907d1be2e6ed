import assert from 'node:assert/strict';
import { CUSTOMER_ACCOUNT, type CloudAccount } from '../../dev/parts/cloud-account.ts';
import { seedSampleAccount } from '../../dev/sample-account.ts';
import type { StorageRoutingClient } from '../../sdk/src/index.ts';

const GIB = 2 ** 30;
const DAY_MS = 86_400_000;

/** Two scans of a sample account, between which one bucket has grown. */
export interface SampleAudit {
  readonly from: string;
  readonly to: string;
}

/** Connects the sample account and scans it twice. */
export async function auditSampleAccount(
  client: StorageRoutingClient,
  { double, roleArn, externalId }: CloudAccount,
): Promise<SampleAudit> {
  const now = new Date();
  seedSampleAccount(double, { accountId: CUSTOMER_ACCOUNT, now, prefix: 'acme-' });
  const regions = ['us-east-1', 'eu-central-1'];
  const { connectionId } = await client.scanner.connect({ roleArn, externalId, regions });
  const scan = async () => {
    const { scanId } = await client.scanner.start(connectionId);
    const { status, error } = await client.scanner.waitFor(scanId, { pollMs: 250 });
    assert.equal(status, 'completed', error?.message);
    return scanId;
  };
  const from = await scan();
  double.seed({
    bucket: 'acme-logs',
    generated: [
      {
        count: 500,
        keyPattern: 'new/part-{i:6}.log.gz',
        size: GIB,
        lastModified: new Date(now.getTime() - 40 * DAY_MS).toISOString(),
      },
    ],
  });
  return { from, to: await scan() };
}
