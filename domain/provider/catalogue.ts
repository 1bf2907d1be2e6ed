import { b2CorsRules, s3CorsRules, type CorsRules } from './cors.ts';

export const PROVIDER_NAMES = ['aws', 'r2', 'b2'] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

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
export const PROVIDER_KINDS = ['hyperscaler', 'edge', 'archive'] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

/**
 * A provider that the service can route to. A new one is a name in `PROVIDER_NAMES`, an entry in
 * `CATALOGUE`, and its prices and limits in the price book. Clients read the entries from
 * `GET /v1/providers/catalogue`.
 */
export interface CatalogueEntry {
  readonly title: string;
  readonly kind: ProviderKind;
  /** The storage class of an upload, by the price book's name. */
  readonly uploadClass: string;
  /** Prices of this region apply if a customer has not configured the provider. */
  readonly defaultRegion: string;
  /** The grammar of a region. It becomes part of a host name, so it is narrow. */
  readonly regionPattern: RegExp;
  readonly regionHint: string;
  readonly regionExample: string;
  readonly needsAccountId: boolean;
  /** Empty if the provider has none. */
  readonly jurisdictions: readonly Jurisdiction[];
  /** The rules that let the pages of an origin upload to a bucket, in the provider's format. */
  corsRules(origin: string): CorsRules;
  /** The provider's page about the bucket and the keys that the service needs. */
  readonly documentation: string;
  /** The hosts of all its endpoints and buckets, as a source of a Content-Security-Policy. */
  readonly hosts: string;
  /** The origin of the provider's S3 endpoint, without a bucket. */
  endpoint(location: Pick<StoreLocation, 'region' | 'accountId' | 'jurisdiction'>): string;
}

const HYPHENATED_REGION = /^[a-z]{2,3}(?:-[a-z]{2,12}){1,3}-\d{1,3}$/;

export const CATALOGUE: Readonly<Record<ProviderName, CatalogueEntry>> = {
  aws: {
    title: 'AWS S3',
    kind: 'hyperscaler',
    uploadClass: 'STANDARD',
    defaultRegion: 'us-east-1',
    regionPattern: HYPHENATED_REGION,
    regionHint: 'an AWS region such as eu-central-1',
    regionExample: 'eu-central-1',
    needsAccountId: false,
    jurisdictions: [],
    corsRules: s3CorsRules,
    documentation:
      'https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-with-s3-policy-actions.html',
    hosts: 'https://*.amazonaws.com',
    endpoint: ({ region }) => `https://s3.${region}.amazonaws.com`,
  },
  r2: {
    title: 'Cloudflare R2',
    kind: 'edge',
    uploadClass: 'STANDARD',
    defaultRegion: 'auto',
    regionPattern: /^auto$/,
    regionHint: 'auto',
    regionExample: 'auto',
    needsAccountId: true,
    jurisdictions: ['eu', 'fedramp'],
    corsRules: s3CorsRules,
    documentation: 'https://developers.cloudflare.com/r2/api/tokens/',
    hosts: 'https://*.r2.cloudflarestorage.com',
    endpoint: ({ accountId, jurisdiction }) =>
      `https://${accountId}${jurisdiction ? `.${jurisdiction}` : ''}.r2.cloudflarestorage.com`,
  },
  b2: {
    title: 'Backblaze B2',
    kind: 'archive',
    uploadClass: 'STANDARD',
    defaultRegion: 'us-west-004',
    regionPattern: HYPHENATED_REGION,
    regionHint: 'a Backblaze region such as us-west-004',
    regionExample: 'us-west-004',
    needsAccountId: false,
    jurisdictions: [],
    corsRules: b2CorsRules,
    documentation: 'https://www.backblaze.com/docs/cloud-storage-s3-compatible-app-keys',
    hosts: 'https://*.backblazeb2.com',
    endpoint: ({ region }) => `https://s3.${region}.backblazeb2.com`,
  },
};

/** The store that every saving is measured against. */
export const SAVINGS_BASELINE: ProviderName = 'aws';

/** The provider that the scanner audits, and that migrations copy from. */
export const SCANNED_PROVIDER: ProviderName = 'aws';
