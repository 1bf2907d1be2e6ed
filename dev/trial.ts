import {
  BucketAlreadyExists,
  BucketAlreadyOwnedByYou,
  CreateBucketCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { formatAddresses } from './addresses.ts';
import { allowPage, configureAccount } from './first-account.ts';
import { openIdentityProvider, type IdentityProvider } from './identity/identity.ts';
import { CLOUD_REGION, startCloudAccount, type CloudAccount } from './parts/cloud-account.ts';
import type { Environment } from './parts/part.ts';
import { STACK_STORES, storeVariables } from './parts/stores.ts';
import { openSampleAccount } from './sample-account.ts';
import { runServers } from './shutdown.ts';
import { isHttpUp, isSoon } from './system/probes.ts';
import { createProgress } from './system/progress.ts';
import { readTrialSettings, type TrialSettings, type TrialStore } from './trial/settings.ts';
import { openTrialState } from './trial/state.ts';

const CLOUD_BUCKET = 'uploads-aws';
const API_WITHIN_MS = 5 * 60_000;

/**
 * The service `trial` of `docker-compose.yml`: an identity provider and an AWS account for a service that
 * runs in other containers, and an account there with three stores. It prints what to do next.
 */
async function runTrial(): Promise<never> {
  const progress = createProgress();
  let close = async () => {};
  return await runServers({
    say: (text) => progress.say(text),
    async start() {
      const settings = readTrialSettings(process.env);
      const dataFolder = await mkdtemp(join(tmpdir(), 'trial-'));
      const kept = await openTrialState(settings.stateFolder);
      const listen = settings.cloud;
      const cloud = await startCloudAccount({ dataFolder, bucket: CLOUD_BUCKET, listen, kept });
      const sample = openSampleAccount(cloud);
      const identity = await openIdentityProvider(settings.identity);
      close = async () => {
        await Promise.all([cloud.close(), identity.close()]);
        await rm(dataFolder, { recursive: true, force: true });
      };
      await identity.ready;
      progress.say('the identity provider and the AWS account answer');
      process.stdout.write(await prepareAccount(settings, { cloud, sample, identity }));
    },
    stop: () => close(),
  });
}

interface TrialServers {
  readonly cloud: CloudAccount;
  /** The variables of the sample account's owner. */
  readonly sample: Environment;
  readonly identity: IdentityProvider;
}

/** Waits for the API, and returns what to print. */
async function prepareAccount(
  settings: TrialSettings,
  { cloud, sample, identity }: TrialServers,
): Promise<string> {
  const { apiUrl, publicUrls, stores } = settings;
  await Promise.all([createBucket(stores.r2), createBucket(stores.b2)]);
  const isReady = () => isHttpUp(`${apiUrl}/ready`);
  if (!(await isSoon(isReady, { withinMs: API_WITHIN_MS, everyMs: 500 })))
    throw new Error(`${apiUrl}/ready did not answer: see the log of the API`);
  const token = identity.issueToken({ account: 'acme' });
  // The provider has new keys after each start, and the API looks for new ones every 30 s.
  const headers = { authorization: `Bearer ${token}` };
  const isKnown = async () => (await fetch(`${apiUrl}/v1/providers`, { headers })).status !== 401;
  if (!(await isSoon(isKnown, { withinMs: API_WITHIN_MS, everyMs: 1_000 })))
    throw new Error(`${apiUrl} does not accept the tokens of the identity provider`);
  const environment: Environment = {
    ...publicUrls,
    ...sample,
    DASHBOARD_TOKEN: token,
    CUSTOMER_ROLE_ARN: cloud.roleArn,
    SMALL_ROLE_ARN: cloud.smallRoleArn,
    CUSTOMER_EXTERNAL_ID: cloud.externalId,
    STORE_R2_ACCOUNT_ID: '0'.repeat(32),
    ...storeVariables('R2', stores.r2),
    ...storeVariables('B2', stores.b2),
    ...storeVariables('AWS', { ...cloud.store, bucket: CLOUD_BUCKET, region: CLOUD_REGION }),
  };
  await allowPage(environment, STACK_STORES, new URL(settings.publicApiUrl).port);
  const { apiKey } = await configureAccount(apiUrl, environment);
  const { users } = identity;
  return formatAddresses({ baseUrl: settings.publicApiUrl, apiKey, environment, users });
}

/** Creates the bucket of a store if it is missing. */
async function createBucket({ endpoint, region, bucket, ...credentials }: TrialStore) {
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  try {
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
  } catch (error) {
    const isThere =
      error instanceof BucketAlreadyOwnedByYou || error instanceof BucketAlreadyExists;
    if (!isThere) throw error;
  } finally {
    client.destroy();
  }
}

await runTrial();
