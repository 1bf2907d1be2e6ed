import type { ProviderName } from '../../domain/provider/catalogue.ts';
import { Fraction } from './fraction.ts';
import { AGE_STARTS_DAYS } from './inventory.ts';
import * as prices from './prices.ts';
import { amount, gb, NOTHING, sum, type Amount, type Figure } from './prices.ts';
import {
  isArchived,
  pricedAs,
  SOURCE,
  STANDARD,
  storage,
  storageAt,
  type Held,
  type ScanBytes,
} from './storage.ts';

/** Sections 3 and 5 of the pricing rules: the cost of reads and of placements. */

export const SCENARIOS = ['none', 'expected', 'heavy'] as const;
export type Scenario = (typeof SCENARIOS)[number];
/** Full reads per month by age band. */
const READS: Readonly<Record<Scenario, readonly string[]>> = {
  none: ['0', '0', '0', '0'],
  expected: ['0.5', '0.1', '0.03', '0.01'],
  heavy: ['5', '1', '0.3', '0.1'],
};

const PER_1000 = Fraction.of('0.001');

function perGbOrNothing(region: string, storageClass: string): Figure {
  const found = prices.figureOrNone(SOURCE, region, storageClass, 'retrievalPerGb');
  return found ?? { bands: [{ uptoGb: null, usd: Fraction.ZERO }], uncertain: false };
}

/** Monthly cost of a scenario's reads at the source, at the class's prices. */
function reads(region: string, held: Held, scenario: Scenario): Amount {
  if (isArchived(held.storageClass)) return NOTHING;
  const sheet = pricedAs(region, held.storageClass);
  const r = Fraction.of(READS[scenario][held.ageBand] ?? '');
  const requests = Fraction.of(held.objects).times(r).times(PER_1000);
  const readGb = gb(SOURCE, held.bytes).times(r);
  return sum([
    amount(requests, prices.figure(SOURCE, region, sheet, 'getPer1000')),
    amount(readGb, perGbOrNothing(region, sheet)),
    amount(readGb, prices.egressPerGb(SOURCE, region)),
  ]);
}

function targetReads(target: ProviderName, held: Held, scenario: Scenario): Amount {
  const r = Fraction.of(READS[scenario][held.ageBand] ?? '');
  const requests = Fraction.of(held.objects).times(r).times(PER_1000);
  const stored = gb(target, held.bytes);
  const paid = r.minus(prices.freeReads(target));
  return sum([
    amount(requests, prices.figure(target, '*', STANDARD, 'getPer1000')),
    amount(stored.times(r), prices.figure(target, '*', STANDARD, 'retrievalPerGb')),
    paid.isPositive() ? amount(stored.times(paid), prices.egressPerGb(target, '*')) : NOTHING,
  ]);
}

const LINES = [
  'egress',
  'sourceRequests',
  'retrieval',
  'earlyDeletion',
  'destinationRequests',
  'transition',
] as const;
export type Quote = Readonly<Record<(typeof LINES)[number], Amount>>;

const quoteOf = (line: (name: keyof Quote) => Amount): Quote =>
  Object.fromEntries(LINES.map((name) => [name, line(name)])) as Quote;

const NO_QUOTE = quoteOf(() => NOTHING);

export const quoteTotal = (quote: Quote): Amount => sum(Object.values(quote));

/** The cost of some objects in one placement: monthly in each scenario, and one-off. */
export interface Cost {
  readonly monthly: Readonly<Record<Scenario, Amount>>;
  readonly quote: Quote;
}

function monthlyOf(of: (scenario: Scenario) => Amount): Cost['monthly'] {
  return { none: of('none'), expected: of('expected'), heavy: of('heavy') };
}

export function stay(scan: ScanBytes, region: string, held: readonly Held[]): Cost {
  const kept = sum(held.map((part) => storage(scan, region, part)));
  const monthly = monthlyOf((scenario) =>
    sum([kept, ...held.map((part) => reads(region, part, scenario))]),
  );
  return { monthly, quote: NO_QUOTE };
}

/** The same objects in another class of the source. */
export function change(region: string, held: readonly Held[], storageClass: string): Cost {
  const changed = held.map((part) => ({ ...part, storageClass }));
  const rate = prices.figure(SOURCE, region, storageClass, 'storagePerGbMonth');
  const kept = sum(changed.map((part) => storageAt(region, part, rate)));
  const monthly = monthlyOf((scenario) =>
    sum([kept, ...changed.map((part) => reads(region, part, scenario))]),
  );
  const objects = held.reduce((total, part) => total + part.objects, 0);
  const per1000 = prices.figure(SOURCE, region, storageClass, 'transitionPer1000');
  const transition = amount(Fraction.of(objects).times(PER_1000), per1000);
  return { monthly, quote: { ...NO_QUOTE, transition } };
}

/** The same objects at another provider. */
export function move(
  scan: ScanBytes,
  region: string,
  held: readonly Held[],
  target: ProviderName,
): Cost {
  const rate = prices.figure(target, '*', STANDARD, 'storagePerGbMonth');
  const kept = sum(held.map((part) => amount(gb(target, part.bytes), rate)));
  const monthly = monthlyOf((scenario) =>
    sum([kept, ...held.map((part) => targetReads(target, part, scenario))]),
  );
  return { monthly, quote: quote(scan, region, held, target) };
}

function earlyDeletion(scan: ScanBytes, region: string, held: Held): Amount {
  const minDays = prices.figureOrNone(SOURCE, region, held.storageClass, 'minDays');
  if (minDays === null) return NOTHING;
  const days = prices.first(minDays).minus(Fraction.of(AGE_STARTS_DAYS[held.ageBand] ?? 0));
  if (!days.isPositive()) return NOTHING;
  const month = storage(scan, region, held);
  const usd = month.usd.times(days).dividedBy(Fraction.of(30));
  return { usd, uncertain: !usd.isZero() && (month.uncertain || minDays.uncertain) };
}

function quote(
  scan: ScanBytes,
  region: string,
  held: readonly Held[],
  target: ProviderName,
): Quote {
  const objects = held.reduce((total, part) => total + part.objects, 0);
  const bytes = held.reduce((total, part) => total + BigInt(part.bytes), 0n);
  const partRequests = held.reduce((total, part) => total + part.partRequests, 0);
  const listings = Fraction.of(Math.ceil(objects / 1000)).times(PER_1000);
  const thousands = (many: number): Fraction => Fraction.of(many).times(PER_1000);
  return {
    egress: prices.banded(prices.egressPerGb(SOURCE, region), gb(SOURCE, bytes)),
    sourceRequests: sum([
      ...held.map((part) =>
        amount(
          thousands(part.objects),
          prices.figure(SOURCE, region, part.storageClass, 'getPer1000'),
        ),
      ),
      amount(listings, prices.figure(SOURCE, region, STANDARD, 'putPer1000')),
    ]),
    retrieval: sum(
      held.map((part) => amount(gb(SOURCE, part.bytes), perGbOrNothing(region, part.storageClass))),
    ),
    earlyDeletion: sum(held.map((part) => earlyDeletion(scan, region, part))),
    destinationRequests: amount(
      thousands(objects + partRequests),
      prices.figure(target, '*', STANDARD, 'putPer1000'),
    ),
    transition: NOTHING,
  };
}

export function add(costs: readonly Cost[]): Cost {
  return {
    monthly: monthlyOf((scenario) => sum(costs.map(({ monthly }) => monthly[scenario]))),
    quote: quoteOf((name) => sum(costs.map(({ quote }) => quote[name]))),
  };
}

/** The cheapest over the horizon with the expected reads first. */
export const byTotal =
  (horizonMonths: number) =>
  (a: { readonly cost: Cost }, b: { readonly cost: Cost }): number =>
    total(a.cost, 'expected', horizonMonths).compare(total(b.cost, 'expected', horizonMonths));

/** Over the horizon, with the one-off cost. */
export function total(cost: Cost, scenario: Scenario, horizonMonths: number): Fraction {
  return cost.monthly[scenario].usd
    .times(Fraction.of(horizonMonths))
    .plus(quoteTotal(cost.quote).usd);
}

/** Monthly: the smaller of the savings without reads and with the expected reads. */
export function savings(staying: Cost, placed: Cost): Fraction {
  const at = (scenario: Scenario): Fraction =>
    staying.monthly[scenario].usd.minus(placed.monthly[scenario].usd);
  return at('none').min(at('expected'));
}
