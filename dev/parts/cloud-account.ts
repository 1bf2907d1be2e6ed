import { randomBytes, randomUUID } from 'node:crypto';
import { rolePolicy } from '../../adapters/cloud-account/permissions.ts';
import type { AwsDouble } from '../aws-double/index.ts';

export interface CloudAccountOptions {
  dataFolder: string;
  bucket: string;
  /** Where the services listen; free ports of 127.0.0.1 by default. */
  listen?: CloudPorts;
  /** Kept across restarts; new ones by default. */
  kept?: KeptIdentity;
}

export interface CloudPorts {
  readonly host: string;
  readonly s3Port: number;
  readonly stsPort: number;
  readonly costExplorerPort: number;
  readonly cloudWatchPort: number;
}

/** The identities that the service and its stored connections keep. */
export interface KeptIdentity {
  service: AccessKey;
  externalId: string;
}

export interface AccessKey {
  accessKeyId: string;
  secretAccessKey: string;
}

/** A customer's cloud account, and the service's identity that may assume a role in it. */
export interface CloudAccount {
  s3Endpoint: string;
  stsEndpoint: string;
  costExplorerEndpoint: string;
  cloudWatchEndpoint: string;
  controlUrl: string;
  /** The service's own identity: may only assume roles that trust it. */
  service: AccessKey;
  /** The customer's user whose keys the service holds: full access to the upload bucket, read access to the others. */
  store: AccessKey;
  roleArn: string;
  /** Of the second account. */
  smallRoleArn: string;
  /** What both roles demand. */
  externalId: string;
  double: AwsDouble;
  close(): Promise<void>;
}

export const CLOUD_REGION = 'us-east-1';
export const SERVICE_ACCOUNT = '999988887777';
export const CUSTOMER_ACCOUNT = '111122223333';
/** A second account, whose role shows neither the bill nor metrics. */
export const SMALL_ACCOUNT = '222233334444';
const roleIn = (account: string) => `arn:aws:iam::${account}:role/StorageRoutingReadOnly`;

/** The permissions that a migration needs at its source, as in docs/migrations.md. */
const READS_OF_A_MIGRATION = ['s3:ListBucket', 's3:GetObject', 's3:GetBucketOwnershipControls'];

export async function startCloudAccount(options: CloudAccountOptions): Promise<CloudAccount> {
  const { startAwsDouble } = await import('../aws-double/index.ts');
  const double = await startAwsDouble({ dataDirectory: options.dataFolder, ...options.listen });
  const { service, externalId } = options.kept ?? createIdentity();
  const store = createAccessKey();
  double.putUser({
    ...service,
    accountId: SERVICE_ACCOUNT,
    userName: 'storage-routing-service',
    policies: [allow(['sts:AssumeRole'], ['*'])],
  });
  const bucket = `arn:aws:s3:::${options.bucket}`;
  double.putUser({
    ...store,
    accountId: CUSTOMER_ACCOUNT,
    userName: 'uploads',
    policies: [allow(['s3:*'], [bucket, `${bucket}/*`]), allow(READS_OF_A_MIGRATION, ['*'])],
  });
  double.putBucket({ name: options.bucket, region: CLOUD_REGION, accountId: CUSTOMER_ACCOUNT });
  const policy = rolePolicy();
  const withoutUsage = policy.Statement.filter(({ Sid }) => Sid !== 'StorageRoutingScanUsage');
  for (const [account, Statement] of [
    [CUSTOMER_ACCOUNT, policy.Statement],
    [SMALL_ACCOUNT, withoutUsage],
  ] as const)
    double.putRole({
      roleArn: roleIn(account),
      trustPolicy: trustPolicy(externalId),
      policies: [{ ...policy, Statement }],
    });
  return {
    s3Endpoint: double.s3Endpoint,
    stsEndpoint: double.stsEndpoint,
    costExplorerEndpoint: double.costExplorerEndpoint,
    cloudWatchEndpoint: double.cloudWatchEndpoint,
    controlUrl: double.controlEndpoint,
    roleArn: roleIn(CUSTOMER_ACCOUNT),
    smallRoleArn: roleIn(SMALL_ACCOUNT),
    service,
    store,
    externalId,
    double,
    close: () => double.close(),
  };
}

export function createIdentity(): KeptIdentity {
  return { service: createAccessKey(), externalId: randomUUID() };
}

/** The account owner, who may do everything in the account. The service never has these keys. */
export function createOwner(double: AwsDouble): AccessKey {
  const owner = createAccessKey();
  double.putUser({ ...owner, accountId: CUSTOMER_ACCOUNT, userName: 'owner' });
  return owner;
}

export function createAccessKey(): AccessKey {
  return {
    accessKeyId: `AKIA${randomBytes(8).toString('hex').toUpperCase()}`,
    secretAccessKey: randomBytes(30).toString('base64url'),
  };
}

function trustPolicy(externalId: string) {
  return {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow' as const,
        Principal: { AWS: `arn:aws:iam::${SERVICE_ACCOUNT}:root` },
        Action: 'sts:AssumeRole',
        Condition: { StringEquals: { 'sts:ExternalId': externalId } },
      },
    ],
  };
}

function allow(actions: string[], resources: string[]) {
  return {
    Version: '2012-10-17' as const,
    Statement: [{ Effect: 'Allow' as const, Action: actions, Resource: resources }],
  };
}
