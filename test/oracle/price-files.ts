import { readFileSync } from 'node:fs';
import type { ProviderName } from '../../domain/providers/catalogue.ts';

/** The facts about prices (`facts/`) in one form for all stores, and of the project's catalogue what is no price. */

export type Band = { readonly uptoGb: number | null; readonly usd: number };
export type Value = number | readonly Band[] | Readonly<Record<string, number>>;
export type ClassFacts = Readonly<Record<string, Value>>;

export interface RegionFacts {
  /** What its usage types begin with on a bill. */
  readonly billPrefixes: readonly string[];
  readonly confidence: string;
  readonly classes: Readonly<Record<string, ClassFacts>>;
  readonly egressPerGb: Value;
}

/** A store's prices; `*` is the region of one that has the same in all. */
export interface StoreFacts {
  readonly bytesPerGb: number;
  /** Full reads a month without egress. */
  readonly freeMultiple: number;
  readonly refusesMore: boolean;
  readonly floorUsdPerMonth: number;
  readonly regions: Readonly<Record<string, RegionFacts>>;
}

interface Sheet {
  readonly bytesPerGb: number;
  readonly storagePerGbMonth: number | readonly Band[];
  readonly putPerRequest: number;
  readonly getPerRequest: number;
  readonly listPerRequest: number;
  readonly retrievalPerGb: number;
  readonly egress: {
    readonly free?: true;
    readonly freeMultiple?: number;
    readonly overagePerGb?: number | null;
    readonly bands?: readonly Band[];
  };
  readonly minDays: number;
  readonly minBillableBytes: number;
  readonly floorUsdPerMonth: number;
  readonly classes?: Readonly<Record<string, Partial<Sheet>>>;
}

/** A store of the catalogue. */
export interface CatalogueStore {
  readonly provider: ProviderName;
  readonly regionExample?: string;
  readonly defaultRegion?: string;
  readonly limits: { readonly objectBytes: number };
  readonly sheet?: Sheet;
  readonly confidence?: string;
}

export interface PriceData {
  readonly facts: Readonly<Record<ProviderName, StoreFacts>>;
  /** In the order that decides ties. Those without facts have sheets of their own. */
  readonly stores: readonly CatalogueStore[];
}

const read = (path: string) =>
  JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as never;

type Fact = { readonly value: number; readonly confidence: string };
type AwsRegion = Omit<RegionFacts, 'egressPerGb'> & { readonly egressInternetPerGb: Value };
interface Prices {
  readonly units: Readonly<Record<string, { readonly bytesPerGb: number }>>;
  readonly aws: {
    readonly regions: Readonly<Record<string, AwsRegion>>;
    readonly natProcessingPerGb: Fact;
  };
  readonly r2: Readonly<Record<string, Readonly<Record<string, Fact>>>>;
  readonly b2: Readonly<Record<string, Fact>> & {
    readonly egress: {
      readonly value: {
        readonly freeMultipleOfAverageMonthlyStorage: number;
        readonly overagePerGb: number;
      };
    };
  };
}

const prices: Prices = read('facts/prices.json');

const everywhere = (
  classes: RegionFacts['classes'],
  egressPerGb: Value,
  confidence: string,
): StoreFacts['regions'] => ({ '*': { billPrefixes: [], confidence, classes, egressPerGb } });
const NO_LIMIT = { freeMultiple: 0, refusesMore: false, floorUsdPerMonth: 0 };

/** Regions of another partition have another host and cannot be audited. */
const isCommercial = (region: string) => !region.startsWith('us-gov-');

function awsFacts(): StoreFacts {
  const regions = Object.entries(prices.aws.regions)
    .filter(([region]) => isCommercial(region))
    .map(([region, { egressInternetPerGb, ...facts }]) => [
      region,
      Object.assign({ egressPerGb: egressInternetPerGb }, facts),
    ]);
  return { ...NO_LIMIT, bytesPerGb: bytesOf('aws'), regions: Object.fromEntries(regions) };
}

function bytesOf(provider: ProviderName): number {
  return prices.units[provider]?.bytesPerGb ?? Number.NaN;
}

/** Operations of class A write and list, those of class B read. */
function r2Facts(): StoreFacts {
  const { STANDARD: standard = {}, STANDARD_IA: infrequent = {} } = prices.r2;
  const valueOf = (fact: Fact | undefined) => fact?.value ?? Number.NaN;
  const listPerMillion = valueOf(standard['classAPerMillion']);
  const asClass = (own: Readonly<Record<string, Fact>>): ClassFacts => ({
    storagePerGbMonth: valueOf(own['storagePerGbMonth']),
    putPerMillion: valueOf(own['classAPerMillion']),
    getPerMillion: valueOf(own['classBPerMillion']),
    listPerMillion,
    retrievalPerGb: valueOf(own['retrievalPerGb']),
    minDays: valueOf(own['minDays']),
  });
  const classes = { STANDARD: asClass(standard), STANDARD_IA: asClass(infrequent) };
  return { ...NO_LIMIT, bytesPerGb: bytesOf('r2'), regions: everywhere(classes, 0, 'high') };
}

/** No request costs anything: the class of those that would is known, what is in it is not. */
function b2Facts(): StoreFacts {
  const { storagePerGbMonth, egress } = prices.b2;
  const { freeMultipleOfAverageMonthlyStorage: freeMultiple, overagePerGb } = egress.value;
  const free = { putPer1000: 0, getPer1000: 0, listPer1000: 0, retrievalPerGb: 0 };
  const STANDARD = { storagePerGbMonth: storagePerGbMonth?.value ?? Number.NaN, ...free };
  const regions = everywhere({ STANDARD }, overagePerGb, 'high');
  return { ...NO_LIMIT, bytesPerGb: bytesOf('b2'), freeMultiple, regions };
}

/** The sheet of a store of the catalogue. */
export function sheetFacts(sheet: Sheet, confidence: string): StoreFacts {
  const { egress } = sheet;
  const asClass = (figures: Sheet): ClassFacts => ({
    storagePerGbMonth: figures.storagePerGbMonth,
    putPerRequest: figures.putPerRequest,
    getPerRequest: figures.getPerRequest,
    listPerRequest: figures.listPerRequest,
    retrievalPerGb: figures.retrievalPerGb,
    minDays: figures.minDays,
    minBillableBytes: figures.minBillableBytes,
  });
  const others = Object.entries(sheet.classes ?? {}).map(([name, own]) => [
    name,
    asClass({ ...sheet, ...own }),
  ]);
  const classes = { STANDARD: asClass(sheet), ...Object.fromEntries(others) };
  return {
    bytesPerGb: sheet.bytesPerGb,
    freeMultiple: egress.freeMultiple ?? 0,
    refusesMore: egress.freeMultiple !== undefined && egress.overagePerGb === null,
    floorUsdPerMonth: sheet.floorUsdPerMonth,
    regions: everywhere(classes, egress.bands ?? egress.overagePerGb ?? 0, confidence),
  };
}

const sheets: Readonly<Record<string, { readonly sheet?: Sheet; readonly confidence: string }>> =
  read('facts/stores.json');

/** The project's own. */
export const PROJECT_PRICES: PriceData = {
  facts: {
    aws: awsFacts(),
    r2: r2Facts(),
    b2: b2Facts(),
    ...Object.fromEntries(
      Object.entries(sheets).flatMap(([name, { sheet, confidence }]) =>
        sheet ? [[name, sheetFacts(sheet, confidence)]] : [],
      ),
    ),
  },
  stores: read('../../data/stores.json') as readonly CatalogueStore[],
};

/** What a NAT gateway takes for a GB that machines in AWS read from elsewhere. */
export const INSIDE_READ_PER_GB: number = prices.aws.natProcessingPerGb.value;
