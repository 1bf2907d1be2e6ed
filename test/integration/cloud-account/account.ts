import { AssumeRoleCommand } from '@aws-sdk/client-sts';
import { createAccountReader } from '../../../adapters/cloud-account/account-reader.ts';
import type { RoleSession } from '../../../adapters/cloud-account/roles.ts';
import { createRoleSession } from '../../../adapters/cloud-account/session.ts';
import { createStoreHttp } from '../../../adapters/object-store/http-client.ts';
import { createStoreClocks } from '../../../adapters/object-store/store-clocks.ts';
import type { AwsDouble, AwsDoubleOptions } from '../../../dev/aws-double/index.ts';
import { startDouble, stsClient } from '../../harness/aws-double.ts';
import { endpointsAt } from '../../harness/catalogue.ts';

const ROLE = 'arn:aws:iam::111122223333:role/scan';
const READS = ['s3:Get*', 's3:List*'];

/** Lets the role do these reads and no others. */
export function permit(double: AwsDouble, actions: readonly string[] = READS): void {
  double.putRole({
    roleArn: ROLE,
    trustPolicy: {
      Statement: { Effect: 'Allow', Principal: { AWS: '*' }, Action: 'sts:AssumeRole' },
    },
    policies: [{ Statement: { Effect: 'Allow', Action: actions, Resource: '*' } }],
  });
}

/** A double with a role that may read, and a reader that has assumed it. */
export async function openAccount({
  timeoutMs = 10_000,
  ...options
}: Partial<AwsDoubleOptions> & { readonly timeoutMs?: number } = {}) {
  const double = await startDouble(options);
  permit(double);
  const http = createStoreHttp();
  const requests = { list: 0, other: 0 };
  const now = () => new Date();
  const reader = createAccountReader({
    http,
    findEndpoint: endpointsAt({ aws: double.s3Endpoint }),
    listsByPages: true,
    home: { provider: 'aws', bucketName: '', region: 'us-east-1' },
    credentials: createRoleSession(() => assumeRole(double), { roleArn: ROLE }, now),
    clocks: createStoreClocks(),
    onRequest: (kind) => {
      requests[kind] += 1;
    },
    timeoutMs,
  });
  const given = { double, reader, requests };
  return {
    ...given,
    async close() {
      http.close();
      await double.close();
    },
  };
}

/** A session of the role, opened by the double's STS. */
async function assumeRole(double: AwsDouble): Promise<RoleSession> {
  const sts = stsClient(double);
  const command = new AssumeRoleCommand({ RoleArn: ROLE, RoleSessionName: 'scan' });
  const { Credentials } = await sts.send(command);
  sts.destroy();
  return {
    credentials: {
      accessKeyId: Credentials?.AccessKeyId ?? '',
      secretAccessKey: Credentials?.SecretAccessKey ?? '',
      sessionToken: Credentials?.SessionToken ?? '',
    },
    expiresAt: Credentials?.Expiration ?? new Date(),
  };
}
