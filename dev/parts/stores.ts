import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import {
  CLOUD_REGION,
  createAccessKey,
  startCloudAccount,
  type CloudAccount,
} from './cloud-account.ts';
import { takeFreePort } from '../system/ports.ts';
import { findProgram } from '../services/service.ts';
import { storeProcess } from '../services/versitygw.ts';
import { services } from '../services/services.ts';
import {
  givenPart,
  pickGiven,
  processPart,
  requireGiven,
  type Part,
  type PartContext,
} from './part.ts';

const CREDENTIALS = ['ACCESS_KEY_ID', 'SECRET_ACCESS_KEY', 'BUCKET'];
/** The stores that the stack starts. */
export const STACK_STORES = ['aws', 'r2', 'b2'] as const;

export const REGIONS = { r2: 'auto', b2: 'us-west-004' } as const;

/** The stores of `r2` and `b2`: separate S3 servers, each with its own keys and region. */
export async function openStore(context: PartContext, provider: 'r2' | 'b2'): Promise<Part> {
  const { given, processes, resolverContext } = context;
  const name = provider.toUpperCase();
  const endpoint = `PROVIDER_ENDPOINT_${name}`;
  const region = REGIONS[provider];
  if (given[endpoint]) {
    const credentials = CREDENTIALS.map((key) => `STORE_${name}_${key}`);
    const needed = provider === 'r2' ? [...credentials, 'STORE_R2_ACCOUNT_ID'] : credentials;
    const found = requireGiven(given, endpoint, [endpoint, ...needed]);
    return givenPart({
      [`STORE_${name}_REGION`]: given[`STORE_${name}_REGION`] || region,
      ...found,
    });
  }
  const [program, port] = await Promise.all([
    findProgram(services.versitygw, resolverContext),
    takeFreePort(),
  ]);
  const keys = createAccessKey();
  const bucket = `uploads-${provider}`;
  const dataFolder = join(processes.dataFolder, provider);
  const spec = await storeProcess(program, {
    name: provider,
    port,
    region,
    bucket,
    dataFolder,
    ...keys,
  });
  const environment = {
    [endpoint]: `http://127.0.0.1:${port}`,
    ...storeVariables(name, { ...keys, bucket, region }),
    ...(provider === 'r2' && { STORE_R2_ACCOUNT_ID: randomBytes(16).toString('hex') }),
  };
  return processPart(environment, processes.spawn(spec));
}

export interface CloudPart extends Part {
  account: CloudAccount | null;
}

/** The store of `aws` together with the STS, and the identities in it. */
export async function openCloud(context: PartContext): Promise<CloudPart> {
  const { given, processes } = context;
  if (given['PROVIDER_ENDPOINT_AWS']) return { ...givenPart(givenCloud(given)), account: null };
  const bucket = 'uploads-aws';
  const account = await startCloudAccount({
    dataFolder: join(processes.dataFolder, 'aws'),
    bucket,
  });
  const environment = {
    PROVIDER_ENDPOINT_AWS: account.s3Endpoint,
    STS_ENDPOINT: account.stsEndpoint,
    COST_EXPLORER_ENDPOINT: account.costExplorerEndpoint,
    CLOUDWATCH_ENDPOINT: account.cloudWatchEndpoint,
    AWS_ACCESS_KEY_ID: account.service.accessKeyId,
    AWS_SECRET_ACCESS_KEY: account.service.secretAccessKey,
    AWS_REGION: CLOUD_REGION,
    ...storeVariables('AWS', { ...account.store, bucket, region: CLOUD_REGION }),
    CUSTOMER_ROLE_ARN: account.roleArn,
    SMALL_ROLE_ARN: account.smallRoleArn,
    CUSTOMER_EXTERNAL_ID: account.externalId,
    AWS_CONTROL_URL: account.controlUrl,
  };
  return {
    environment,
    up: Promise.resolve(),
    process: null,
    account,
    close: () => account.close(),
  };
}

function givenCloud(given: NodeJS.ProcessEnv): Record<string, string> {
  const needed = ['PROVIDER_ENDPOINT_AWS', ...CREDENTIALS.map((key) => `STORE_AWS_${key}`)];
  const welcome = [
    'STS_ENDPOINT',
    'COST_EXPLORER_ENDPOINT',
    'CLOUDWATCH_ENDPOINT',
    'AWS_CONTROL_URL',
    'CUSTOMER_ROLE_ARN',
    'SMALL_ROLE_ARN',
    'CUSTOMER_EXTERNAL_ID',
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_SESSION_TOKEN',
    'AWS_REGION',
    'AWS_PROFILE',
  ];
  return {
    STORE_AWS_REGION: given['STORE_AWS_REGION'] || CLOUD_REGION,
    ...requireGiven(given, 'PROVIDER_ENDPOINT_AWS', needed),
    ...pickGiven(given, welcome),
  };
}

export interface StoreAccess {
  accessKeyId: string;
  secretAccessKey: string;
  bucket: string;
  region: string;
}

/** `STORE_<NAME>_…`, which `first-account.ts` reads. */
export function storeVariables(name: string, access: StoreAccess): Record<string, string> {
  return {
    [`STORE_${name}_ACCESS_KEY_ID`]: access.accessKeyId,
    [`STORE_${name}_SECRET_ACCESS_KEY`]: access.secretAccessKey,
    [`STORE_${name}_BUCKET`]: access.bucket,
    [`STORE_${name}_REGION`]: access.region,
  };
}
