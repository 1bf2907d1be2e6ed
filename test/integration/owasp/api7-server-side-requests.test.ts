import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { bucketAddress } from '../../../adapters/object-store/address.ts';
import { createValidate } from '../../../api/http/validation.ts';
import { ProviderRequest } from '../../../api/providers/schemas.ts';
import {
  CATALOGUE,
  PROVIDER_NAMES,
  type StoreLocation,
} from '../../../domain/provider/catalogue.ts';
import { call } from '../../harness/customer.ts';
import { localService } from '../../servers.ts';
import { createAttacker, type Attacker } from './attack.ts';

const STORE = {
  accessKeyId: 'AKIAEXAMPLE',
  secretAccessKey: 'secret',
  bucketName: 'bucket',
};
const VALID = {
  aws: { provider: 'aws', ...STORE, region: 'eu-central-1' },
  r2: { provider: 'r2', ...STORE, region: 'auto', accountId: '0a1b2c' },
  b2: { provider: 'b2', ...STORE, region: 'us-west-004' },
} as const;

/** What changes the host of an address into which it is put. */
const HOSTS = [
  '127.0.0.1',
  'localhost',
  '169.254.169.254',
  '[::1]',
  'evil.example',
  'evil.example/',
  'evil.example#',
  'evil.example?',
  'a@evil.example',
  'a:b@evil.example:80',
  '..',
  '../..',
  'a/../b',
  'a\\b',
  'a%2eb',
  'a b',
  'a\r\nhost: evil.example',
  'a\u0000',
  'us-east-1.evil.example',
  'us-east-1/..',
  '\u2025',
  '\uff0e',
  'eu-central-1\n',
];
const SUFFIX = {
  aws: '.amazonaws.com',
  r2: '.r2.cloudflarestorage.com',
  b2: '.backblazeb2.com',
} as const;

describe('API7: an address that a caller chooses', () => {
  let someone: Attacker;
  let baseUrl: string;
  before(async () => {
    ({ baseUrl } = await localService());
    someone = await createAttacker();
  });
  const manage = (route: string, body: unknown) =>
    call(baseUrl, route, { bearer: someone.token, body });

  for (const [provider, valid] of Object.entries(VALID)) {
    for (const field of ['region', 'accountId', 'jurisdiction', 'bucketName']) {
      it(`is not made by the ${field} of ${provider}`, async () => {
        for (const value of HOSTS) {
          // A name with dots is a valid bucket: it is a part of the path then, never of the host.
          if (field === 'bucketName' && /^[a-z0-9][a-z0-9.-]*[a-z0-9]$/.test(value)) continue;
          // One label below the provider's domain is what an account id becomes.
          if (field === 'accountId' && provider === 'r2' && value === 'localhost') continue;
          const answer = await manage('POST /v1/providers', { ...valid, [field]: value });
          assert.equal(answer.status, 400, `${JSON.stringify(value)}: ${answer.text}`);
        }
      });
    }

    it(`is not given as an endpoint of ${provider}`, async () => {
      for (const field of ['endpoint', 'endpointUrl', 'host', 'forcePathStyle'])
        assert.equal(
          (await manage('POST /v1/providers', { ...valid, [field]: 'http://a' })).status,
          400,
        );
    });
  }

  it('stays below the provider\u2019s domain whatever passes the schema', () => {
    const validate = createValidate();
    const text = fc.string({
      unit: fc.constantFrom(...'a b z 0 1 9 - . _ / @ : # ? % \\ \n \u2025'.split(' '), ' '),
      maxLength: 24,
    });
    const location = fc.record({
      provider: fc.constantFrom(...PROVIDER_NAMES),
      bucketName: fc.oneof(text, fc.constantFrom('a.b.c', '127.0.0.1', 'evil.example')),
      region: fc.oneof(text, fc.constantFrom('auto', 'eu-central-1', 'us-west-004')),
      accountId: fc.oneof(text, fc.constantFrom('0a1b')),
    });
    let passed = 0;
    fc.assert(
      fc.property(location, (given: StoreLocation) => {
        try {
          validate(ProviderRequest, { ...STORE, ...given });
        } catch {
          return;
        }
        const entry = CATALOGUE[given.provider];
        if (!entry.regionPattern.test(given.region)) return;
        passed += 1;
        const { hostname, pathPrefix } = bucketAddress(given, {});
        assert.ok(hostname.endsWith(SUFFIX[given.provider]), hostname);
        assert.match(pathPrefix, /^(?:\/[a-z0-9.-]+)?$/);
      }),
      { numRuns: 5_000 },
    );
    assert.ok(passed > 20, `${passed} locations passed the schema`);
  });

  it('is not made by a role, a region of a scan or the origin of a page', async () => {
    const connect = { externalId: 'external', regions: ['us-east-1'] };
    for (const roleArn of [
      'http://127.0.0.1/role',
      'arn:aws:iam::111122223333:role/a b',
      'arn:aws:iam::111122223333:role/a\r\nhost: b',
      'arn:aws:sts::111122223333:assumed-role/a/b',
      'arn:evil:iam::111122223333:role/a',
      'arn:aws:iam::111122223333:user/a',
    ]) {
      const answer = await manage('POST /v1/scanner/connect', { ...connect, roleArn });
      assert.equal(answer.status, 400, roleArn);
    }
    const roleArn = 'arn:aws:iam::111122223333:role/a';
    for (const region of HOSTS) {
      const body = { ...connect, roleArn, regions: [region] };
      assert.equal((await manage('POST /v1/scanner/connect', body)).status, 400, region);
    }
    for (const origin of [
      'http://127.0.0.1',
      'http://169.254.169.254',
      'file:///etc/passwd',
      'https://a\r\nb',
      'https://a/b',
      'https://u:p@a',
      'null',
      'gopher://a',
    ]) {
      const body = { provider: 'r2', origin };
      assert.equal((await manage('POST /v1/providers/test', body)).status, 400, origin);
    }
  });
});
