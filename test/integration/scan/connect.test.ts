import assert from 'node:assert/strict';
import { rolePolicy } from '../../../adapters/cloud-account/permissions.ts';
import { createAccessKey } from '../../../dev/parts/cloud-account.ts';
import type { StorageRoutingError } from '../../../sdk/src/index.ts';
import { call } from '../../harness/customer.ts';
import { localService } from '../../servers.ts';
import { assertRefusal, cloudCustomerPerTest, newCloudCustomer } from '../customers.ts';
import { REGIONS, trustPolicy, type CloudCustomer } from '../../harness/cloud-customer.ts';

const ROLE = 'arn:aws:iam::111122223333:role';
/** Regions that would lead a request elsewhere. */
const ELSEWHERE = [
  ['evil.example', 'evil.example/', 'a@evil.example', '127.0.0.1', 'localhost', '[::1]', '..'],
  ['a\\b', 'a b', 'us-east-1.evil.example', 'us-east-1/..', 'us-east-1\n', '\u2025'],
].flat();
/** What is no role, or would lead a request elsewhere. */
const REFUSED: Readonly<Record<string, readonly unknown[]>> = {
  roleArn: [
    'arn:aws:iam::1:role/x-y-z-and-more',
    'arn:aws:iam::111122223333:user/alice',
    'arn:aws:sts::111122223333:assumed-role/a/b',
    'arn:evil:iam::111122223333:role/a',
    'http://127.0.0.1/role',
    `${ROLE}/a b`,
    `${ROLE}/a\r\nhost: b`,
  ],
  externalId: ['a b', 'a', 'fifteen-letters', 'x'.repeat(1_225)],
  regions: [
    ...ELSEWHERE.map((region) => [region]),
    [],
    ['us-east-1', 'us-east-1'],
    Array.from({ length: 41 }, (_, index) => `us-east-${index}`),
  ],
};

describe('connecting a cloud account', () => {
  const customer = cloudCustomerPerTest();

  const connect = (
    changes: Partial<{ roleArn: string; externalId: string; regions: string[] }> = {},
    by = customer,
  ) => {
    const { roleArn, externalId } = customer;
    return by.client.scanner.connect({ roleArn, externalId, regions: REGIONS, ...changes });
  };

  // spec: scanner-sequence.connect
  it('assumes the role and returns the number of buckets in its regions', async () => {
    customer.bucket('one');
    customer.bucket('two', 'eu-central-1');
    customer.bucket('elsewhere', 'ap-southeast-1');
    const regions = ['us-east-1', 'eu-central-1'];
    const connection = await connect({ regions });
    assert.equal(connection.bucketCount, 2);
    assert.deepEqual(connection.warnings, []);
    assert.deepEqual(connection.regions, regions);
    // Connected again, it keeps its id and has its new regions.
    const again = await connect({ regions: ['us-west-2'] });
    assert.match(again.warnings.join(), /^No bucket of the account is in us-west-2\.$/);
    const { warnings } = again;
    assert.deepEqual(again, { ...connection, regions: ['us-west-2'], bucketCount: 0, warnings });
    assert.deepEqual((await customer.client.scanner.connections()).items, [again]);
  });

  // spec: scanner-sequence.connect
  it('distinguishes a role that does not trust the service from one with too few permissions; another partition is not assumable', async () => {
    const untrusted = connect({ externalId: 'another-external-id' });
    await assertRefusal(untrusted, 422, 'role_not_assumable', /trust policy/);
    customer.putRole({ policies: [] });
    await assertRefusal(connect(), 422, 'role_not_assumable', /s3:ListAllMyBuckets/);
    assert.deepEqual((await customer.client.scanner.connections()).items, []);
    const roleArn = 'arn:aws-cn:iam::111122223333:role/StorageRoutingReadOnly';
    await assertRefusal(connect({ roleArn }), 422, 'role_not_assumable');
  });

  // spec: connection.fields
  it('refuses a role that opens by another external id, before it lists, with each way and the condition to add', async () => {
    const { externalId } = customer;
    const like = (pattern: string) => trustPolicy({ 'sts:ExternalId': pattern }, 'StringLike');
    for (const [trust, ways] of [
      [
        trustPolicy(),
        ['without an external id', 'with a random one', 'with yours and a character'],
      ],
      [like('*'), ['with a random one', 'with yours and a character more']],
      [like(`${externalId}*`), ['assumed with yours and a character more']],
    ] as const) {
      customer.putRole({ trustPolicy: trust });
      customer.double.resetCounters();
      const said = new RegExp(`${ways.join('.*')}.*"StringEquals": \\{ "sts:ExternalId"`);
      await assertRefusal(connect(), 422, 'role_not_assumable', said);
      const { AssumeRole: assumed, ListBuckets: listed } = customer.double.counts().byOperation;
      assert.deepEqual([assumed, listed], [3, undefined]);
    }
  });

  describe('in the AWS account of the service', () => {
    const service = {
      awsAccount: '999988887777',
      roleArn: 'arn:aws:iam::999988887777:role/Backups',
      policies: [rolePolicy()],
    };
    const connectAt = async (baseUrl: string) => {
      const { token: bearer, externalId } = customer;
      const body = { roleArn: service.roleArn, externalId, regions: REGIONS };
      return await call(baseUrl, 'POST /v1/scanner/connect', { bearer, body });
    };
    const trusting = (trust: ReturnType<typeof trustPolicy>) =>
      customer.double.putRole({ ...service, trustPolicy: trust });

    it('refuses a role before STS is asked for it', async () => {
      trusting(trustPolicy({ 'sts:ExternalId': customer.externalId }));
      customer.double.resetCounters();
      const { status, body } = await connectAt((await localService()).baseUrl);
      assert.deepEqual([status, body['code']], [422, 'role_not_assumable']);
      assert.match(String(body['error']), /own AWS account.*SCANNER_OWN_ACCOUNT=allow/);
      assert.equal(customer.double.counts().byOperation['AssumeRole'] ?? 0, 0);
    });

    it('connects a role where the operator allows it, and enforces its external id all the same', async () => {
      const environment = { SCANNER_OWN_ACCOUNT: 'allow', SCANNER_EXTERNAL_ID: 'warn' };
      const api = await (await localService()).addApi(environment);
      trusting(trustPolicy());
      const open = await connectAt(api.url);
      assert.deepEqual([open.status, open.body['code']], [422, 'role_not_assumable']);
      trusting(trustPolicy({ 'sts:ExternalId': customer.externalId }));
      const { status, body } = await connectAt(api.url);
      assert.equal(status, 201);
      assert.doesNotMatch(String(body['warnings']), /external id/);
      await customer.client.scanner.disconnect(String(body['connectionId']));
      await api.kill();
    });
  });

  it('lets an account try external ids a few times, then ever more rarely, and keeps no other account from its role', async () => {
    const stranger = await newCloudCustomer();
    const { roleArn } = customer;
    const attemptBy = async ({ token: bearer }: CloudCustomer, externalId: string) => {
      const { baseUrl } = await localService();
      const body = { roleArn, externalId, regions: REGIONS };
      return await call(baseUrl, 'POST /v1/scanner/connect', { bearer, body });
    };
    const guess = (attempt: number) => attemptBy(stranger, `guess-of-a-stranger-${attempt}`);
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const { status, body } = await guess(attempt);
      assert.deepEqual([status, body['code']], [422, 'role_not_assumable']);
    }
    customer.double.resetCounters();
    const refused = await guess(10);
    assert.deepEqual([refused.status, refused.body['code']], [429, 'rate_limited']);
    assert.equal(refused.headers.get('retry-after'), '60');
    assert.equal(customer.double.counts().byOperation['AssumeRole'] ?? 0, 0);
    assert.equal((await attemptBy(customer, customer.externalId)).status, 201);
  });

  it('lets only one of six accounts in that connect a role at once; AWS is not asked for a later one', async () => {
    const others = await Promise.all(Array.from({ length: 5 }, () => newCloudCustomer()));
    const outcomes = await Promise.all(
      [customer, ...others].map((by) =>
        connect({}, by).then(
          () => 'in',
          (error: StorageRoutingError) => error.code,
        ),
      ),
    );
    assert.deepEqual(outcomes.sort(), ['in', ...Array(5).fill('role_already_connected')]);
    const later = await newCloudCustomer();
    customer.double.resetCounters();
    await assertRefusal(connect({}, later), 409, 'role_already_connected');
    assert.equal(customer.double.counts().byOperation['AssumeRole'] ?? 0, 0);
  });

  it('frees the role when it is disconnected', async () => {
    const { connectionId } = await connect();
    const other = await newCloudCustomer();
    const disconnect = (by: CloudCustomer) =>
      assertRefusal(by.client.scanner.disconnect(connectionId), 404, 'connection_not_found');
    await disconnect(other);
    await customer.client.scanner.disconnect(connectionId);
    assert.deepEqual((await customer.client.scanner.connections()).items, []);
    await connect({}, other);
    await disconnect(customer);
  });

  it('reports that AWS did not answer', async () => {
    customer.double.addFault({ service: 'sts', operation: 'AssumeRole', effect: 'cut' });
    await assertRefusal(connect(), 502, 'provider_error');
  });

  for (const [field, values] of Object.entries(REFUSED))
    // spec: connection.fields
    it(`refuses each of ${values.length} wrong values of ${field}`, async () => {
      for (const value of values)
        await assertRefusal(connect({ [field]: value }), 400, 'invalid_request');
    });

  describe('to the identity of the service', () => {
    const ROUTE = 'GET /v1/scanner/service-identity';
    const askWith = async (environment: Record<string, string>, ...routes: string[]) => {
      const api = await (await localService()).addApi(environment);
      const { token: bearer, roleArn, externalId } = customer;
      const body = { roleArn, externalId, regions: REGIONS };
      const answers = await Promise.all(
        routes.map((route) =>
          call(api.url, route, { bearer, ...(route.startsWith('POST') && { body }) }),
        ),
      );
      await api.kill();
      return answers;
    };

    it('names the account that AWS says, with the template that the operator has published', async () => {
      const [key, awsAccountId] = [createAccessKey(), '012345678901'];
      customer.double.putUser({ ...key, accountId: awsAccountId, userName: 'another-service' });
      const templateUrl = 'https://templates.s3.eu-central-1.amazonaws.com/role.yaml?versionId=1';
      const environment = {
        AWS_ACCESS_KEY_ID: key.accessKeyId,
        AWS_SECRET_ACCESS_KEY: key.secretAccessKey,
        CONNECT_TEMPLATE_URL: templateUrl,
      };
      const [answer] = await askWith(environment, ROUTE);
      assert.deepEqual([answer?.status, answer?.body], [200, { awsAccountId, templateUrl }]);
    });

    it('is refused without credentials of the service, and a role is not blamed for it', async () => {
      const environment = {
        AWS_ACCESS_KEY_ID: '',
        AWS_SECRET_ACCESS_KEY: '',
        AWS_EC2_METADATA_DISABLED: 'true',
        AWS_CONFIG_FILE: '/dev/null',
        AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
      };
      for (const answer of await askWith(environment, ROUTE, 'POST /v1/scanner/connect')) {
        assert.deepEqual([answer.status, answer.body['code']], [502, 'provider_error']);
        const said = /^AWS does not accept the credentials of the service/;
        assert.match(String(answer.body['error']), said);
      }
    });
  });
});
