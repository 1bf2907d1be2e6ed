import process from 'node:process';
import type { S3Client } from '@aws-sdk/client-s3';
import { STACK_STORES } from './parts/stores.ts';
import { s3CorsRules } from '../domain/providers/cors.ts';
import {
  createClient,
  type Provider,
  type SaveProviderRequest,
  type StorageRoutingClient,
} from '../sdk/src/index.ts';
import type { Environment } from './parts/part.ts';

/** Of `sdk/examples/page-upload`. */
const EXAMPLE_PORT = '3000';

/** Creates an API key and saves the three stores for the account of the dashboard token, through the API. */
export async function configureAccount(
  baseUrl: string,
  environment: Environment,
): Promise<{ apiKey: string; client: StorageRoutingClient }> {
  const dashboardToken = environment['DASHBOARD_TOKEN'] ?? '';
  const dashboard = createClient({ baseUrl, dashboardToken });
  const { apiKey } = await dashboard.apiKey.regenerate();
  await Promise.all(
    STACK_STORES.map((provider) => dashboard.providers.save(toCredentials(provider, environment))),
  );
  return { apiKey, client: createClient({ baseUrl, apiKey, dashboardToken }) };
}

/** The credentials of one of the stack's stores. */
export function toCredentials(provider: Provider, environment: Environment): SaveProviderRequest {
  const read = (name: string) => environment[`STORE_${provider.toUpperCase()}_${name}`] ?? '';
  const accountId = read('ACCOUNT_ID');
  // The stack sets ACCOUNT_ID only for providers that take it.
  return {
    provider,
    accessKeyId: read('ACCESS_KEY_ID'),
    secretAccessKey: read('SECRET_ACCESS_KEY'),
    bucketName: read('BUCKET'),
    region: read('REGION'),
    ...(accountId === '' ? {} : { accountId }),
  };
}

/**
 * Lets the dashboard at a port of this machine, and the example of a page that uploads, upload to the buckets of
 * local stores. It replaces their CORS rules, so it is not for a store that was given.
 */
export async function allowPage(
  environment: Environment,
  providers: readonly Provider[],
  port: string,
): Promise<void> {
  const rules = ['127.0.0.1', 'localhost'].flatMap((host) =>
    [port, EXAMPLE_PORT].flatMap((each) => s3CorsRules(`http://${host}:${each}`)),
  );
  // The SDK's warning about the Node version would clutter the output.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const sdk = await import('@aws-sdk/client-s3');
  for (const provider of providers) {
    const store = toCredentials(provider, environment);
    const client: S3Client = new sdk.S3Client({
      endpoint: environment[`PROVIDER_ENDPOINT_${provider.toUpperCase()}`] ?? '',
      region: store.region,
      credentials: { accessKeyId: store.accessKeyId, secretAccessKey: store.secretAccessKey },
      forcePathStyle: true,
    });
    const CORSConfiguration = {
      CORSRules: rules as { AllowedOrigins: string[]; AllowedMethods: string[] }[],
    };
    await client.send(
      new sdk.PutBucketCorsCommand({ Bucket: store.bucketName, CORSConfiguration }),
    );
    client.destroy();
  }
}
