import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { formatAddresses } from './addresses.ts';
import { configureAccount } from './first-account.ts';
import { openIdentityProvider, type IdentityProvider } from './identity/identity.ts';
import { CLOUD_REGION, startCloudAccount, type CloudAccount } from './parts/cloud-account.ts';
import type { Environment } from './parts/part.ts';
import { storeVariables } from './parts/stores.ts';
import { PROVIDER_NAMES } from '../domain/provider/catalogue.ts';
import { allowPage } from './page-origins.ts';
import { openSampleAccount } from './sample-owner.ts';
import { untilAskedToEnd } from './shutdown.ts';
import { isHttpUp, isSoon } from './system/probes.ts';
import { createProgress, type Progress } from './system/progress.ts';
import { createBucket } from './trial/buckets.ts';
import { readTrialSettings, type TrialSettings } from './trial/settings.ts';
import { openTrialState } from './trial/state.ts';

const CLOUD_BUCKET = 'uploads-aws';
const API_WITHIN_MS = 5 * 60_000;

/**
 * The service `trial` of `docker-compose.yml`: an identity provider and an AWS account for a service that
 * runs in other containers, and an account there with three stores. It prints what to do next.
 */
async function runTrial(progress: Progress): Promise<void> {
  const settings = readTrialSettings(process.env);
  const ending = untilAskedToEnd();
  const dataFolder = await mkdtemp(join(tmpdir(), 'trial-'));
  const kept = await openTrialState(settings.stateFolder);
  const cloud = await startCloudAccount({
    dataFolder,
    bucket: CLOUD_BUCKET,
    listen: settings.cloud,
    kept,
  });
  const sample = openSampleAccount(cloud);
  const identity = await openIdentityProvider(settings.identity);
  await identity.ready;
  progress.say('the identity provider and the AWS account answer');
  const next = prepareAccount(settings, { cloud, sample, identity }).then((text) =>
    process.stdout.write(text),
  );
  await Promise.race([next.then(() => ending), ending]);
  progress.say('stopping');
  await Promise.all([cloud.close(), identity.close()]);
  await rm(dataFolder, { recursive: true, force: true });
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
  const environment: Environment = {
    ...publicUrls,
    ...sample,
    DASHBOARD_TOKEN: identity.issueToken({ account: 'acme' }),
    CUSTOMER_ROLE_ARN: cloud.roleArn,
    CUSTOMER_EXTERNAL_ID: cloud.externalId,
    STORE_R2_ACCOUNT_ID: '0'.repeat(32),
    ...storeVariables('R2', stores.r2),
    ...storeVariables('B2', stores.b2),
    ...storeVariables('AWS', { ...cloud.store, bucket: CLOUD_BUCKET, region: CLOUD_REGION }),
  };
  await allowPage(environment, PROVIDER_NAMES, new URL(settings.publicApiUrl).port);
  const { apiKey } = await configureAccount(apiUrl, environment);
  const { users } = identity;
  return formatAddresses({ baseUrl: settings.publicApiUrl, apiKey, environment, users });
}

const progress = createProgress();
try {
  await runTrial(progress);
} catch (error) {
  progress.say(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
process.exit(0);
