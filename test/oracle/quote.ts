import type { Count } from '../../domain/inventory/inventory.ts';
import { Fraction } from './fraction.ts';
import { AGE_STARTS_DAYS } from './inventory.ts';
import * as prices from './prices.ts';
import { amount, gb, NOTHING, STANDARD, sum, type Amount } from './prices.ts';
import { earlyDeletion, own, type Held, type Scan } from './storage.ts';

/** Section 7 of the pricing rules: what a change costs once. */

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
export const addQuotes = (quotes: readonly Quote[]): Quote =>
  quoteOf((name) => sum(quotes.map((quote) => quote[name])));

export const bytesOf = (parts: readonly Count[]): bigint =>
  parts.reduce((total, { bytes }) => total + BigInt(bytes), 0n);

/** What of a number of GB is beyond those that cost nothing. */
const beyond = (stored: Fraction, freeGb: Fraction): Fraction =>
  freeGb.isBelow(stored) ? stored.minus(freeGb) : Fraction.ZERO;

/** A move of objects of one region to a target; so many GB leave the source for nothing. */
export function moveQuote(
  scan: Scan,
  held: readonly Held[],
  target: prices.Place,
  freeGb: Fraction,
): Quote {
  const { source: provider } = scan;
  const source = { provider, region: held[0]?.region ?? '', storageClass: STANDARD };
  const objects = held.reduce((total, part) => total + part.objects, 0);
  const written = held.reduce((total, part) => total + part.partRequests, objects);
  const listings = Fraction.of(Math.ceil(objects / 1000));
  const egress = own(scan, source, 'egress', prices.egressPerGb(source));
  const get = (part: Held) => own(scan, part, 'get', prices.perRequest(part, 'get'));
  const retrieval = (part: Held) => own(scan, part, 'retrieval', prices.retrievalPerGb(part));
  const starts = AGE_STARTS_DAYS;
  return {
    egress: prices.banded(egress, beyond(gb(provider, bytesOf(held)), freeGb)),
    sourceRequests: sum([
      ...held.map((part) => amount(Fraction.of(part.objects), get(part))),
      amount(listings, own(scan, source, 'put', prices.perRequest(source, 'list'))),
    ]),
    retrieval: sum(held.map((part) => amount(gb(provider, part.bytes), retrieval(part)))),
    earlyDeletion: sum(held.map((part) => earlyDeletion(scan, part, starts[part.ageBand] ?? 0))),
    destinationRequests: amount(Fraction.of(written), prices.perRequest(target, 'put')),
    transition: NOTHING,
  };
}
