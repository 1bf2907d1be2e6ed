import assert from 'node:assert/strict';

import {
  GetObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import {
  AssumeRoleCommand,
  GetCallerIdentityCommand,
  type AssumeRoleCommandInput,
} from '@aws-sdk/client-sts';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';

import type { PolicyDocument } from '../../../dev/aws-double/identity/policy.ts';
import type { AwsDouble } from '../../../dev/aws-double/index.ts';
import {
  ADMIN,
  codeOf,
  failsWith,
  s3Client,
  startDouble,
  stsClient,
} from '../../harness/aws-double.ts';

const RoleArn = 'arn:aws:iam::444455556666:role/scan/Scanner';
const SERVICE = {
  accessKeyId: 'AKIASERVICESERVICE01',
  secretAccessKey: 'service-secret',
  accountId: '999900001111',
  userName: 'service',
};
const SERVICE_ARN = 'arn:aws:iam::999900001111:user/service';

function trust(principal: string, condition?: object): PolicyDocument {
  return {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: { AWS: principal },
        Action: 'sts:AssumeRole',
        ...(condition === undefined ? {} : { Condition: condition as never }),
      },
    ],
  };
}

const READ_ALL: PolicyDocument = {
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Action: ['s3:Get*', 's3:List*'], Resource: '*' }],
};

interface SessionKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

describe('STS of the AWS double', () => {
  let double: AwsDouble;

  beforeEach(async () => {
    double = await startDouble();
    double.putUser(SERVICE);
    double.putBucket({ name: 'customer', accountId: '444455556666' });
    double.putBucket({ name: 'customer-2', accountId: '444455556666' });
    double.seed({ bucket: 'customer', objects: [{ key: 'a', text: 'hello' }] });
  });
  afterEach(() => double.close());

  async function assume(
    input: Partial<AssumeRoleCommandInput> = {},
    credentials: { accessKeyId: string; secretAccessKey: string } = SERVICE,
  ): Promise<SessionKeys> {
    const client = stsClient(double, credentials);
    const command = new AssumeRoleCommand({ RoleArn, RoleSessionName: 'scan', ...input });
    const { Credentials } = await client.send(command);
    return {
      accessKeyId: Credentials?.AccessKeyId ?? '',
      secretAccessKey: Credentials?.SecretAccessKey ?? '',
      sessionToken: Credentials?.SessionToken ?? '',
    };
  }
  async function session(input: Partial<AssumeRoleCommandInput> = {}): Promise<S3Client> {
    return s3Client(double, { credentials: await assume(input) });
  }
  function putRole(trustPolicy = trust(SERVICE_ARN), policies = [READ_ALL]): void {
    double.putRole({ roleArn: RoleArn, trustPolicy, policies });
  }
  const denied = failsWith('AccessDenied', 403);

  it('answers the caller identity of users and sessions', async () => {
    const user = await stsClient(double, SERVICE).send(new GetCallerIdentityCommand({}));
    assert.deepEqual([user.Arn, user.Account], [SERVICE_ARN, '999900001111']);
    putRole();
    const inRole = await stsClient(double, await assume()).send(new GetCallerIdentityCommand({}));
    assert.equal(inRole.Arn, 'arn:aws:sts::444455556666:assumed-role/Scanner/scan');
    assert.equal(inRole.Account, '444455556666');
  });

  it('requires the external id of the trust policy', async () => {
    putRole(trust(SERVICE_ARN, { StringEquals: { 'sts:ExternalId': 'secret-1' } }));
    await assume({ ExternalId: 'secret-1' });
    await assert.rejects(assume({ ExternalId: 'secret-2' }), denied);
    await assert.rejects(assume(), denied);
  });

  it('knows StringLike, several values, and Null', async () => {
    putRole(trust(SERVICE_ARN, { StringLike: { 'sts:ExternalId': ['srs-*', 'old-?'] } }));
    await assume({ ExternalId: 'srs-anything' });
    await assume({ ExternalId: 'old-1' });
    await assert.rejects(assume({ ExternalId: 'old-12' }), denied);
    await assert.rejects(assume(), denied);
    putRole(trust(SERVICE_ARN, { Null: { 'sts:ExternalId': 'false' } }));
    await assume({ ExternalId: 'any-one' });
    await assert.rejects(assume(), denied);
  });

  it('gives a Deny in the trust policy precedence', async () => {
    const allow = trust(SERVICE_ARN);
    putRole({
      Statement: [
        ...(allow.Statement as []),
        {
          Effect: 'Deny',
          Principal: '*',
          Action: 'sts:AssumeRole',
          Condition: { Null: { 'sts:ExternalId': 'true' } },
        },
      ],
    });
    await assume({ ExternalId: 'some' });
    await assert.rejects(assume(), denied);
  });

  it('trusts an account by number or root, and no other', async () => {
    for (const principal of ['999900001111', 'arn:aws:iam::999900001111:root']) {
      putRole(trust(principal));
      await assume();
      await assert.rejects(assume({}, ADMIN), denied);
    }
  });

  it("requires the caller's own permission as well", async () => {
    putRole();
    double.putUser({ ...SERVICE, policies: [READ_ALL] });
    await assert.rejects(assume(), denied);
    const Statement = [{ Effect: 'Allow', Action: 'sts:AssumeRole', Resource: RoleArn }] as const;
    double.putUser({ ...SERVICE, policies: [{ Statement }] });
    await assume();
  });

  it('validates its parameters', async () => {
    putRole();
    const invalid = failsWith('ValidationError', 400);
    await assert.rejects(assume({ RoleSessionName: 'with blank' }), invalid);
    await assert.rejects(assume({ ExternalId: 'x' }), invalid);
    await assert.rejects(assume({ DurationSeconds: 899 }), invalid);
    await assert.rejects(assume({ DurationSeconds: 43_201 }), invalid);
    await assert.rejects(assume({ DurationSeconds: 3601 }), invalid);
    await assert.rejects(assume({ RoleArn: 'arn:aws:iam::1:role/short' }), invalid);
    await assert.rejects(
      assume({ Policy: '{"Statement":[{"Effect":"Maybe"}]}' }),
      failsWith('MalformedPolicyDocumentException', 400),
    );
  });

  it("gives a session exactly the role's permissions", async () => {
    putRole();
    const s3 = await session();
    const list = await s3.send(new ListObjectsV2Command({ Bucket: 'customer' }));
    assert.equal(list.KeyCount, 1);
    const { Buckets = [] } = await s3.send(new ListBucketsCommand({}));
    assert.deepEqual(
      Buckets.map(({ Name }) => Name),
      ['customer', 'customer-2'],
    );
    await assert.rejects(
      s3.send(new PutObjectCommand({ Bucket: 'customer', Key: 'b', Body: '' })),
      denied,
    );
  });

  it('narrows a session by its policy, and never widens it', async () => {
    putRole();
    const Policy = JSON.stringify({
      Version: '2012-10-17',
      Statement: [
        { Effect: 'Allow', Action: 's3:ListBucket', Resource: 'arn:aws:s3:::customer' },
        { Effect: 'Allow', Action: 's3:PutObject', Resource: '*' },
      ],
    });
    const s3 = await session({ Policy });
    await s3.send(new ListObjectsV2Command({ Bucket: 'customer' }));
    await assert.rejects(s3.send(new ListObjectsV2Command({ Bucket: 'customer-2' })), denied);
    await assert.rejects(s3.send(new GetObjectCommand({ Bucket: 'customer', Key: 'a' })), denied);
    await assert.rejects(
      s3.send(new PutObjectCommand({ Bucket: 'customer', Key: 'b', Body: '' })),
      denied,
    );
  });

  it('lets an explicit Deny of the role win', async () => {
    const deny: PolicyDocument = {
      Statement: { Effect: 'Deny', Action: 's3:GetObject', Resource: 'arn:aws:s3:::customer/a*' },
    };
    putRole(trust(SERVICE_ARN), [READ_ALL, deny]);
    const s3 = await session();
    await assert.rejects(s3.send(new GetObjectCommand({ Bucket: 'customer', Key: 'a' })), denied);
  });

  it('denies buckets of other accounts even with allowing policies', async () => {
    const admin = s3Client(double);
    await assert.rejects(
      admin.send(new GetObjectCommand({ Bucket: 'customer', Key: 'a' })),
      denied,
    );
    const policy = JSON.stringify({
      Statement: [
        {
          Effect: 'Allow',
          Principal: { AWS: 'arn:aws:iam::111122223333:user/admin' },
          Action: 's3:GetObject',
          Resource: 'arn:aws:s3:::customer/*',
        },
      ],
    });
    double.putBucket({ name: 'customer', settings: { policy } });
    const { Body } = await admin.send(new GetObjectCommand({ Bucket: 'customer', Key: 'a' }));
    assert.equal(await Body?.transformToString(), 'hello');
  });

  it('verifies session tokens', async () => {
    putRole();
    const keys = await assume();
    const list = new ListObjectsV2Command({ Bucket: 'customer' });
    const { sessionToken: _token, ...bare } = keys;
    await assert.rejects(
      s3Client(double, { credentials: bare }).send(list),
      failsWith('InvalidAccessKeyId', 403),
    );
    const forged = { ...keys, sessionToken: `${keys.sessionToken.slice(0, -4)}AAAA` };
    await assert.rejects(
      s3Client(double, { credentials: forged }).send(list),
      failsWith('InvalidToken', 400),
    );
    const misplaced = { ...ADMIN, sessionToken: keys.sessionToken };
    await assert.rejects(
      s3Client(double, { credentials: misplaced }).send(list),
      failsWith('InvalidToken', 400),
    );
  });

  it('expires sessions, also in a presigned URL', async () => {
    let nowMs = Date.now();
    const clocked = await startDouble({ now: () => nowMs });
    try {
      clocked.putUser(SERVICE);
      clocked.putBucket({ name: 'customer', accountId: '444455556666' });
      clocked.putRole({ roleArn: RoleArn, trustPolicy: trust(SERVICE_ARN), policies: [READ_ALL] });
      const { Credentials } = await stsClient(clocked, SERVICE).send(
        new AssumeRoleCommand({ RoleArn, RoleSessionName: 'scan', DurationSeconds: 900 }),
      );
      const credentials = {
        accessKeyId: Credentials?.AccessKeyId ?? '',
        secretAccessKey: Credentials?.SecretAccessKey ?? '',
        sessionToken: Credentials?.SessionToken ?? '',
      };
      const s3 = s3Client(clocked, { credentials });
      const url = await getSignedUrl(s3, new ListObjectsV2Command({ Bucket: 'customer' }), {
        expiresIn: 86_400,
      });
      assert.equal((await fetch(url)).status, 200);
      nowMs += 899_000;
      assert.equal((await fetch(url)).status, 200);
      nowMs += 2000;
      const late = await fetch(url);
      assert.deepEqual([late.status, codeOf(await late.text())], [400, 'ExpiredToken']);
    } finally {
      await clocked.close();
    }
  });

  it('expires and revokes sessions through the control', async () => {
    putRole();
    const list = new ListObjectsV2Command({ Bucket: 'customer' });
    const first = await session();
    await first.send(list);
    assert.equal(double.expireSessions({ roleArn: RoleArn }), 1);
    await assert.rejects(first.send(list), failsWith('ExpiredToken', 400));
    const second = await session();
    assert.equal(double.revokeSessions(), 2);
    await assert.rejects(second.send(list), denied);
    const third = await session();
    double.removeRole(RoleArn);
    await assert.rejects(third.send(list), denied);
  });
});
