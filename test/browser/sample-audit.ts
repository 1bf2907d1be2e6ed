import assert from 'node:assert/strict';
import type { CloudAccount } from '../../dev/parts/cloud-account.ts';
import { SAMPLE_REGIONS, seedCustomerAccount } from '../../dev/sample-account.ts';
import type { StorageRoutingClient } from '../../sdk/src/index.ts';

const GIB = 2 ** 30;
const DAY_MS = 86_400_000;

/** Two scans of a sample account, between which one bucket has grown, and one that was moved. */
export interface SampleAudit {
  readonly from: string;
  readonly to: string;
  readonly migrationId: string;
  /** A move that nobody has approved yet. */
  readonly open: string;
}

/** Connects the sample account, scans it twice, and moves its smallest bucket. */
export async function auditSampleAccount(
  client: StorageRoutingClient,
  { double, roleArn, externalId }: CloudAccount,
): Promise<SampleAudit> {
  const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
  const { movable } = seedCustomerAccount(double);
  const { connectionId } = await client.scanner.connect({
    roleArn,
    externalId,
    regions: SAMPLE_REGIONS,
  });
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
        lastModified: { from: daysAgo(200), to: daysAgo(40) },
      },
    ],
  });
  const to = await scan();
  const moves = (await client.scanner.recommendations({ status: 'open', limit: 50 })).items.filter(
    ({ kind }) => kind === 'move',
  );
  const move = moves.find(({ bucket }) => bucket === movable);
  const open = moves.find((each) => each !== move);
  assert.ok(move?.recommendedProvider && open);
  const { migrationId } = await client.migrations.approve(move.recommendationId, {
    targetProvider: move.recommendedProvider,
  });
  assert.equal((await client.migrations.waitFor(migrationId)).status, 'completed');
  return { from, to, migrationId, open: open.recommendationId };
}
