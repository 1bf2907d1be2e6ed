import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { AwsDouble } from '@storage-routing/aws-double';
import { createAccessKey, SERVICE_ACCOUNT } from '../../../dev/parts/cloud-account.ts';
import type { Environment } from '../../../dev/parts/part.ts';
import { call, type Answer } from '../../harness/customer.ts';
import { startIsolatedService, type IsolatedService } from '../../servers.ts';
import { saying, startHostileServer } from '../owasp/hostile-server.ts';

const ROUTE = 'GET /v1/scanner/service-identity';
const OPERATION = 'GetCallerIdentity';
/** What a call may take that asks AWS. */
const IN_TIME_MS = 15_000;
const NO_CREDENTIALS =
  'AWS does not accept the credentials of the service, or it has none. Its operator has to configure them.';

describe('the identity of the service', () => {
  let isolated: IsolatedService;
  let double: AwsDouble;
  let bearer: string;
  before(async () => {
    isolated = await startIsolatedService({ workerCount: 0 });
    const { cloud, identity } = isolated.stack;
    assert.ok(cloud && identity);
    ({ double } = cloud);
    bearer = identity.issueToken({ account: 'identity' });
  });
  afterEach(() => double.clearFaults());
  after(async () => await isolated.service.stop());

  /** A process that has asked AWS nothing. */
  async function startApi(environment: Environment = {}): Promise<() => Promise<Answer>> {
    const { url } = await isolated.service.addApi(environment);
    return () => call(url, ROUTE, { bearer });
  }

  const timesAsked = () => double.counts().byOperation[OPERATION] ?? 0;

  function assertRefused({ status, body }: Answer, error: string): void {
    assert.deepEqual([status, body], [502, { error, code: 'provider_error' }]);
  }

  it('is the account of its own credentials, which AWS is asked for once', async () => {
    const ask = await startApi();
    double.resetCounters();
    double.addFault({ effect: 'latency', service: 'sts', operation: OPERATION, latencyMs: 500 });
    const answers = await Promise.all(Array.from({ length: 10 }, ask));
    for (const { status, body } of [...answers, await ask()])
      assert.deepEqual([status, body], [200, { awsAccountId: SERVICE_ACCOUNT, templateUrl: null }]);
    assert.equal(timesAsked(), 1);
    double.addFault({ effect: 'cut', service: 'sts' });
    assert.equal((await ask()).status, 200);
  });

  it('is the account that AWS says, with the template that the operator has published', async () => {
    const key = createAccessKey();
    const accountId = '012345678901';
    double.putUser({ ...key, accountId, userName: 'another-service' });
    const templateUrl = 'https://templates.s3.eu-central-1.amazonaws.com/role.yaml?versionId=1';
    const ask = await startApi({
      AWS_ACCESS_KEY_ID: key.accessKeyId,
      AWS_SECRET_ACCESS_KEY: key.secretAccessKey,
      CONNECT_TEMPLATE_URL: templateUrl,
    });
    assert.deepEqual((await ask()).body, { awsAccountId: accountId, templateUrl });
  });

  it('is not known while AWS fails in any way, and is known again afterwards', async () => {
    const ask = await startApi();
    for (const [effect, error] of [
      ['cut', 'AWS S3: it cannot be reached.'],
      ['internal_error', 'AWS S3: it answered with an error.'],
      ['hang', 'AWS S3: it did not answer in time.'],
      ['access_denied', NO_CREDENTIALS],
    ] as const) {
      double.addFault({ effect, service: 'sts', operation: OPERATION });
      const [refused, beside] = await Promise.all([ask(), ask()]);
      assertRefused(refused, error);
      assertRefused(beside, error);
      assert.ok(refused.ms < IN_TIME_MS, `${effect} took ${refused.ms} ms`);
      double.clearFaults();
    }
    const answer = await ask();
    assert.equal(answer.body['awsAccountId'], SERVICE_ACCOUNT, answer.text);
  });

  for (const [what, environment] of [
    ['AWS does not know', { AWS_ACCESS_KEY_ID: createAccessKey().accessKeyId }],
    [
      'are missing',
      {
        AWS_ACCESS_KEY_ID: '',
        AWS_SECRET_ACCESS_KEY: '',
        AWS_EC2_METADATA_DISABLED: 'true',
        AWS_CONFIG_FILE: '/dev/null',
        AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
      },
    ],
  ] as const)
    it(`is not known to a service whose credentials ${what}, and a role is not blamed for it`, async () => {
      const { url } = await isolated.service.addApi(environment);
      assertRefused(await call(url, ROUTE, { bearer }), NO_CREDENTIALS);
      const json = {
        roleArn: `arn:aws:iam::111122223333:role/${randomUUID()}`,
        externalId: 'external',
        regions: ['us-east-1'],
      };
      assertRefused(
        await call(url, 'POST /v1/scanner/connect', { bearer, body: json }),
        NO_CREDENTIALS,
      );
    });

  it('is refused where it is no account of 12 digits', async () => {
    let account = '';
    const server = await startHostileServer((request, response) =>
      saying(
        `<GetCallerIdentityResponse><GetCallerIdentityResult><Account>${account}</Account>` +
          '</GetCallerIdentityResult></GetCallerIdentityResponse>',
        'text/xml',
      )(request, response),
    );
    const ask = await startApi({ STS_ENDPOINT: server.origin });
    for (account of ['', '12345678901', '1234567890123', 'root', '&lt;b&gt;12345678901&lt;/b&gt;'])
      assertRefused(await ask(), 'AWS S3: it answered with an error.');
    account = '123456789012';
    assert.equal((await ask()).body['awsAccountId'], account);
    await server.close();
  });
});
