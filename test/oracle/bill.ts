import type { Bill } from '../../domain/bill/bill.ts';
import type { PriceLine } from '../../domain/bill/usage-types.ts';
import { Fraction } from './fraction.ts';
import { regionOfBillPrefix } from './prices.ts';

/** Section 8 of the pricing rules: the lines of a bill, and the customer's own prices. */

/** What each usage type of the rules' table is priced as; all others are `other`. */
const PRICED = new Map<string, readonly [PriceLine, string | null]>([
  ['DataTransfer-Out-Bytes', ['egress', null]],
  ['Monitoring-Automation-INT', ['monitoring', null]],
  ...[
    ['STANDARD', 'ByteHrs'],
    ['REDUCED_REDUNDANCY', 'RRS-ByteHrs'],
    ['STANDARD_IA', 'SIA-ByteHrs SIA-SmObjects'],
    ['ONEZONE_IA', 'ZIA-ByteHrs ZIA-SmObjects'],
    ['GLACIER_IR', 'GIR-ByteHrs GIR-SmObjects'],
    [
      'INTELLIGENT_TIERING',
      'INT-FA-ByteHrs INT-IA-ByteHrs INT-AIA-ByteHrs INT-AA-ByteHrs INT-DAA-ByteHrs',
    ],
    ['GLACIER', 'GlacierByteHrs'],
    ['DEEP_ARCHIVE', 'GDA-ByteHrs'],
  ].flatMap(([storageClass = '', names = '']) =>
    names.split(' ').map((name) => [`TimedStorage-${name}`, ['storage', storageClass]] as const),
  ),
  ...[
    ['STANDARD', ''],
    ['STANDARD_IA', 'SIA-'],
    ['ONEZONE_IA', 'ZIA-'],
    ['GLACIER_IR', 'GIR-'],
    ['INTELLIGENT_TIERING', 'INT-'],
    ['GLACIER', 'GLACIER-'],
    ['DEEP_ARCHIVE', 'GDA-'],
  ].flatMap(([storageClass = '', part = '']) => [
    [`Requests-${part}Tier1`, ['put', storageClass]] as const,
    [`Requests-${part}Tier2`, ['get', storageClass]] as const,
  ]),
  ['Retrieval-SIA', ['retrieval', 'STANDARD_IA']],
  ['Retrieval-ZIA', ['retrieval', 'ONEZONE_IA']],
  ['Retrieval-GIR', ['retrieval', 'GLACIER_IR']],
]);

/** One usage type in one region, over all its operations. */
export interface Line {
  readonly region: string | null;
  readonly usageType: string;
  readonly line: PriceLine;
  readonly storageClass: string | null;
  readonly unit: string;
  readonly quantity: Fraction;
  /** Of the quantity, what objects were read by. */
  readonly reads: Fraction;
  readonly list: Fraction;
  readonly net: Fraction;
}

/** The bytes of other usage types that say where objects were read and written. */
export type Traffic = 'internet' | 'contentNetwork' | 'insideOut' | 'insideIn' | 'outsideIn';

export function trafficOf(usageType: string): Traffic | null {
  if (usageType === 'DataTransfer-Out-Bytes') return 'internet';
  if (usageType === 'CloudFront-Out-Bytes') return 'contentNetwork';
  if (usageType === 'DataTransfer-In-Bytes') return 'outsideIn';
  if (usageType === 'C3DataTransfer-Out-Bytes' || usageType.endsWith('-AWS-Out-Bytes'))
    return 'insideOut';
  if (usageType === 'C3DataTransfer-In-Bytes' || usageType.endsWith('-AWS-In-Bytes'))
    return 'insideIn';
  return null;
}

/** What a usage type is priced as; storage of an unknown class, or in an unknown region, has no class. */
function pricedAs(usageType: string, region: string | null): readonly [PriceLine, string | null] {
  const isParts = usageType.startsWith('TimedStorage-') && usageType.endsWith('Staging');
  const priced = isParts ? (['storage', 'STANDARD'] as const) : PRICED.get(usageType);
  if (priced === undefined) return [usageType.includes('TimedStorage') ? 'storage' : 'other', null];
  return priced[0] === 'storage' && region === null ? ['storage', null] : priced;
}

function kindOf(named: string) {
  const [, prefix = '', usageType = ''] = /^(?:([A-Z]+\d*)-)?(.+)$/.exec(named) ?? [];
  const region = regionOfBillPrefix(prefix);
  const [line, storageClass] = pricedAs(usageType, region);
  return { region, usageType, line, storageClass };
}

const READS = new Set(['GetObject', 'WebsiteGetObject']);

/** The lines of a bill, none where there is no bill. */
export function linesOf(bill: Bill | null): readonly Line[] {
  const lines = new Map<string, Line>();
  for (const { usageType, operation, unit, ...row } of bill?.rows ?? []) {
    const kind = kindOf(usageType);
    const key = `${kind.region} ${kind.usageType}`;
    const sum = (name: 'quantity' | 'list' | 'net' | 'reads', more: number) =>
      (lines.get(key)?.[name] ?? Fraction.ZERO).plus(Fraction.of(more));
    const isRead = kind.line === 'get' && READS.has(operation);
    const quantity = sum('quantity', row.quantity);
    const reads = sum('reads', isRead ? row.quantity : 0);
    const [list, net] = [sum('list', row.listUsd), sum('net', row.netUsd)];
    lines.set(key, { unit, ...kind, quantity, reads, list, net });
  }
  return [...lines.values()];
}

export const total = (lines: readonly Line[], name: 'quantity' | 'list' | 'net' | 'reads') =>
  Fraction.sum(lines.map((line) => line[name]));

/** By how much requests and transfer of the month are multiplied to be those of 30 days. */
export function monthScale(bill: Bill | null): Fraction {
  const [year = 0, month = 0] = (bill?.period ?? '2026-09').split('-').map(Number);
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return Fraction.of(30).dividedBy(Fraction.of(days));
}

/** What some lines cost of their list prices; null where they cost too little to say. */
export function factorOf(lines: readonly Line[]): Fraction | null {
  const list = total(lines, 'list');
  if (list.isBelow(Fraction.of('0.01'))) return null;
  return total(lines, 'net').dividedBy(list).min(Fraction.of(1));
}

/** The factor of a price line in a region; of all its lines where none is named. */
export type Discount = (
  region: string,
  line: PriceLine | null,
  storageClass: string | null,
) => Fraction;

export function discountOf(lines: readonly Line[]): Discount {
  const found = new Map<string, Fraction>();
  return (region, line, storageClass) => {
    const key = `${region} ${line} ${storageClass}`;
    const known = found.get(key);
    if (known) return known;
    const here = lines.filter((each) => each.region === region);
    const own = here.filter((each) => each.line === line && each.storageClass === storageClass);
    const factor = factorOf(own) ?? factorOf(here) ?? Fraction.of(1);
    found.set(key, factor);
    return factor;
  };
}
