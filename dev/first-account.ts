import type { Environment } from './parts/part.ts';

const PROVIDERS = ['aws', 'r2', 'b2'] as const;
const ANSWER_WITHIN_MS = 15_000;

/** Gives the account of the dashboard token an API key and the three stores, through the API as any caller would. */
export async function configureAccount(baseUrl: string, environment: Environment): Promise<string> {
  const token = environment['DASHBOARD_TOKEN'] ?? '';
  const { apiKey } = (await post(baseUrl, '/v1/providers/api-key/regenerate', token)) as {
    apiKey: string;
  };
  await Promise.all(
    PROVIDERS.map(
      async (provider) =>
        await post(baseUrl, '/v1/providers', token, toCredentials(provider, environment)),
    ),
  );
  return apiKey;
}

/** The body that configures one of the stack's stores. */
export function toCredentials(
  provider: (typeof PROVIDERS)[number],
  environment: Environment,
): Record<string, string> {
  const read = (name: string) => environment[`STORE_${provider.toUpperCase()}_${name}`] ?? '';
  return {
    provider,
    accessKeyId: read('ACCESS_KEY_ID'),
    secretAccessKey: read('SECRET_ACCESS_KEY'),
    bucketName: read('BUCKET'),
    region: read('REGION'),
    ...(provider === 'r2' && { accountId: read('ACCOUNT_ID') }),
  };
}

async function post(
  baseUrl: string,
  path: string,
  token: string,
  body: object = {},
): Promise<unknown> {
  const response = await fetch(baseUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  });
  const text = await response.text();
  if (!response.ok)
    throw new Error(`POST ${path} answered ${response.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text) as unknown;
}
