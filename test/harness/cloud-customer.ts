import assert from 'node:assert/strict';
import { randomInt, randomUUID } from 'node:crypto';
import { rolePolicy } from '../../adapters/cloud-account/permissions.ts';
import type { BillRowSpec } from '../../dev/aws-double/store/usage.ts';
import type { AwsDouble } from '../../dev/aws-double/index.ts';
import { toCredentials } from '../../dev/first-account.ts';
import { isSoon } from '../../dev/system/probes.ts';
import type { Stack } from '../../dev/stack.ts';
import { describedFetch } from '../acceptance/described.ts';
import {
  createClient,
  type ScanResult,
  type StorageRoutingClient,
  StorageRoutingError,
} from '../../sdk/src/index.ts';

export const REGIONS = ['us-east-1', 'us-west-2', 'eu-central-1'];

type Role = Parameters<AwsDouble['putRole']>[0];

/** A customer with a separate cloud account. */
export interface CloudCustomer {
  readonly accountId: string;
  readonly token: string;
  readonly client: StorageRoutingClient;
  readonly double: AwsDouble;
  /** 12 digits. */
  readonly awsAccount: string;
  readonly roleArn: string;
  readonly externalId: string;
  /** A globally unique bucket name. */
  bucketName(name: string): string;
  /** Makes a bucket of this customer. */
  bucket(name: string, region?: string): string;
  /** Changes the role, or brings it back as it was. */
  putRole(changes?: Partial<Role>): void;
  connect(regions?: string[]): Promise<string>;
  /** Connects, scans, and waits for the end. */
  scan(): Promise<ScanResult>;
  /** Waits for the end of a scan. */
  ended(scanId: string): Promise<ScanResult>;
}

export type Provider = 'aws' | 'r2' | 'b2';

const POLL_MS = 100;

export async function createCloudCustomer(
  stack: Stack,
  baseUrl: string,
  providers: readonly Provider[] = [],
  accountId = `customer-${randomUUID().slice(0, 8)}`,
): Promise<CloudCustomer> {
  assert.ok(stack.identity && stack.cloud);
  const { double } = stack.cloud;
  const token = stack.identity.issueToken({ account: accountId, algorithm: 'ES256' });
  const client = createClient({ baseUrl, dashboardToken: token, fetch: describedFetch });
  for (const provider of providers) {
    await client.providers.save(toCredentials(provider, stack.environment));
  }
  const awsAccount = String(randomInt(1e11, 1e12 - 1)).padStart(12, '1');
  const roleArn = `arn:aws:iam::${awsAccount}:role/StorageRoutingReadOnly`;
  const externalId = randomUUID();
  const putRole = (changes: Partial<Role> = {}) =>
    double.putRole({
      roleArn,
      trustPolicy: trustPolicy({ 'sts:ExternalId': externalId }),
      policies: [rolePolicy()],
      ...changes,
    });
  putRole();
  double.putBill({ accountId: awsAccount, rows: [requestElsewhere(awsAccount)] });
  const bucketName = (name: string) => `${name}-${awsAccount}`;

  const customer: CloudCustomer = {
    accountId,
    token,
    client,
    double,
    awsAccount,
    roleArn,
    externalId,
    bucketName,
    bucket(name, region = 'us-east-1') {
      double.putBucket({ name: bucketName(name), region, accountId: awsAccount });
      return bucketName(name);
    },
    putRole,
    async connect(regions = REGIONS) {
      const { connectionId } = await client.scanner.connect({ roleArn, externalId, regions });
      return connectionId;
    },
    async scan() {
      const { scanId } = await client.scanner.start(await customer.connect());
      return await customer.ended(scanId);
    },
    ended: async (scanId) => await client.scanner.waitFor(scanId, { pollMs: POLL_MS }),
  };
  return customer;
}

/** The least bill: it has nothing to say of the regions that tests use. */
function requestElsewhere(linkedAccount: string): BillRowSpec {
  const { month } = lastMonth();
  const costs = { unblendedUsd: 0.000005, netUnblendedUsd: 0.000005 };
  return { month, linkedAccount, usageType: 'EUS2-Requests-Tier1', quantity: 1, ...costs };
}

/** The month that an audit of today asks about, and its days. */
export function lastMonth(): { readonly month: string; readonly days: number } {
  const now = new Date();
  const last = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 0));
  return { month: last.toISOString().slice(0, 7), days: last.getUTCDate() };
}

/** A trust policy for the service's account, with the given condition. */
export function trustPolicy(equals?: Record<string, string>): Role['trustPolicy'] {
  return {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: { AWS: 'arn:aws:iam::999988887777:root' },
        Action: 'sts:AssumeRole',
        ...(equals ? { Condition: { StringEquals: equals } } : {}),
      },
    ],
  };
}

/** The error that a call was refused with. */
export async function refusal(call: Promise<unknown>): Promise<StorageRoutingError> {
  const error = await call.then(
    () => assert.fail('it was allowed'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof StorageRoutingError, String(error));
  return error;
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
