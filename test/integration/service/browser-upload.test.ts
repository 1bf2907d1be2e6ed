import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  CreateBucketCommand,
  PutBucketCorsCommand,
  S3Client,
  type CORSRule,
} from '@aws-sdk/client-s3';
import { toCredentials } from '../../../dev/first-account.ts';
import { createAccessKey } from '../../../dev/parts/cloud-account.ts';
import type { Service } from '../../../dev/service.ts';
import type { Stack } from '../../../dev/stack.ts';
import { lacking, uploadFrom } from '../../../domain/provider/cors.ts';
import { createClient } from '../../../sdk/src/index.ts';
import { localServers, localService } from '../../servers.ts';

const ORIGIN = 'https://app.example.com';
const FILE = { fileName: 'a.png', contentType: 'image/png', fileSizeBytes: 5 };

type Rules = Record<string, unknown>[];

describe('an upload from a page', () => {
  let stack: Stack;
  let service: Service;
  before(async () => {
    [{ stack }, service] = await Promise.all([localServers(), localService()]);
  });

  /** An empty bucket of a store, and its owner. */
  async function createBucket(provider: 'aws' | 'r2' | 'b2') {
    const place = { ...toCredentials(provider, stack.environment) };
    if (provider === 'aws') {
      Object.assign(place, createAccessKey());
      stack.cloud?.double.putUser(place);
    }
    place.bucketName = `pages-${randomUUID()}`;
    const { accessKeyId, secretAccessKey, region } = place;
    const s3 = new S3Client({
      endpoint: stack.environment[`PROVIDER_ENDPOINT_${provider.toUpperCase()}`] ?? '',
      region,
      credentials: { accessKeyId, secretAccessKey },
      forcePathStyle: true,
    });
    const Bucket = place.bucketName;
    await s3.send(new CreateBucketCommand({ Bucket }));
    const paste = (rules: CORSRule[]) =>
      s3.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules: rules } }));
    return { place, paste, close: () => s3.destroy() };
  }

  /** A client of an account of its own. */
  async function openAccount() {
    const dashboardToken = stack.identity?.issueToken({
      account: `page-${randomUUID()}`,
      algorithm: 'ES256',
    });
    assert.ok(dashboardToken);
    const { baseUrl } = service;
    const { apiKey } = await createClient({ baseUrl, dashboardToken }).apiKey.regenerate();
    return createClient({ baseUrl, dashboardToken, apiKey });
  }

  const asS3 = ({ allowedOrigins, allowedOperations, ...rule }: Rules[number]): CORSRule => ({
    AllowedOrigins: allowedOrigins as string[],
    AllowedMethods: (allowedOperations as string[]).map((name) => name.slice(3).toUpperCase()),
    AllowedHeaders: rule['allowedHeaders'] as string[],
  });

  for (const [provider, toS3] of [
    ['aws', (rules: Rules) => rules as unknown as CORSRule[]],
    ['r2', (rules: Rules) => rules as unknown as CORSRule[]],
    // The local store of b2 takes S3's format only.
    ['b2', (rules: Rules) => rules.map(asS3)],
  ] as const) {
    it(`is allowed once the rule of the failed check is set: ${provider}`, async () => {
      const [bucket, client] = await Promise.all([createBucket(provider), openAccount()]);
      await client.providers.save(bucket.place);

      const before = await client.providers.test(provider, { origin: ORIGIN });
      assert.equal(before.ok, false);
      const refused = before.checks.find(({ ok }) => !ok);
      assert.equal(refused?.name, 'cors');
      assert.equal(refused.error?.code, 'cors_refused');
      await bucket.paste(toS3(refused.corsRule ?? []));
      const after = await client.providers.test(provider, { origin: ORIGIN });
      assert.equal(after.ok, true, JSON.stringify(after));
      const other = await client.providers.test(provider, { origin: 'http://localhost:3000' });
      assert.equal(other.ok, false, 'the rule is of one origin');

      const { fileId, presignedUrl, requiredHeaders } = await client.init(FILE);
      const asked = await fetch(presignedUrl, {
        method: 'OPTIONS',
        headers: {
          origin: ORIGIN,
          'access-control-request-method': 'PUT',
          'access-control-request-headers': 'content-type',
        },
      });
      const header = (name: string) => asked.headers.get(`access-control-${name}`) ?? undefined;
      const answer = {
        status: asked.status,
        allowOrigin: header('allow-origin'),
        allowMethods: header('allow-methods'),
        allowHeaders: header('allow-headers'),
      };
      assert.deepEqual(lacking(uploadFrom(ORIGIN), answer), []);
      const sent = await fetch(presignedUrl, {
        method: 'PUT',
        headers: { ...requiredHeaders, origin: ORIGIN },
        body: 'bytes',
      });
      assert.equal(sent.status, 200);
      assert.equal(sent.headers.get('access-control-allow-origin'), ORIGIN);
      assert.equal((await client.complete(fileId)).status, 'active');
      bucket.close();
    });
  }
});
