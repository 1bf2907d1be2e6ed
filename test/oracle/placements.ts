import type { ProviderName } from '../../domain/providers/catalogue.ts';
import { arrivals, expiryDays, reaching, type Flow } from './flow.ts';
import { Fraction } from './fraction.ts';
import { AGE_STARTS_DAYS } from './inventory.ts';
import * as prices from './prices.ts';
import { amount, AWS, gb, NOTHING, STANDARD, sum, type Amount } from './prices.ts';
import { addQuotes, moveQuote, NO_QUOTE, quoteTotal, type Quote } from './quote.ts';
import { expectedReads, SCENARIOS, type Scenario } from './reads.ts';
import * as storage from './storage.ts';
import type { Bucket, Held, HeldGroup, Scan } from './storage.ts';

/** Section 4 of the pricing rules: what a placement costs a month in the four scenarios. */

const { ZERO } = Fraction;
const TWO = Fraction.of(2);

/** The objects among which all that is known to be read is read, by class. */
export type Pool = ReadonlyMap<string, { readonly objects: number; readonly bytes: bigint }>;

export function poolOf(groups: readonly Held[]): Pool {
  const pool = new Map<string, { objects: number; bytes: bigint }>();
  for (const { storageClass, objects, bytes } of groups) {
    const before = pool.get(storageClass) ?? { objects: 0, bytes: 0n };
    const sums = { objects: before.objects + objects, bytes: before.bytes + BigInt(bytes) };
    pool.set(storageClass, sums);
  }
  return pool;
}

/** q and v: how often an object is requested a month, and its bytes are read. */
interface Times {
  readonly requests: Fraction;
  readonly bytes: Fraction;
}

const M: Readonly<Record<'none' | 'expected', readonly [assumed: Fraction, known: Fraction]>> = {
  none: [ZERO, Fraction.of('0.5')],
  expected: [Fraction.of(1), Fraction.of(1)],
};

function timesOf(held: Held, pool: Pool, scenario: Scenario): Times {
  const { reads, storageClass } = held;
  if (scenario === 'none' || scenario === 'expected') {
    const [assumed, known] = M[scenario];
    const times = expectedReads(held).times(reads.mostOf === null ? assumed : known);
    const { gets, bytes } = reads.multiplesOf(storageClass);
    return { requests: times.times(gets), bytes: times.times(bytes) };
  }
  if (reads.mostOf === null) return { requests: TWO, bytes: TWO };
  const most = reads.mostOf(storageClass);
  const { objects, bytes } = pool.get(storageClass) ?? { objects: 0, bytes: 0n };
  const ratio = (part: Fraction, whole: Fraction) =>
    whole.isPositive() ? TWO.times(part).dividedBy(whole) : ZERO;
  return {
    requests: ratio(most.gets, Fraction.of(objects)),
    bytes: ratio(most.gb, gb(held.provider, bytes)),
  };
}

/** Bytes that leave a store to the internet so often a month. */
function leaving(scan: Scan, held: Held, place: prices.Place, times: Fraction): Amount {
  const stored = gb(place.provider, held.bytes);
  const { paidPerGb } = held.reads;
  if (place.provider === scan.source && paidPerGb !== null)
    return amount(stored.times(times), prices.flat(paidPerGb));
  const paid = times.minus(prices.freeReads(place.provider));
  const rate = storage.own(scan, place, 'egress', prices.egressPerGb(place));
  return paid.isPositive() ? amount(stored.times(paid), rate) : NOTHING;
}

/** The reads of a month at a place: at the source χ of the bytes leave, at a target all. */
function reads(
  scan: Scan,
  held: Held,
  place: prices.Place,
  pool: Pool,
  scenario: Scenario,
): Amount {
  if (prices.isArchived(place)) return NOTHING;
  const { requests, bytes } = timesOf(held, pool, scenario);
  const isSource = place.provider === scan.source;
  const share = isSource ? held.reads.shares[scenario].internet : Fraction.of(1);
  const get = storage.own(scan, place, 'get', prices.perRequest(place, 'get'));
  const retrieval = storage.own(scan, place, 'retrieval', prices.retrievalPerGb(place));
  return sum([
    amount(Fraction.of(held.objects).times(requests), get),
    amount(gb(place.provider, held.bytes).times(bytes), retrieval),
    leaving(scan, held, place, bytes.times(share)),
  ]);
}

/** What one placement of some objects costs: monthly in each scenario, and once. */
export interface Cost {
  readonly monthly: Readonly<Record<Scenario, Amount>>;
  /** As it is shown: without reads and writes that nobody knows. */
  readonly shown: Amount;
  readonly quote: Quote;
  /** Over the horizon, with the one-off cost. */
  readonly total: Readonly<Record<Scenario, Fraction>>;
}

/** Of each scenario, computed when it is asked for. */
export function ofEach<T>(of: (scenario: Scenario) => T): Readonly<Record<Scenario, T>> {
  const found: Partial<Record<Scenario, T>> = {};
  const at = (scenario: Scenario): T => (found[scenario] ??= of(scenario));
  return {
    get none() {
      return at('none');
    },
    get expected() {
      return at('expected');
    },
    get heavy() {
      return at('heavy');
    },
    get inside() {
      return at('inside');
    },
  };
}

export function costOf(
  scan: Scan,
  of: (scenario: Scenario) => Amount,
  shown: Amount,
  quote: Quote = NO_QUOTE,
): Cost {
  const monthly = ofEach(of);
  const { usd: once } = quoteTotal(quote);
  const total = ofEach((at) => monthly[at].usd.times(scan.horizonMonths).plus(once));
  return { monthly, shown, quote, total };
}

export const addCosts = (scan: Scan, costs: readonly Cost[]): Cost =>
  costOf(
    scan,
    (at) => sum(costs.map(({ monthly }) => monthly[at])),
    sum(costs.map(({ shown }) => shown)),
    addQuotes(costs.map(({ quote }) => quote)),
  );

/** Storage, and what each part's reads add to it. */
function costOfParts(
  scan: Scan,
  kept: readonly Amount[],
  parts: readonly { readonly held: Held; readonly reads: (at: Scenario) => Amount }[],
  quote?: Quote,
): Cost {
  const known = parts.filter(({ held }) => held.reads.mostOf !== null);
  return costOf(
    scan,
    (at) => sum([...kept, ...parts.map((part) => part.reads(at))]),
    sum([...kept, ...known.map((part) => part.reads('expected'))]),
    quote,
  );
}

export const stay = (scan: Scan, groups: readonly Held[], pool: Pool = poolOf(groups)): Cost =>
  costOfParts(
    scan,
    groups.map((group) => storage.storage(scan, group)),
    groups.map((held) => ({
      held,
      reads: (at) => reads(scan, held, storage.sheetOf(held), pool, at),
    })),
  );

/** Section 4: the present cost of a bucket, its reads where they are known. */
export const current = (
  scan: Scan,
  { region, groups, oldVersions, incompleteUploads }: Bucket,
): Fraction =>
  Fraction.sum([
    stay(scan, groups).shown.usd,
    ...oldVersions.map((one) => storage.storage(scan, one).usd),
    storage.partsStorage(scan, region, incompleteUploads.bytes).usd,
  ]);

/** Where objects would be at another store. */
const targetAt = (scan: Scan, provider: ProviderName): prices.Place => ({
  provider,
  region: scan.regionOf(provider),
  storageClass: STANDARD,
});

/** The objects of one region at another provider; so many GB leave the source for nothing. */
export function move(
  scan: Scan,
  groups: readonly HeldGroup[],
  target: ProviderName,
  { pool = poolOf(groups), freeGb = scan.freeGb } = {},
): Cost {
  const place = targetAt(scan, target);
  const rate = storage.newRate(scan, place);
  const ofGroup = (held: HeldGroup) => (at: Scenario) => {
    const { inside, written } = held.reads.shares[at];
    const stored = gb(AWS, held.bytes);
    const arriving = gb(AWS, arrivals([held]).bytes);
    const { bytes } = timesOf(held, pool, at);
    const source = { ...held, storageClass: STANDARD };
    const egress = storage.own(scan, source, 'egress', prices.egressPerGb(source));
    return sum([
      reads(scan, held, place, pool, at),
      amount(stored.times(bytes).times(inside), prices.flat(prices.insideReadPerGb())),
      amount(arriving.times(written), egress),
    ]);
  };
  return costOfParts(
    scan,
    groups.map((held) => storage.storageAt(scan, place, held, rate)),
    groups.map((held) => ({ held, reads: ofGroup(held) })),
    moveQuote(scan, groups, place, freeGb),
  );
}

/** The objects that would be read more often than a provider's terms allow, in some scenario. */
export function refused(
  groups: readonly HeldGroup[],
  target: ProviderName,
  poolFor: (group: HeldGroup) => Pool,
): readonly HeldGroup[] {
  if (!prices.refusesMore(target)) return [];
  const most = prices.freeReads(target);
  return groups.filter((group) =>
    SCENARIOS.some((at) => most.isBelow(timesOf(group, poolFor(group), at).bytes)),
  );
}

/** A group's objects of 128 KiB and more. */
export function largeOf(group: HeldGroup): HeldGroup {
  return {
    ...group,
    objects: group.objects - group.smallObjects,
    bytes: group.bytes - group.smallBytes,
    smallObjects: 0,
    smallBytes: 0,
    undersized: (group.undersized ?? [])
      .filter(({ minBytes }) => minBytes > 131_072)
      .map(({ minBytes, ...below }) => ({
        minBytes,
        objects: below.objects - group.smallObjects,
        bytes: below.bytes - group.smallBytes,
      })),
  };
}

/** What is known of a change of a group's large objects to another class. */
export interface Change {
  readonly large: HeldGroup;
  readonly toClass: string;
  /** F, by the start of the group's band. */
  readonly flow: Flow;
  /** L, in days; null is infinite. */
  readonly leftDays: Fraction | null;
}

/** Null where what would change is deleted before. */
export function changeTo(bucket: Bucket, large: HeldGroup, toClass: string): Change | null {
  const expiry = expiryDays(bucket, large.prefix);
  const leftDays = expiry && expiry.minus(Fraction.of(AGE_STARTS_DAYS[large.ageBand] ?? 0));
  if (leftDays !== null && !leftDays.isPositive()) return null;
  return { large, toClass, flow: reaching(bucket, large), leftDays };
}

const placeOf = ({ large: { provider, region }, toClass }: Change): prices.Place => ({
  provider,
  region,
  storageClass: toClass,
});

/** Months in INTELLIGENT_TIERING. */
function monthsThere({ large: { ageBand }, leftDays }: Change): Fraction {
  const most = Fraction.of(ageBand === 1 ? 2 : 12);
  return leftDays === null ? most : most.min(leftDays.dividedBy(Fraction.of(30)));
}

const ONE = Fraction.of(1);
const positive = (value: Fraction) => (value.isPositive() ? value : ZERO);

/** One month frequent, two infrequent, then archive-instant, save what a read brings back. */
function tieredMonth(scan: Scan, change: Change, requests: Fraction): Amount {
  const { large } = change;
  const place = placeOf(change);
  const rate = (tier: keyof typeof prices.TIERS) => storage.tierRate(scan, place, tier);
  const [fa, ia, aia] = [rate('frequent'), rate('infrequent'), rate('archiveInstant')];
  const t = monthsThere(change);
  const f = ONE.min(requests);
  const g = ONE.min(requests.times(Fraction.of(3)));
  const stored = gb(large.provider, large.bytes).dividedBy(t);
  const later = positive(t.minus(ONE)).min(TWO);
  const last = positive(t.minus(Fraction.of(3)));
  return sum([
    amount(stored.times(t.min(ONE)), fa),
    amount(stored.times(later).times(f), fa),
    amount(stored.times(later).times(ONE.minus(f)), ia),
    amount(stored.times(last).times(f), fa),
    amount(stored.times(last).times(g.minus(f)), ia),
    amount(stored.times(last).times(ONE.minus(g)), aia),
    amount(Fraction.of(large.objects), storage.monitoring(scan, place)),
  ]);
}

/** What recurs: transitions of what reaches the age, and its early deletion by an expiration. */
function recurring(scan: Scan, change: Change): Amount {
  const { flow, leftDays, large } = change;
  const place = placeOf(change);
  const transitions = amount(flow.objects, storage.transition(scan, place));
  if (leftDays === null || change.toClass === storage.INTELLIGENT_TIERING) return transitions;
  const minDays = prices.minimumDays(place);
  const days = positive(prices.first(minDays).minus(leftDays));
  const stored = flow.bytes.times(gb(large.provider, 1));
  const share = days.dividedBy(Fraction.of(30));
  return sum([transitions, amount(stored.times(share), storage.newRate(scan, place))]);
}

/** The same objects in another class. Only the first band of a change pays for what reaches it. */
export function changed(scan: Scan, change: Change, pool: Pool, { paysFlow = true } = {}): Cost {
  const { large, toClass } = change;
  const place = placeOf(change);
  const isTiered = toClass === storage.INTELLIGENT_TIERING;
  const kept = isTiered
    ? []
    : [storage.storageAt(scan, place, large, storage.newRate(scan, place))];
  const tiered = (at: Scenario) =>
    isTiered ? tieredMonth(scan, change, timesOf(large, pool, at).requests) : NOTHING;
  const month = (at: Scenario) => sum([tiered(at), reads(scan, large, place, pool, at)]);
  const flow = paysFlow ? [recurring(scan, change)] : [];
  const transition = amount(Fraction.of(large.objects), storage.transition(scan, place));
  const isKnown = large.reads.mostOf !== null;
  const shown = isKnown ? month('expected') : tiered('expected');
  return costOf(scan, (at) => sum([...kept, ...flow, month(at)]), sum([...kept, shown]), {
    ...NO_QUOTE,
    transition,
  });
}

/** What INTELLIGENT_TIERING may lose at most: its fees. */
export function feesOf(scan: Scan, change: Change): Fraction {
  const place = placeOf(change);
  const transition = prices.first(storage.transition(scan, place));
  const monitoring = prices.first(storage.monitoring(scan, place));
  const objects = Fraction.of(change.large.objects);
  const monthly = change.flow.objects.times(transition).plus(objects.times(monitoring));
  return objects.times(transition).plus(monthly.times(scan.horizonMonths));
}

/** The cheapest over the horizon with the expected reads first. */
export const byTotal = (a: { readonly cost: Cost }, b: { readonly cost: Cost }): number =>
  a.cost.total.expected.compare(b.cost.total.expected);

/** Whether it costs less over the horizon in each of these scenarios. */
export const isBelowIn = (a: Cost, b: Cost, scenarios: readonly Scenario[]): boolean =>
  scenarios.every((at) => a.total[at].isBelow(b.total[at]));

/** Monthly, in full: the smaller of what is saved at `none` and at `expected`. */
export function savings(staying: Cost, placed: Cost): Fraction {
  const at = (scenario: Scenario) =>
    staying.monthly[scenario].usd.minus(placed.monthly[scenario].usd);
  return at('none').min(at('expected'));
}

/** Months until something is paid back; null where nothing is saved. */
export const breakEven = (paid: Fraction, saved: Fraction): number | null =>
  saved.isPositive() ? paid.dividedBy(saved).toTenthsUp() : null;
