import { readFileSync } from 'node:fs';
import type { StsOptions } from '../adapters/cloud-account/sts-call.ts';
import type { UsageEndpoints } from '../adapters/cloud-account/usage-reader.ts';
import type { MongoSettings } from '../adapters/mongo/common/open.ts';
import type { EndpointOverrides } from '../adapters/object-store/address.ts';
import { NO_KEYS, type PayloadKeys } from '../adapters/temporal/payload-codec.ts';
import type { TemporalSettings } from '../adapters/temporal/open.ts';
import type { WebhookRules } from '../adapters/webhooks/sender.ts';
import type { CipherKey } from '../adapters/vault/cipher.ts';
import { parsePlans, type Plans } from '../domain/accounts/plan.ts';
import { createLeftAlonePatterns, type LeftAlonePatterns } from '../domain/inventory/key-marks.ts';
import { createPriceBook, parsePriceBook, type PriceBook } from '../domain/pricing/price-book.ts';
import type { StoreData } from '../domain/providers/catalogue.ts';
import type { Reader } from './environment.ts';
import { readStores } from './stores.ts';

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
  readonly usageEndpoints: UsageEndpoints;
  readonly plans: Plans;
  readonly priceBook: PriceBook;
  readonly leftAlone: LeftAlonePatterns;
  readonly webhookRules: WebhookRules;
  readonly downloadUrlSeconds: number;
  readonly relocationDrainSeconds: number;
}

const PLAIN = 'plain';
const STS_TIMEOUT_MS = 10_000;
/** SigV4 limits the lifetime of a URL to a week. */
export const MAX_URL_SECONDS = 604_800;

export function readProcess(from: Reader): Pick<SharedConfig, 'host' | 'logLevel'> {
  return {
    host: from.text('HOST', '0.0.0.0'),
    logLevel: from.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
  };
}

export function readTemporal(from: Reader): TemporalSettings {
  return {
    address: from.text('TEMPORAL_ADDRESS', '127.0.0.1:7233'),
    namespace: from.text('TEMPORAL_NAMESPACE', 'default'),
    payloadKeys: readPayloadKeys(from, 'TEMPORAL_PAYLOAD_KEYS'),
  };
}

/** `plain` in the first place: nothing new is encrypted. */
function readPayloadKeys(from: Reader, name: string): PayloadKeys {
  const [first, ...others] = from.list(name);
  if (first === undefined) return NO_KEYS;
  const encrypts = first !== PLAIN;
  return { encrypts, keys: from.parseKeys(name, encrypts ? [first, ...others] : others) };
}

/** The catalogue's own stores, and those of the operator's file after them. */
function readCatalogue(from: Reader, name: string): readonly StoreData[] {
  const delivered = readData('stores.json') as readonly StoreData[];
  const data = from.jsonFile(name, (content) => content);
  if (data === undefined) return delivered;
  const { stores, problems } = readStores(data, delivered);
  for (const problem of problems) from.complain(name, problem);
  return [...delivered, ...stores];
}

export function readShared(from: Reader, opensStores = true): SharedConfig {
  const stores = readCatalogue(from, 'STORES_FILE');
  const priceBook =
    from.jsonFile('PRICE_BOOK_FILE', (data) => parsePriceBook(data, stores)) ??
    createPriceBook(readData('price-book.json'), stores);
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
    endpoints: from.endpoints(stores),
    sts: {
      endpoint: from.url('STS_ENDPOINT'),
      region: from.text('AWS_REGION', 'us-east-1'),
      timeoutMs: STS_TIMEOUT_MS,
    },
    usageEndpoints: {
      costExplorer: from.url('COST_EXPLORER_ENDPOINT'),
      cloudWatch: from.url('CLOUDWATCH_ENDPOINT'),
    },
    webhookRules: {
      ports: from.ports('WEBHOOK_PORTS'),
      privateHosts: from.hostNames('WEBHOOK_PRIVATE_HOSTS'),
    },
    downloadUrlSeconds: from.integer('DOWNLOAD_URL_SECONDS', 3600, 1, MAX_URL_SECONDS),
    relocationDrainSeconds: from.integer('RELOCATION_DRAIN_SECONDS', 3600, 0, MAX_URL_SECONDS),
    plans: parsePlans(readData('plans.json')),
    priceBook,
    leftAlone: createLeftAlonePatterns(readData('left-alone.json')),
  };
}

/** Data that changes without a code change. */
function readData(fileName: string): unknown {
  return JSON.parse(readFileSync(new URL(`../data/${fileName}`, import.meta.url), 'utf8'));
}
