import type { Bill } from '../../domain/bill/bill.ts';
import type { PriceLine } from '../../domain/bill/usage-types.ts';
import { Fraction } from './fraction.ts';

/** Section 8 of the pricing rules: the lines of a bill, and the customer's own prices. */

const REGIONS = new Map(
  [
    'USE1 us-east-1 USE2 us-east-2 USW1 us-west-1 USW2 us-west-2 CAN1 ca-central-1 SAE1 sa-east-1',
    'EU eu-west-1 EUW2 eu-west-2 EUW3 eu-west-3 EUC1 eu-central-1 EUN1 eu-north-1',
    'EUS1 eu-south-1 EUS2 eu-south-2 APN1 ap-northeast-1 APN2 ap-northeast-2',
    'APS1 ap-southeast-1 APS2 ap-southeast-2 APS3 ap-south-1',
  ].flatMap((line) => [...line.matchAll(/(\w+) (\S+)/g)].map(([, code, region]) => [code, region])),
);

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

function kindOf(named: string) {
  const [, prefix = 'USE1', usageType = ''] = /^(?:([A-Z]+\d*)-)?(.+)$/.exec(named) ?? [];
  const region = REGIONS.get(prefix) ?? null;
  const isParts = usageType.startsWith('TimedStorage-') && usageType.endsWith('Staging');
  const priced = isParts ? (['storage', 'STANDARD'] as const) : PRICED.get(usageType);
  const [line, storageClass] = (region === null ? undefined : priced) ?? (['other', null] as const);
  return { region, usageType, line, storageClass };
}

/** The lines of a bill, none where there is no bill. */
export function linesOf(bill: Bill | null): readonly Line[] {
  const lines = new Map<string, Line>();
  for (const { usageType, operation, unit, ...row } of bill?.rows ?? []) {
    const kind = kindOf(usageType);
    const key = `${kind.region} ${kind.usageType}`;
    const sum = (name: 'quantity' | 'list' | 'net' | 'reads', more: number) =>
      (lines.get(key)?.[name] ?? Fraction.ZERO).plus(Fraction.of(more));
    const isRead = kind.line === 'get' && operation === 'GetObject';
    const quantity = sum('quantity', row.quantity);
    const reads = sum('reads', isRead ? row.quantity : 0);
    const [list, net] = [sum('list', row.listUsd), sum('net', row.netUsd)];
    lines.set(key, { unit, ...kind, quantity, reads, list, net });
  }
  return [...lines.values()];
}

export const total = (lines: readonly Line[], name: 'quantity' | 'list' | 'net' | 'reads') =>
  Fraction.sum(lines.map((line) => line[name]));

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
    const here = lines.filter((each) => each.region === region);
    const isOwn = (each: Line) => each.line === line && each.storageClass === storageClass;
    const own = () => factorOf(here.filter(isOwn)) ?? factorOf(here) ?? Fraction.of(1);
    const factor = found.get(key) ?? own();
    found.set(key, factor);
    return factor;
  };
}
