import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { randomInt, randomUUID } from 'node:crypto';
import { rolePolicy } from '../../adapters/cloud-account/permissions.ts';
import type { AwsDouble } from '../../dev/aws-double/index.ts';
import { toCredentials } from '../../dev/first-account.ts';
import { isSoon } from '../../dev/system/probes.ts';
import type { Stack } from '../../dev/stack.ts';
import { describedFetch } from '../acceptance/described.ts';
import { internetEgress, requestElsewhere } from './bill-rows.ts';
import { createClient, type ScanResult } from '../../sdk/src/index.ts';

export const REGIONS = ['us-east-1', 'us-west-2', 'eu-central-1'];

type Role = Parameters<AwsDouble['putRole']>[0];

/** A customer with a separate cloud account. */
export type CloudCustomer = Awaited<ReturnType<typeof createCloudCustomer>>;

export type Provider = 'aws' | 'r2' | 'b2';

const POLL_MS = 100;
const MAX_STARTS = 5;
const START_AGAIN_MS = 1_000;

export async function createCloudCustomer(
  stack: Stack,
  baseUrl: string,
  providers: readonly Provider[] = [],
  accountId = `customer-${randomUUID().slice(0, 8)}`,
) {
  assert.ok(stack.identity && stack.cloud);
  const { double } = stack.cloud;
  const token = stack.identity.issueToken({ account: accountId, algorithm: 'ES256' });
  const client = createClient({ baseUrl, dashboardToken: token, fetch: describedFetch });
  for (const provider of providers)
    await client.providers.save(toCredentials(provider, stack.environment));
  /** 12 digits. */
  const awsAccount = String(randomInt(1e11, 1e12 - 1)).padStart(12, '1');
  const roleArn = `arn:aws:iam::${awsAccount}:role/StorageRoutingReadOnly`;
  const externalId = randomUUID();
  /** Changes the role, or brings it back as it was. */
  const putRole = (changes: Partial<Role> = {}) => {
    const trusting = trustPolicy({ 'sts:ExternalId': externalId });
    double.putRole({ roleArn, trustPolicy: trusting, policies: [rolePolicy()], ...changes });
  };
  putRole();
  double.putBill({ accountId: awsAccount, rows: [requestElsewhere(awsAccount)] });
  /** A globally unique bucket name. */
  const bucketName = (name: string) => `${name}-${awsAccount}`;
  const connect = async (regions = REGIONS) =>
    (await client.scanner.connect({ roleArn, externalId, regions })).connectionId;
  /**
   * Starts a scan; its id. Tests keep the machine busy: a start that the service did not answer in time is repeated, as the
   * answer says. It may have been started all the same.
   */
  const start = async (connectionId: string, tries = MAX_STARTS): Promise<string> => {
    try {
      return (await client.scanner.start(connectionId)).scanId;
    } catch (error) {
      const { code } = error as { code?: string };
      const isRepeat = tries < MAX_STARTS;
      if (code === 'scan_already_running' && isRepeat) {
        const [latest] = (await client.scanner.history()).items;
        if (latest?.connectionId === connectionId) return latest.scanId;
      } else if (code !== 'unavailable') throw error;
      if (tries === 1) throw error;
      await delay(START_AGAIN_MS);
      return await start(connectionId, tries - 1);
    }
  };
  /** Waits for the end of a scan. */
  const ended = (scanId: string): Promise<ScanResult> =>
    client.scanner.waitFor(scanId, { pollMs: POLL_MS });
  const identity = { accountId, token, client, double, awsAccount, roleArn, externalId };
  const calls = { bucketName, putRole, connect, ended };
  return {
    ...identity,
    ...calls,
    /** Makes a bucket of this customer. */
    bucket(name: string, region = 'us-east-1') {
      double.putBucket({ name: bucketName(name), region, accountId: awsAccount });
      return bucketName(name);
    },
    /**
     * By the bill of the last month, so much of what buckets of us-east-1 hold is read in 30 days, all of it from the
     * internet. By default so much that any of it would cost less at R2; up to 1.5 times what is stored, at B2.
     */
    readFromInternet: (gb = 1_000) =>
      double.putBill({ accountId: awsAccount, rows: [internetEgress(awsAccount, gb)] }),
    /** Connects, scans, and waits for the end. */
    scan: async () => await ended(await start(await connect())),
  };
}

/** A trust policy for the service's account, with the given condition. */
export function trustPolicy(
  values?: Record<string, string>,
  operator: 'StringEquals' | 'StringLike' = 'StringEquals',
): Role['trustPolicy'] {
  return {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: { AWS: 'arn:aws:iam::999988887777:root' },
        Action: 'sts:AssumeRole',
        ...(values ? { Condition: { [operator]: values } } : {}),
      },
    ],
  };
}

/** Delays every listing, so that a scan can be observed while it runs. */
export function slowDown({ double, awsAccount }: CloudCustomer, latencyMs = 400): void {
  const bucket = `*-${awsAccount}`;
  double.addFault({ effect: 'latency', operation: 'ListObject*', bucket, latencyMs });
}

/** Waits until a scan has sent requests. */
export async function untilRunning({ client }: CloudCustomer, scanId: string): Promise<ScanResult> {
  let seen: ScanResult | undefined;
  const isRunning = async () => {
    seen = await client.scanner.results(scanId);
    return seen.status === 'running' && seen.requests.list > 0;
  };
  assert.ok(await isSoon(isRunning, { withinMs: 60_000, everyMs: 20 }), JSON.stringify(seen));
  assert.ok(seen);
  return seen;
}
