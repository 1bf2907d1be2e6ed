import { readFileSync } from 'node:fs';
import type { DecisionSettings } from '../domain/decision/types.ts';
import type { KeyMode } from '../domain/account/api-key.ts';
import { PLAN_NAMES, parsePlans, type PlanName, type Plans } from '../domain/account/plan.ts';
import type { RateLimits } from '../domain/account/rate-limits.ts';
import { createPriceBook, type PriceBook } from '../domain/pricing/price-book.ts';
import { EXTERNAL_ID_RULES, type ExternalIdRule } from '../domain/scan/connection.ts';
import type { StripeSettings } from '../adapters/billing/stripe.ts';
import type { IdentitySettings } from '../adapters/identity/token-verifier.ts';
import type { MongoSettings } from '../adapters/mongo/open.ts';
import type { StsOptions } from '../adapters/cloud-account/sts-call.ts';
import type { EndpointOverrides } from '../adapters/object-store/address.ts';
import type { TemporalSettings } from '../adapters/temporal/open.ts';
import type { CipherKey } from '../adapters/vault/cipher.ts';
import { createReader, type Reader } from './environment.ts';
import { TASK_QUEUES, type TaskQueue } from '../messages/names.ts';
import type { Environment } from './secret-files.ts';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** The configuration that API and worker share. */
export interface SharedConfig {
  readonly host: string;
  readonly metricsPort: number;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** Whether spans are sent; OpenTelemetry's library reads where and how from the environment. */
  readonly traces: boolean;
  readonly mongo: MongoSettings;
  readonly temporal: TemporalSettings;
  /** The first one seals. Empty only in a worker that opens no store. */
  readonly credentialKeys: readonly CipherKey[];
  readonly endpoints: EndpointOverrides;
  readonly sts: StsOptions;
  readonly plans: Plans;
  readonly priceBook: PriceBook;
}

export interface ApiConfig extends SharedConfig {
  readonly port: number;
  readonly identity: IdentitySettings;
  readonly keyMode: KeyMode;
  readonly defaultPlan: PlanName;
  readonly externalIds: ExternalIdRule;
  /** The template of the customers' role in a bucket of the operator. Undefined: there is none. */
  readonly connectTemplateUrl: string | undefined;
  readonly uploadUrlSeconds: number;
  readonly uploadGraceSeconds: number;
  readonly dashboardOrigins: readonly string[];
  /** Undefined: the API serves no page. */
  readonly dashboard: DashboardSettings | undefined;
  /** Undefined: billing is not configured. */
  readonly stripe: StripeSettings | undefined;
  readonly rateLimits: RateLimits;
  /** Of one account. */
  readonly maxPendingFiles: number;
  readonly trustedProxies: number;
}

export interface WorkerConfig extends SharedConfig {
  readonly queues: readonly TaskQueue[];
  /** Undefined: the worker takes the tasks of every version. */
  readonly deployment: WorkerDeployment | undefined;
  readonly decision: DecisionSettings;
  readonly copying: CopyRates;
}

/** A version of the workers, as Temporal's Worker Versioning identifies it. */
export interface WorkerDeployment {
  readonly deploymentName: string;
  readonly buildId: string;
}

/** The rates of one worker's copies; Infinity: unlimited. */
export interface CopyRates {
  readonly maxBytesPerSecond: number;
  readonly maxRequestsPerSecond: number;
}

/** The endpoint that decrypts payloads for Temporal's UI and CLI. */
export interface CodecConfig extends Pick<SharedConfig, 'host' | 'logLevel' | 'temporal'> {
  readonly port: number;
  /** Of the operators, not of the customers. */
  readonly identity: IdentitySettings;
  /** Of Temporal UI. */
  readonly origins: readonly string[];
}

/** SigV4 limits the lifetime of a URL to a week. */
const MAX_URL_SECONDS = 7 * 86_400;
const MAX_GRACE_SECONDS = 30 * 86_400;
const MAX_RECOMMENDATION_SECONDS = 365 * 86_400;
const STS_TIMEOUT_MS = 10_000;
const MAX_RATE = 1_000_000_000;
/** Scans read customers' accounts through a role. */
const QUEUE_WITHOUT_STORES: TaskQueue = 'scans';

/** How the page logs its users in. */
export interface DashboardSettings {
  /** Of a public client at the identity provider. Undefined: the page says that it is missing. */
  readonly clientId: string | undefined;
  readonly scope: string;
  /** The parameter by which the identity provider takes the audience of an access token. */
  readonly audienceParameter: AudienceParameter;
}

/** `resource` is RFC 8707; some providers have `audience` instead, others derive it from the scope. */
const AUDIENCE_PARAMETERS = ['resource', 'audience', 'none'] as const;
export type AudienceParameter = (typeof AUDIENCE_PARAMETERS)[number];

/** All problems of the environment in one error. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(problems: readonly string[]) {
    super(
      `The environment is not usable:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    );
  }
}

/** @throws ConfigError that names every problem at once. */
export function readApiConfig(env: Environment): ApiConfig {
  return read(env, (from) => ({
    ...readShared(from),
    port: from.integer('PORT', 8080, 0, 65_535),
    identity: {
      issuer: from.url('JWT_ISSUER') ?? from.missing('JWT_ISSUER'),
      audience: from.optional('JWT_AUDIENCE') ?? from.missing('JWT_AUDIENCE'),
      jwksUrl: from.url('JWT_JWKS_URL'),
      accountClaim: from.text('JWT_ACCOUNT_CLAIM', 'sub'),
    },
    keyMode: from.oneOf('KEY_MODE', ['live', 'test'], 'test'),
    defaultPlan: from.oneOf('DEFAULT_PLAN', PLAN_NAMES, 'free'),
    externalIds: from.oneOf('SCANNER_EXTERNAL_ID', EXTERNAL_ID_RULES, 'enforce'),
    connectTemplateUrl: from.httpsUrl('CONNECT_TEMPLATE_URL'),
    uploadUrlSeconds: from.integer('UPLOAD_URL_SECONDS', 3600, 1, MAX_URL_SECONDS),
    uploadGraceSeconds: from.integer('UPLOAD_GRACE_SECONDS', 86_400, 0, MAX_GRACE_SECONDS),
    dashboardOrigins: from.list('DASHBOARD_ORIGINS'),
    dashboard: readDashboard(from),
    stripe: readStripe(from),
    rateLimits: {
      key: from.integer('RATE_LIMIT_KEY', 600, 1, MAX_RATE),
      account: from.integer('RATE_LIMIT_ACCOUNT', 600, 1, MAX_RATE),
      unauthenticated: from.integer('RATE_LIMIT_UNAUTHENTICATED', 60, 1, MAX_RATE),
    },
    maxPendingFiles: from.integer('MAX_PENDING_FILES', 100_000, 1, MAX_RATE),
    trustedProxies: from.integer('TRUST_PROXY_HOPS', 0, 0, 16),
  }));
}

/** @throws ConfigError that names every problem at once. */
export function readWorkerConfig(env: Environment): WorkerConfig {
  return read(env, (from) => {
    const queues = from.subset('WORKER_QUEUES', TASK_QUEUES);
    const opensStores = queues.some((queue) => queue !== QUEUE_WITHOUT_STORES);
    const deployment = readDeployment(from);
    return { ...readShared(from, opensStores), queues, deployment, ...readWork(from) };
  });
}

/** @throws ConfigError that names every problem at once. */
export function readCodecConfig(env: Environment): CodecConfig {
  return read(env, (from) => {
    const { host, logLevel } = readProcess(from);
    const temporal = readTemporal(from);
    if (temporal.payloadKeys.keys.length === 0) from.missing('TEMPORAL_PAYLOAD_KEYS');
    const identity = {
      issuer: from.url('CODEC_JWT_ISSUER') ?? from.missing('CODEC_JWT_ISSUER'),
      audience: from.optional('CODEC_JWT_AUDIENCE') ?? from.missing('CODEC_JWT_AUDIENCE'),
      jwksUrl: from.url('CODEC_JWT_JWKS_URL'),
      accountClaim: 'sub',
    };
    if (identity.audience !== '' && identity.audience === from.optional('JWT_AUDIENCE'))
      from.complain('CODEC_JWT_AUDIENCE', 'must be another audience than JWT_AUDIENCE');
    const port = from.integer('CODEC_PORT', 8081, 0, 65_535);
    return { host, logLevel, temporal, port, identity, origins: from.list('CODEC_ORIGINS') };
  });
}

function readDashboard(from: Reader): DashboardSettings | undefined {
  const settings = {
    clientId: from.optional('DASHBOARD_CLIENT_ID'),
    scope: from.text('DASHBOARD_SCOPE', 'openid'),
    audienceParameter: from.oneOf('DASHBOARD_AUDIENCE_PARAMETER', AUDIENCE_PARAMETERS, 'resource'),
  };
  if (!settings.scope.split(' ').includes('openid'))
    from.complain('DASHBOARD_SCOPE', 'must name openid, separated by spaces from other scopes');
  return from.oneOf('DASHBOARD', ['on', 'off'], 'on') === 'on' ? settings : undefined;
}

/** Both variables or none. They are the ones that Temporal's controller for Kubernetes sets. */
function readDeployment(from: Reader): WorkerDeployment | undefined {
  const [deploymentName, buildId] = from.together([
    'TEMPORAL_DEPLOYMENT_NAME',
    'TEMPORAL_WORKER_BUILD_ID',
  ]);
  if (!deploymentName || !buildId) return undefined;
  // The server joins name and build id by a dot.
  if (deploymentName.includes('.')) from.complain('TEMPORAL_DEPLOYMENT_NAME', 'must have no dot');
  return { deploymentName, buildId };
}

function readWork(from: Reader): Pick<WorkerConfig, 'decision' | 'copying'> {
  return {
    decision: {
      withReport: from.oneOf('FEATURE_DECISION_REPORT', ['true', 'false'], 'true') === 'true',
      horizonMonths: from.integer('DECISION_HORIZON_MONTHS', 12, 1, 120),
      minMonthlySavingsUsd: from.amount('MIN_MONTHLY_SAVINGS_USD', 1),
      recommendationSeconds: from.integer(
        'RECOMMENDATION_TTL_SECONDS',
        2_592_000,
        1,
        MAX_RECOMMENDATION_SECONDS,
      ),
    },
    copying: {
      maxBytesPerSecond: from.limit('MIGRATION_MAX_BYTES_PER_SECOND'),
      maxRequestsPerSecond: from.limit('MIGRATION_MAX_REQUESTS_PER_SECOND'),
    },
  };
}

function readProcess(from: Reader): Pick<SharedConfig, 'host' | 'logLevel'> {
  return {
    host: from.text('HOST', '0.0.0.0'),
    logLevel: from.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
  };
}

function readTemporal(from: Reader): TemporalSettings {
  return {
    address: from.text('TEMPORAL_ADDRESS', '127.0.0.1:7233'),
    namespace: from.text('TEMPORAL_NAMESPACE', 'default'),
    payloadKeys: from.payloadKeys('TEMPORAL_PAYLOAD_KEYS'),
  };
}

function readShared(from: Reader, opensStores = true): SharedConfig {
  return {
    ...readProcess(from),
    metricsPort: from.integer('METRICS_PORT', 9090, 0, 65_535),
    traces: from.url('OTEL_EXPORTER_OTLP_ENDPOINT') !== undefined,
    mongo: {
      uri: from.mongoUri('MONGODB_URI'),
      database: from.text('MONGODB_DATABASE', 'storage_routing'),
    },
    temporal: readTemporal(from),
    credentialKeys: opensStores ? from.credentialKeys('CREDENTIAL_KEYS') : [],
    endpoints: from.endpoints(),
    sts: {
      endpoint: from.url('STS_ENDPOINT'),
      region: from.text('AWS_REGION', 'us-east-1'),
      timeoutMs: STS_TIMEOUT_MS,
    },
    plans: parsePlans(readData('plans.json')),
    priceBook: createPriceBook(readData('price-book.json')),
  };
}

/** All variables or none: with some missing, a customer could pay without receiving the plan. */
function readStripe(from: Reader): StripeSettings | undefined {
  const apiUrl = from.url('STRIPE_API_URL');
  const [secretKey, webhookSecret, starter, growth] = from.together([
    'STRIPE_SECRET_KEY',
    'STRIPE_WEBHOOK_SECRET',
    'STRIPE_PRICE_STARTER',
    'STRIPE_PRICE_GROWTH',
  ]);
  if (!secretKey || !webhookSecret || !starter || !growth) return undefined;
  if (starter === growth)
    from.complain('STRIPE_PRICE_GROWTH', 'must be another price than STRIPE_PRICE_STARTER');
  return { secretKey, webhookSecret, prices: { starter, growth }, apiUrl };
}

function read<T>(env: Environment, build: (from: Reader) => T): T {
  const problems: string[] = [];
  const config = build(createReader(env, problems));
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** Data that changes without a code change. */
function readData(fileName: string): unknown {
  return JSON.parse(readFileSync(new URL(`../data/${fileName}`, import.meta.url), 'utf8'));
}
