/** The deployment under test, read from the environment on first use. */

export const PROVIDERS = ['aws', 'r2', 'b2'] as const;
export type Provider = (typeof PROVIDERS)[number];

export interface StoreAccess {
  readonly provider: Provider;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly bucketName: string;
  readonly region: string;
  readonly accountId?: string;
}

export function baseUrl(): URL {
  return new URL(required('ACCEPTANCE_BASE_URL'));
}

export function dashboardToken(which: 'one' | 'other'): string {
  return required(which === 'one' ? 'DASHBOARD_TOKEN' : 'DASHBOARD_TOKEN_OTHER');
}

export function storeAccess(provider: Provider): StoreAccess {
  const variable = (name: string) => required(`STORE_${provider.toUpperCase()}_${name}`);
  return {
    provider,
    accessKeyId: variable('ACCESS_KEY_ID'),
    secretAccessKey: variable('SECRET_ACCESS_KEY'),
    bucketName: variable('BUCKET'),
    region: variable('REGION'),
    ...(provider === 'r2' ? { accountId: variable('ACCOUNT_ID') } : {}),
  };
}

/** The address of the store, if it is not the provider's own address. */
export function endpointOverride(provider: Provider): string | undefined {
  return process.env[`STORE_${provider.toUpperCase()}_ENDPOINT`] || undefined;
}

/** The role of a cloud account that may be scanned. */
export function customerRole(): { roleArn: string; externalId: string } {
  return {
    roleArn: required('CUSTOMER_ROLE_ARN'),
    externalId: required('CUSTOMER_EXTERNAL_ID'),
  };
}

export function ownEndpoint({ provider, region, accountId }: StoreAccess): string {
  switch (provider) {
    case 'aws':
      return `https://s3.${region}.amazonaws.com`;
    case 'r2':
      return `https://${accountId}.r2.cloudflarestorage.com`;
    case 'b2':
      return `https://s3.${region}.backblazeb2.com`;
  }
}

function required(name: string): string {
  const value = process.env[name];
  if (value) return value;
  throw new Error(
    `The acceptance suite needs ${name} in its environment (see test/acceptance/README.md).`,
  );
}
