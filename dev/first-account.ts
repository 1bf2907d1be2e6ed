import { PROVIDER_NAMES } from '../domain/provider/catalogue.ts';
import {
  createClient,
  type Provider,
  type SaveProviderRequest,
  type StorageRoutingClient,
} from '../sdk/src/index.ts';
import type { Environment } from './parts/part.ts';

/** Creates an API key and saves the three stores for the account of the dashboard token, through the API. */
export async function configureAccount(
  baseUrl: string,
  environment: Environment,
): Promise<{ apiKey: string; client: StorageRoutingClient }> {
  const dashboardToken = environment['DASHBOARD_TOKEN'] ?? '';
  const dashboard = createClient({ baseUrl, dashboardToken });
  const { apiKey } = await dashboard.apiKey.regenerate();
  await Promise.all(
    PROVIDER_NAMES.map((provider) =>
      dashboard.providers.save(toCredentials(provider, environment)),
    ),
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
