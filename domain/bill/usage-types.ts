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
  /** Of storage, put, get and retrieval. */
  readonly storageClass: string | null;
}

/**
 * The prefixes of usage types; none is us-east-1.
 * Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/aws-usage-report-understand.html
 */
const REGION_OF_PREFIX: Readonly<Record<string, string>> = {
  USE1: 'us-east-1',
  USE2: 'us-east-2',
  USW1: 'us-west-1',
  USW2: 'us-west-2',
  EU: 'eu-west-1',
  EUW2: 'eu-west-2',
  EUW3: 'eu-west-3',
  EUC1: 'eu-central-1',
  EUN1: 'eu-north-1',
  EUS1: 'eu-south-1',
  EUS2: 'eu-south-2',
  APN1: 'ap-northeast-1',
  APN2: 'ap-northeast-2',
  APS1: 'ap-southeast-1',
  APS2: 'ap-southeast-2',
  APS3: 'ap-south-1',
  CAN1: 'ca-central-1',
  SAE1: 'sa-east-1',
};
const HOME_REGION = 'us-east-1';
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
const OTHER: Row = ['other', null];

/** What a usage type pays for; `other` if that is not in the table. */
export function readUsageType(usageType: string): UsageType {
  const [, prefix, rest] = PREFIXED.exec(usageType) ?? [];
  const name = rest ?? usageType;
  const region = prefix === undefined ? HOME_REGION : (REGION_OF_PREFIX[prefix] ?? null);
  const known = STAGING.test(name) ? (['storage', 'STANDARD'] as const) : LINES.get(name);
  const [line, storageClass] = (region === null ? undefined : known) ?? OTHER;
  return { region, name, line, storageClass };
}
