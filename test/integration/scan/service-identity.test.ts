import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createAccessKey } from '../../../dev/parts/cloud-account.ts';
import { call } from '../../harness/customer.ts';
import { localServers, localService } from '../../servers.ts';

const ROUTE = 'GET /v1/scanner/service-identity';

const NO_CREDENTIALS = {
  AWS_ACCESS_KEY_ID: '',
  AWS_SECRET_ACCESS_KEY: '',
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_CONFIG_FILE: '/dev/null',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
};

describe('the identity of the service', () => {
  let bearer: string;
  before(async () => {
    const { identity } = (await localServers()).stack;
    bearer = identity?.issueToken({ account: 'identity' }) ?? assert.fail();
  });

  it('is the account that AWS says, with the template that the operator has published', async () => {
    const key = createAccessKey();
    const accountId = '012345678901';
    const { cloud } = (await localServers()).stack;
    cloud?.double.putUser({ ...key, accountId, userName: 'another-service' });
    const templateUrl = 'https://templates.s3.eu-central-1.amazonaws.com/role.yaml?versionId=1';
    const api = await (
      await localService()
    ).addApi({
      AWS_ACCESS_KEY_ID: key.accessKeyId,
      AWS_SECRET_ACCESS_KEY: key.secretAccessKey,
      CONNECT_TEMPLATE_URL: templateUrl,
    });
    const { status, body } = await call(api.url, ROUTE, { bearer });
    assert.deepEqual([status, body], [200, { awsAccountId: accountId, templateUrl }]);
    await api.stop();
  });

  it('is not known without credentials, and a role is not blamed for it', async () => {
    const api = await (await localService()).addApi(NO_CREDENTIALS);
    const role = {
      roleArn: `arn:aws:iam::111122223333:role/${randomUUID()}`,
      externalId: 'external',
      regions: ['us-east-1'],
    };
    for (const { status, body } of [
      await call(api.url, ROUTE, { bearer }),
      await call(api.url, 'POST /v1/scanner/connect', { bearer, body: role }),
    ]) {
      assert.deepEqual([status, body['code']], [502, 'provider_error']);
      assert.match(String(body['error']), /^AWS does not accept the credentials of the service/);
    }
    await api.stop();
  });
});
