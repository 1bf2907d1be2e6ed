/** The price lines of a bill. */
export const PRICE_LINES = [
  'storage',
  'put',
  'get',
  'retrieval',
  'egress',
  'monitoring',
  'other',
] as const;
export type PriceLine = (typeof PRICE_LINES)[number];

/** What a usage type of S3 pays for. */
export interface UsageType {
  /** Null where the prefix is of no region that is known. */
  readonly region: string | null;
  /** Without the prefix of its region. */
  readonly name: string;
  readonly line: PriceLine;
  /** Set for storage, put, get and retrieval; null for storage that no listing explains. */
  readonly storageClass: string | null;
  /** Null where its quantity is no bytes that went somewhere. */
  readonly transfer: Transfer | null;
}

/**
 * Where bytes went, or came from: to the internet, to a content network, from buckets to machines
 * in AWS and from there into buckets, and from outside AWS into buckets.
 */
export type Transfer = 'internet' | 'contentNetwork' | 'insideOut' | 'insideIn' | 'outsideIn';

/**
 * The prefixes of a region's usage types in the price book; `''` is the region without a prefix.
 */
export type BillRegions = ReadonlyMap<string, string>;

const PREFIXED = /^([A-Z]{2,5}\d{0,2})-(.+)$/;

type Row = readonly [line: PriceLine, storageClass: string | null];

/** The classes that the parts of a usage type name. */
const CLASS_OF_REQUESTS: Readonly<Record<string, string>> = {
  SIA: 'STANDARD_IA',
  ZIA: 'ONEZONE_IA',
  GIR: 'GLACIER_IR',
  INT: 'INTELLIGENT_TIERING',
  GLACIER: 'GLACIER',
  GDA: 'DEEP_ARCHIVE',
};
const CLASS_OF_STORAGE: Readonly<Record<string, string>> = {
  '': 'STANDARD',
  'RRS-': 'REDUCED_REDUNDANCY',
  'SIA-': 'STANDARD_IA',
  'ZIA-': 'ONEZONE_IA',
  'GIR-': 'GLACIER_IR',
  'INT-FA-': 'INTELLIGENT_TIERING',
  'INT-IA-': 'INTELLIGENT_TIERING',
  'INT-AIA-': 'INTELLIGENT_TIERING',
  'INT-AA-': 'INTELLIGENT_TIERING',
  'INT-DAA-': 'INTELLIGENT_TIERING',
  Glacier: 'GLACIER',
  'GDA-': 'DEEP_ARCHIVE',
};
/** Their objects are filled up to 128 KiB, which has a line of its own. */
const FILLED = ['SIA', 'ZIA', 'GIR'];
const RETRIEVED = ['SIA', 'ZIA', 'GIR'];

const LINES = new Map<string, Row>([
  ...Object.entries(CLASS_OF_STORAGE).map(([part, storageClass]): [string, Row] => [
    `TimedStorage-${part}ByteHrs`,
    ['storage', storageClass],
  ]),
  ...FILLED.map((part): [string, Row] => [
    `TimedStorage-${part}-SmObjects`,
    ['storage', CLASS_OF_REQUESTS[part] ?? null],
  ]),
  ['Requests-Tier1', ['put', 'STANDARD']],
  ['Requests-Tier2', ['get', 'STANDARD']],
  ...Object.entries(CLASS_OF_REQUESTS).flatMap(([part, storageClass]): [string, Row][] => [
    [`Requests-${part}-Tier1`, ['put', storageClass]],
    [`Requests-${part}-Tier2`, ['get', storageClass]],
  ]),
  ...RETRIEVED.map((part): [string, Row] => [
    `Retrieval-${part}`,
    ['retrieval', CLASS_OF_REQUESTS[part] ?? null],
  ]),
  ['DataTransfer-Out-Bytes', ['egress', null]],
  ['Monitoring-Automation-INT', ['monitoring', null]],
]);
/** Parts of uploads into an archive, which are billed as STANDARD. */
const STAGING = /^TimedStorage-.*Staging$/;
/** Includes table and directory buckets, whose objects no audit lists. */
const STORAGE = 'TimedStorage';
const OTHER: Row = ['other', null];

const TRANSFERS: Readonly<Record<string, Transfer>> = {
  'DataTransfer-Out-Bytes': 'internet',
  'CloudFront-Out-Bytes': 'contentNetwork',
  'C3DataTransfer-Out-Bytes': 'insideOut',
  'C3DataTransfer-In-Bytes': 'insideIn',
  'DataTransfer-In-Bytes': 'outsideIn',
};
/** The other region is named before it. */
const BETWEEN_REGIONS = { out: '-AWS-Out-Bytes', in: '-AWS-In-Bytes' };

const READS = new Set(['GetObject', 'WebsiteGetObject']);

/** Whether the requests of an operation read objects. */
export function isRead(operation: string): boolean {
  return READS.has(operation);
}

/** What a usage type pays for; `other` if that is not in the table. */
export function readUsageType(usageType: string, billRegions: BillRegions): UsageType {
  const [, prefix = '', rest] = PREFIXED.exec(usageType) ?? [];
  const name = rest ?? usageType;
  const region = billRegions.get(prefix) ?? null;
  const [line, storageClass] = lineOf(name, region !== null);
  return { region, name, line, storageClass, transfer: transferOf(name) };
}

function lineOf(name: string, hasRegion: boolean): Row {
  if (!name.includes(STORAGE)) return LINES.get(name) ?? OTHER;
  if (!hasRegion) return ['storage', null];
  return STAGING.test(name) ? ['storage', 'STANDARD'] : (LINES.get(name) ?? ['storage', null]);
}

function transferOf(name: string): Transfer | null {
  if (name.endsWith(BETWEEN_REGIONS.out)) return 'insideOut';
  if (name.endsWith(BETWEEN_REGIONS.in)) return 'insideIn';
  return TRANSFERS[name] ?? null;
}
