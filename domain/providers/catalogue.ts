import { invalidField } from '../common/errors.ts';
import type { StoreSheet } from './store-sheet.ts';
import { b2CorsRules, s3CorsRules, type CorsRules } from './cors.ts';

/** The id of a store of the catalogue: `aws`, `r2`, one of the operator's own. */
export type ProviderName = string;

export const PROVIDER_ID = /^[a-z][a-z0-9-]{1,19}$/;

/** How a client expects to use a file. */
export const PRIORITIES = ['hot', 'archive', 'cold'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** The territories that a bucket can be bound to. */
export const JURISDICTIONS = ['eu', 'fedramp'] as const;
export type Jurisdiction = (typeof JURISDICTIONS)[number];

/** The location of a customer's bucket: everything that decides which host the service calls. */
export interface StoreLocation {
  readonly provider: ProviderName;
  readonly bucketName: string;
  readonly region: string;
  /** Only if the catalogue's entry says that the provider needs one. */
  readonly accountId?: string;
  /** Only for a bucket that is bound to one. */
  readonly jurisdiction?: Jurisdiction;
}

/** Routing prefers a kind for some priorities. */
export const PROVIDER_KINDS = ['hyperscaler', 'edge', 'archive', 'general'] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

/** The formats of CORS rules. */
export const CORS_FORMATS = { s3: s3CorsRules, b2: b2CorsRules } as const;

/**
 * How rules delete: AWS's rights and Terraform, the S3 API alone, B2's own rules, or not at all.
 */
export const LIFECYCLES = ['aws', 's3', 'b2', 'none'] as const;
export type LifecycleApi = (typeof LIFECYCLES)[number];

/** A store as its data says it: `data/stores.json`, or the operator's `STORES_FILE`. */
export interface StoreData {
  readonly provider: ProviderName;
  readonly title: string;
  readonly kind: ProviderKind;
  /**
   * The host of its S3 endpoint, perhaps with a port; `{region}` and `{accountId}` are replaced.
   */
  readonly host: string;
  /** With `{jurisdiction}` besides, for a bucket that is bound to one. */
  readonly jurisdictionHost?: string;
  readonly jurisdictions?: readonly Jurisdiction[];
  /** A regular expression for the whole of a region. */
  readonly regionPattern: string;
  readonly regionExample?: string;
  /** Prices of this region apply if a customer has not configured the store. */
  readonly defaultRegion?: string;
  /** A regular expression for the whole of an account id. */
  readonly accountIdPattern?: string;
  /** The bucket is part of the path, not of the host name. */
  readonly pathStyle: boolean;
  readonly limits: StoreLimits;
  /** What it takes of an object's metadata, where that is not S3's. */
  readonly metadata?: Partial<MetadataLimits>;
  readonly corsFormat?: keyof typeof CORS_FORMATS;
  /** `s3` by default. */
  readonly lifecycle?: LifecycleApi;
  /** Its page about the bucket and the keys that the service needs. */
  readonly links?: { readonly documentation?: string };
  /** Absent if the price book prices it. */
  readonly sheet?: StoreSheet;
  readonly source?: string;
  /** Confidence in its sheet and its limits; high by default. */
  readonly confidence?: 'high' | 'medium' | 'low';
}

export interface StoreLimits {
  /** The largest object that a single PUT may carry, in bytes. */
  readonly singlePutBytes: number;
  /** The largest object that it stores, in bytes. */
  readonly objectBytes: number;
  /** The most parts of a multipart upload. */
  readonly parts: number;
  /** The smallest part, the last one excepted, and the largest, in bytes. */
  readonly partBytes?: { readonly smallest: number; readonly largest: number };
}

/** What a store takes of an object's metadata. */
export interface MetadataLimits {
  /** The most bytes of the names and values of user metadata. */
  readonly bytes: number;
  /** The most entries of user metadata. */
  readonly entries: number;
  /** It keeps where a website redirects to instead of the object. */
  readonly redirect: boolean;
}

/** Source: "Working with object metadata", Amazon S3 User Guide. Only AWS redirects. */
const S3_METADATA: MetadataLimits = {
  bytes: 2_048,
  entries: Number.POSITIVE_INFINITY,
  redirect: false,
};

/** A store that the service can route to. */
export interface CatalogueEntry {
  readonly provider: ProviderName;
  readonly title: string;
  readonly kind: ProviderKind;
  readonly defaultRegion: string;
  /** A regular expression for the whole of a region. */
  readonly regionPattern: string;
  readonly regionExample: string;
  readonly needsAccountId: boolean;
  /** Empty if the provider has none. */
  readonly jurisdictions: readonly Jurisdiction[];
  readonly pathStyle: boolean;
  readonly limits: StoreLimits;
  readonly metadata: MetadataLimits;
  readonly lifecycle: LifecycleApi;
  /** Null if the catalogue names none. */
  readonly documentation: string | null;
  /**
   * The hosts of its endpoints and buckets in these regions, as sources of a
   * Content-Security-Policy; without a region, those of all.
   */
  hosts(regions: readonly string[]): readonly string[];
  takesRegion(region: string): boolean;
  takesAccountId(accountId: string): boolean;
  /** The rules that let the pages of an origin upload to a bucket, in the provider's format. */
  corsRules(origin: string): CorsRules;
  /**
   * The origin of the provider's S3 endpoint, without a bucket.
   *
   * @throws Error if a part of the location cannot be a label of a host name
   */
  endpoint(location: Pick<StoreLocation, 'region' | 'accountId' | 'jurisdiction'>): string;
}

/** The stores that the service can route to. */
export interface Catalogue {
  /** Their ids, in the order that decides ties. */
  readonly providers: readonly ProviderName[];
  has(provider: ProviderName): boolean;
  /** @throws Error for an unknown one: callers' names are checked at the edge. */
  entry(provider: ProviderName): CatalogueEntry;
  /** Its id if the catalogue has it no more. */
  titleOf(provider: ProviderName): string;
}

export function createCatalogue(stores: readonly StoreData[]): Catalogue {
  const entries = new Map(stores.map((store) => [store.provider, toEntry(store)]));
  return {
    providers: [...entries.keys()],
    has: (provider) => entries.has(provider),
    entry(provider) {
      const entry = entries.get(provider);
      if (!entry) throw new Error(`the catalogue has no store ${provider}`);
      return entry;
    },
    titleOf: (provider) => entries.get(provider)?.title ?? provider,
  };
}

/** The store that every saving is measured against, and that a role gives access to. */
export const AWS: ProviderName = 'aws';

/** The storage class of an upload and of a copy, by the price book's name. */
export const UPLOAD_CLASS = 'STANDARD';

/** What a caller's text may add to a host name, whatever a pattern says. */
const HOST_LABEL = /^[a-z0-9-]{1,63}$/;

const PLACEHOLDER = /\{(region|accountId|jurisdiction)\}/g;

/** @throws AppError `invalid_request` */
export function requireKnown(
  { has, providers }: Catalogue,
  provider: ProviderName,
  path = '/provider',
): void {
  if (!has(provider)) throw invalidField(path, `must be one of ${providers.join(', ')}`);
}

function toEntry(store: StoreData): CatalogueEntry {
  const { provider, title, kind, pathStyle, limits, host, jurisdictionHost = host } = store;
  const { regionExample = '', defaultRegion = regionExample, corsFormat = 's3' } = store;
  return {
    provider,
    title,
    kind,
    pathStyle,
    limits,
    metadata: { ...S3_METADATA, ...store.metadata },
    lifecycle: store.lifecycle ?? 's3',
    defaultRegion,
    regionExample,
    regionPattern: store.regionPattern,
    needsAccountId: host.includes('{accountId}'),
    jurisdictions: store.jurisdictions ?? [],
    documentation: store.links?.documentation ?? null,
    hosts: (regions) => hostsIn(host, regions).flatMap((each) => hostSources(each, pathStyle)),
    takesRegion: grammar(store.regionPattern),
    takesAccountId: grammar(store.accountIdPattern ?? HOST_LABEL.source),
    corsRules: CORS_FORMATS[corsFormat],
    endpoint: (location) =>
      `https://${fillHost(location.jurisdiction === undefined ? host : jurisdictionHost, location)}`,
  };
}

/** @throws SyntaxError for a text that is no regular expression */
export function wholePattern(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`);
}

function grammar(pattern: string): (text: string) => boolean {
  const whole = wholePattern(pattern);
  return (text) => HOST_LABEL.test(text) && whole.test(text);
}

function fillHost(
  template: string,
  location: Pick<StoreLocation, 'region' | 'accountId' | 'jurisdiction'>,
): string {
  return template.replaceAll(PLACEHOLDER, (_, name: keyof typeof location) => {
    const value = (location[name] ?? '').toLowerCase();
    if (!HOST_LABEL.test(value)) throw new Error(`the ${name} cannot be part of a host name`);
    return value;
  });
}

function hostsIn(host: string, regions: readonly string[]): readonly string[] {
  if (regions.length === 0 || !host.includes('{region}')) return [host];
  return regions.map((region) => host.replaceAll('{region}', region));
}

/** Any name below what no caller's text is part of. */
function hostSources(host: string, pathStyle: boolean): readonly string[] {
  const labels = host.split('.');
  const fixed = labels.slice(labels.findLastIndex((label) => label.includes('{')) + 1).join('.');
  if (fixed !== host) return [`https://*.${fixed}`];
  return pathStyle ? [`https://${host}`] : [`https://${host}`, `https://*.${host}`];
}
