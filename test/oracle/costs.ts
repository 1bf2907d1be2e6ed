import type { ProviderName } from '../../domain/provider/catalogue.ts';
import { Fraction } from './fraction.ts';
import { AGE_STARTS_DAYS } from './inventory.ts';
import * as prices from './prices.ts';
import { amount, gb, NOTHING, sum, thousands, type Amount } from './prices.ts';
import { ASSUMED, expectedReads } from './reads.ts';
import {
  figure,
  own,
  sheetOf,
  STANDARD,
  storage,
  storageAt,
  type Held,
  type Scan,
} from './storage.ts';

/** Sections 3 to 5 of the pricing rules: the cost of reads and of placements, and how sure they are. */

export const SCENARIOS = ['none', 'expected', 'heavy'] as const;
export type Scenario = (typeof SCENARIOS)[number];
const NO_RETRIEVAL = prices.flat(Fraction.ZERO);

const retrievalPerGb = (scan: Scan, place: prices.Place) =>
  own(scan, place, 'retrievalPerGb', prices.figureOrNone(place, 'retrievalPerGb') ?? NO_RETRIEVAL);

const egressPerGb = (scan: Scan, place: prices.Place) =>
  own(scan, place, 'egressPerGb', prices.egressPerGb(place));

/** Monthly cost of a scenario's reads at a place. */
function reads(scan: Scan, held: Held, place: prices.Place, scenario: Scenario): Amount {
  if (prices.isArchived(place)) return NOTHING;
  const { reads: known = ASSUMED } = held;
  const times = expectedReads(held).times(known.scenarios[scenario]);
  const stored = gb(place.provider, held.bytes);
  // Every read leaves a target; at the source only those that go to the internet are paid for.
  const leaving = times.times(place.provider === scan.source ? known.internet : known.bytes);
  const paid = leaving.minus(prices.freeReads(place.provider));
  const gets = thousands(held.objects).times(times).times(known.gets);
  return sum([
    amount(gets, figure(scan, place, 'getPer1000')),
    amount(stored.times(times).times(known.bytes), retrievalPerGb(scan, place)),
    paid.isPositive() ? amount(stored.times(paid), egressPerGb(scan, place)) : NOTHING,
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

export const NO_QUOTE = quoteOf(() => NOTHING);

export const quoteTotal = (quote: Quote): Amount => sum(Object.values(quote));

/** The cost of some objects in one placement: monthly in each scenario, and one-off. */
export interface Cost {
  readonly monthly: Readonly<Record<Scenario, Amount>>;
  readonly quote: Quote;
  /** Over the horizon, with the one-off cost. */
  readonly total: Readonly<Record<Scenario, Fraction>>;
}

const ofEach = <T>(of: (scenario: Scenario) => T) => ({
  none: of('none'),
  expected: of('expected'),
  heavy: of('heavy'),
});

export function costOf(scan: Scan, of: (scenario: Scenario) => Amount, quote: Quote): Cost {
  const monthly = ofEach(of);
  const { usd: once } = quoteTotal(quote);
  const total = ofEach((at) => monthly[at].usd.times(scan.horizonMonths).plus(once));
  return { monthly, quote, total };
}

export function stay(scan: Scan, held: readonly Held[]): Cost {
  const kept = held.map((part) => storage(scan, part));
  const read = (at: Scenario) => held.map((part) => reads(scan, part, sheetOf(part), at));
  return costOf(scan, (at) => sum([...kept, ...read(at)]), NO_QUOTE);
}

/** The same objects in another class of the source. */
export function change(scan: Scan, held: readonly Held[], storageClass: string): Cost {
  const placed = held.map((part) => {
    const { provider, region } = part;
    const place = { provider, region, storageClass };
    const kept = storageAt(scan, place, part, figure(scan, place, 'storagePerGbMonth'));
    const moved = amount(thousands(part.objects), figure(scan, place, 'transitionPer1000'));
    return { part, place, kept, moved };
  });
  const month = (at: Scenario) =>
    sum(placed.flatMap(({ part, place, kept }) => [kept, reads(scan, part, place, at)]));
  const transition = sum(placed.map(({ moved }) => moved));
  return costOf(scan, month, { ...NO_QUOTE, transition });
}

/** Where objects would be at another store. */
const targetAt = (scan: Scan, provider: ProviderName): prices.Place => ({
  provider,
  region: scan.regionOf(provider),
  storageClass: STANDARD,
});

/** The same objects, of one region, at another provider; so many GB leave the source for nothing. */
export function move(
  scan: Scan,
  held: readonly Held[],
  target: ProviderName,
  freeGb = scan.freeGb,
): Cost {
  const place = targetAt(scan, target);
  const rate = figure(scan, place, 'storagePerGbMonth');
  const month = (at: Scenario) =>
    sum(held.flatMap((part) => [storageAt(scan, place, part, rate), reads(scan, part, place, at)]));
  return costOf(scan, month, quote(scan, held, place, freeGb));
}

/** The objects that would be read more often than a provider's terms allow. */
export function refused(held: readonly Held[], target: ProviderName): readonly Held[] {
  if (!prices.refusesMore(target)) return [];
  const most = prices.freeReads(target);
  return held.filter((part) => {
    const { reads: known = ASSUMED } = part;
    const times = expectedReads(part).times(known.bytes);
    return SCENARIOS.some((at) => most.isBelow(times.times(known.scenarios[at])));
  });
}

function earlyDeletion(scan: Scan, held: Held): Amount {
  const minDays = prices.figureOrNone(held, 'minDays');
  if (minDays === null) return NOTHING;
  const days = prices.first(minDays).minus(Fraction.of(AGE_STARTS_DAYS[held.ageBand] ?? 0));
  if (!days.isPositive()) return NOTHING;
  const month = storage(scan, held);
  const usd = month.usd.times(days).dividedBy(Fraction.of(30));
  return { usd, uncertain: !usd.isZero() && (month.uncertain || minDays.uncertain) };
}

/** What is left of a number of GB after those that cost nothing. */
const beyond = (stored: Fraction, freeGb: Fraction): Fraction =>
  freeGb.isBelow(stored) ? stored.minus(freeGb) : Fraction.ZERO;

function quote(scan: Scan, held: readonly Held[], target: prices.Place, freeGb: Fraction): Quote {
  const total = (count: (part: Held) => number) =>
    held.reduce((sum, part) => sum + BigInt(count(part)), 0n);
  const objects = Number(total((part) => part.objects));
  const written = objects + Number(total((part) => part.partRequests));
  const listings = thousands(Math.ceil(objects / 1000));
  const { source: provider } = scan;
  const source = { provider, region: held[0]?.region ?? '', storageClass: STANDARD };
  const listing = prices.figureOrNone(source, 'listPer1000') ? 'listPer1000' : 'putPer1000';
  const stored = gb(
    provider,
    total(({ bytes }) => bytes),
  );
  return {
    egress: prices.banded(egressPerGb(scan, source), beyond(stored, freeGb)),
    sourceRequests: sum([
      ...held.map((part) => amount(thousands(part.objects), figure(scan, part, 'getPer1000'))),
      amount(listings, figure(scan, source, listing)),
    ]),
    retrieval: sum(
      held.map((part) => amount(gb(provider, part.bytes), retrievalPerGb(scan, part))),
    ),
    earlyDeletion: sum(held.map((part) => earlyDeletion(scan, part))),
    destinationRequests: amount(thousands(written), figure(scan, target, 'putPer1000')),
    transition: NOTHING,
  };
}

export const add = (scan: Scan, costs: readonly Cost[]): Cost =>
  costOf(
    scan,
    (at) => sum(costs.map(({ monthly }) => monthly[at])),
    quoteOf((name) => sum(costs.map(({ quote }) => quote[name]))),
  );

/** The cheapest over the horizon with the expected reads first. */
export const byTotal = (a: { readonly cost: Cost }, b: { readonly cost: Cost }): number =>
  a.cost.total.expected.compare(b.cost.total.expected);

/** Whether it costs less over the horizon, however much is read. */
export const isAlwaysBelow = (a: Cost, b: Cost): boolean =>
  SCENARIOS.every((at) => a.total[at].isBelow(b.total[at]));

/** Monthly: the smaller of the savings without reads and with the expected reads. */
export function savings(staying: Cost, placed: Cost): Fraction {
  const at = (scenario: Scenario) =>
    staying.monthly[scenario].usd.minus(placed.monthly[scenario].usd);
  return at('none').min(at('expected'));
}

/** Months until something is paid back; null where nothing is saved. */
export const breakEven = (paid: Fraction, saved: Fraction): number | null =>
  saved.isPositive() ? paid.dividedBy(saved).toTenthsUp() : null;

/**
 * Section 4, rule 7, in tenths. `all` are the costs that the answer is held against; staying's own
 * figures are the answer's too, since its savings are measured from there.
 */
export function confidenceTenths(
  scan: Scan,
  answer: Cost,
  staying: Cost,
  all: readonly Cost[],
): number {
  const isCheapest = (at: Scenario) =>
    all.every((other) => !other.total[at].isBelow(answer.total[at]));
  const figures = SCENARIOS.flatMap((at) => [staying.monthly[at], answer.monthly[at]]);
  return lessUncertainty(
    scan,
    [3, 5, 7, 9][SCENARIOS.filter(isCheapest).length] ?? 0,
    sum([quoteTotal(answer.quote), ...figures]).uncertain,
  );
}

/** Less 0.2 where figures are uncertain, and once more where the bill says that much was not listed. */
export function lessUncertainty(scan: Scan, tenths: number, isUncertain: boolean): number {
  const times = Number(isUncertain) + Number(scan.isLittleExplained);
  return Math.max(1, tenths - 2 * times);
}
