import process from 'node:process';
import type { S3Client } from '@aws-sdk/client-s3';
import { s3CorsRules } from '../domain/provider/cors.ts';
import type { Provider } from '../sdk/src/index.ts';
import { toCredentials } from './first-account.ts';
import type { Environment } from './parts/part.ts';

/** Of `sdk/examples/page-upload`. */
const EXAMPLE_PORT = '3000';

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
