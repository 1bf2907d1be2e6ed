import type { CloudPorts } from '../parts/cloud-account.ts';
import { REGIONS, type StoreAccess } from '../parts/stores.ts';
import { pickGiven, requireGiven } from '../parts/part.ts';

/** A store in another container, with the keys of its root user. */
export interface TrialStore extends StoreAccess {
  readonly endpoint: string;
}

/** What the compose file says about the other containers. */
export interface TrialSettings {
  /** Holds what is kept across restarts, and what the API reads. */
  readonly stateFolder: string;
  /** As this container reaches the API. */
  readonly apiUrl: string;
  /** As people reach it. */
  readonly publicApiUrl: string;
  /** Shown to people. */
  readonly publicUrls: Readonly<Record<string, string>>;
  readonly identity: {
    readonly host: string;
    readonly port: number;
    readonly issuer: string;
    readonly audience: string;
  };
  readonly cloud: CloudPorts;
  readonly stores: Readonly<Record<'r2' | 'b2', TrialStore>>;
}

/** Inside a container; its ports are published on 127.0.0.1 only. */
const HOST = '0.0.0.0';
const SHOWN = [
  'TEMPORAL_UI_URL',
  'GRAFANA_URL',
  'PROVIDER_ENDPOINT_AWS',
  'PROVIDER_ENDPOINT_R2',
  'PROVIDER_ENDPOINT_B2',
];

/** @throws Error naming the missing variables */
export function readTrialSettings(env: NodeJS.ProcessEnv): TrialSettings {
  const given = requireGiven(env, 'TRIAL_STATE', [
    'TRIAL_STATE',
    'API_URL',
    'PUBLIC_API_URL',
    'JWT_ISSUER',
    'JWT_AUDIENCE',
    'PROVIDER_ENDPOINT_AWS',
    'PROVIDER_ENDPOINT_R2',
    'PROVIDER_ENDPOINT_B2',
    'STS_ENDPOINT',
    'COST_EXPLORER_ENDPOINT',
    'CLOUDWATCH_ENDPOINT',
    'STORE_ACCESS_KEY',
    'STORE_SECRET_KEY',
  ]);
  const read = (name: string) => given[name] ?? '';
  const readPort = (name: string) => Number(new URL(read(name)).port);
  const store = (provider: 'r2' | 'b2'): TrialStore => ({
    endpoint: read(`PROVIDER_ENDPOINT_${provider.toUpperCase()}`),
    accessKeyId: read('STORE_ACCESS_KEY'),
    secretAccessKey: read('STORE_SECRET_KEY'),
    bucket: `uploads-${provider}`,
    region: REGIONS[provider],
  });
  return {
    stateFolder: read('TRIAL_STATE'),
    apiUrl: read('API_URL'),
    publicApiUrl: read('PUBLIC_API_URL'),
    publicUrls: pickGiven(env, SHOWN),
    identity: {
      host: HOST,
      port: readPort('JWT_ISSUER'),
      issuer: read('JWT_ISSUER'),
      audience: read('JWT_AUDIENCE'),
    },
    cloud: {
      host: HOST,
      s3Port: readPort('PROVIDER_ENDPOINT_AWS'),
      stsPort: readPort('STS_ENDPOINT'),
      costExplorerPort: readPort('COST_EXPLORER_ENDPOINT'),
      cloudWatchPort: readPort('CLOUDWATCH_ENDPOINT'),
    },
    stores: { r2: store('r2'), b2: store('b2') },
  };
}
