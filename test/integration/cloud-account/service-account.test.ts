import assert from 'node:assert/strict';
import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { createAssumeRole } from '../../../adapters/cloud-account/roles.ts';
import type { AwsDouble } from '../../../dev/aws-double/index.ts';
import { ADMIN, startDouble } from '../../harness/aws-double.ts';
import { withRoleErrors } from '../../../adapters/cloud-account/role-errors.ts';
import {
  createReadServiceAccount,
  type ReadServiceAccount,
} from '../../../adapters/cloud-account/service-account.ts';
import { saying, startHostileServer } from '../owasp/hostile-server.ts';
import { withEnvironment } from '../../harness/environment.ts';

const OPERATION = 'GetCallerIdentity';
/** Longer than a pause of the machine; only a call that hangs waits for its end. */
const TIMEOUT_MS = 3_000;
const REFUSED =
  'AWS does not accept the credentials of the service, or it has none. Its operator has to configure them.';

describe('the AWS account of the service', () => {
  let double: AwsDouble;
  let account: string;
  withEnvironment({
    AWS_ACCESS_KEY_ID: ADMIN.accessKeyId,
    AWS_SECRET_ACCESS_KEY: ADMIN.secretAccessKey,
  });
  before(async () => {
    double = await startDouble();
    account = await reader()();
  });
  beforeEach(() => double.resetCounters());
  afterEach(() => double.clearFaults());
  after(async () => await double.close());

  const reader = (endpoint = double.stsEndpoint): ReadServiceAccount =>
    createReadServiceAccount({ endpoint, region: 'us-east-1', timeoutMs: TIMEOUT_MS });

  const timesAsked = () => double.counts().byOperation[OPERATION] ?? 0;

  async function assertRefused(read: ReadServiceAccount, message: string): Promise<void> {
    await assert.rejects(withRoleErrors(read), { code: 'provider_error', message });
  }

  it('assumes a role for the reads of a scan only, whatever the role allows', async () => {
    const roleArn = `arn:aws:iam::${account}:role/everything`;
    const policy = (Action: string, more: object) => ({
      Version: '2012-10-17' as const,
      Statement: [{ Effect: 'Allow' as const, Action, ...more }],
    });
    double.putRole({
      roleArn,
      trustPolicy: policy('sts:AssumeRole', { Principal: { AWS: '*' } }),
      policies: [policy('s3:*', { Resource: '*' })],
    });
    double.putBucket({ name: 'narrowed', accountId: account });
    double.seed({ bucket: 'narrowed', objects: [{ key: 'secret.txt', text: 'secret' }] });
    const sts = { endpoint: double.stsEndpoint, region: 'us-east-1', timeoutMs: TIMEOUT_MS };
    const { credentials } = await createAssumeRole(sts)({ roleArn });
    const endpoint = double.s3Endpoint;
    const s3 = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
    const { KeyCount } = await s3.send(new ListObjectsV2Command({ Bucket: 'narrowed' }));
    assert.equal(KeyCount, 1);
    const read = s3.send(new GetObjectCommand({ Bucket: 'narrowed', Key: 'secret.txt' }));
    await assert.rejects(read, { name: 'AccessDenied' });
    s3.destroy();
  });

  it('is asked for once, also by calls at the same time', async () => {
    const read = reader();
    double.addFault({ effect: 'latency', service: 'sts', operation: OPERATION, latencyMs: 100 });
    const answers = await Promise.all(Array.from({ length: 10 }, read));
    assert.deepEqual(new Set([...answers, await read()]), new Set([account]));
    assert.match(account, /^\d{12}$/);
    assert.equal(timesAsked(), 1);
    double.addFault({ effect: 'cut', service: 'sts' });
    assert.equal(await read(), account);
  });

  for (const [effect, message] of [
    ['cut', 'AWS S3: it cannot be reached.'],
    ['internal_error', 'AWS S3: it answered with an error.'],
    ['hang', 'AWS S3: it did not answer in time.'],
    ['access_denied', REFUSED],
  ] as const)
    it(`is not known after ${effect}, and is asked for again`, async () => {
      const read = reader();
      double.addFault({ effect, service: 'sts', operation: OPERATION });
      await Promise.all([assertRefused(read, message), assertRefused(read, message)]);
      double.clearFaults();
      assert.equal(await read(), account);
    });

  it('is refused where it is no account of 12 digits', async () => {
    let told = '';
    const xml = () =>
      `<GetCallerIdentityResponse><GetCallerIdentityResult><Account>${told}</Account>` +
      '</GetCallerIdentityResult></GetCallerIdentityResponse>';
    const server = await startHostileServer((...call) => saying(xml(), 'text/xml')(...call));
    const read = reader(server.origin);
    for (told of ['', '12345678901', '1234567890123', 'root', '&lt;b&gt;12345678901&lt;/b&gt;'])
      await assertRefused(read, 'AWS S3: it answered with an error.');
    told = '123456789012';
    assert.equal(await read(), told);
    await server.close();
  });
});
