import { readFileSync } from 'node:fs';
import type { ProviderName } from '../../domain/provider/catalogue.ts';
import { Fraction } from './fraction.ts';

/** The raw figures of the price book's file. */

type Band = { readonly uptoGb: number | null; readonly usd: number };

interface RawFigure {
  readonly value: number | readonly Band[] | Readonly<Record<string, number>>;
  readonly confidence: string;
}

interface RawRegion {
  readonly classes: Readonly<Record<string, Readonly<Record<string, RawFigure>>>>;
  readonly egressPerGb?: RawFigure;
}

interface RawProvider {
  readonly bytesPerGb: number;
  readonly fallbackRegion: string;
  readonly egressFreeMultipleOfStorage: number;
  readonly maxObjectBytes: { readonly value: number };
  readonly regions: Readonly<Record<string, RawRegion>>;
}

/** What objects may move to, in the catalogue's order. */
export const TARGETS: readonly ProviderName[] = ['r2', 'b2'];

const { providers } = JSON.parse(
  readFileSync(new URL('../../data/price-book.json', import.meta.url), 'utf8'),
) as { readonly providers: Readonly<Record<ProviderName, RawProvider>> };

/** A figure of the book; uncertain where it comes from another region or is not of high confidence. */
export interface Figure {
  /** Each holds up to its bound in the provider's own GB, the last one without end. */
  readonly bands: readonly { readonly uptoGb: Fraction | null; readonly usd: Fraction }[];
  readonly uncertain: boolean;
}

/** An amount of money; uncertain where an uncertain figure adds to it. */
export interface Amount {
  readonly usd: Fraction;
  readonly uncertain: boolean;
}

export const NOTHING: Amount = { usd: Fraction.ZERO, uncertain: false };

export function sum(amounts: readonly Amount[]): Amount {
  return {
    usd: Fraction.sum(amounts.map(({ usd }) => usd)),
    uncertain: amounts.some(({ uncertain }) => uncertain),
  };
}

/** A quantity times the first band of each figure. An amount of zero is never uncertain. */
export function amount(quantity: Fraction, ...figures: readonly Figure[]): Amount {
  const usd = figures.reduce((product, figure) => product.times(first(figure)), quantity);
  return { usd, uncertain: !usd.isZero() && figures.some(({ uncertain }) => uncertain) };
}

/** The figure's value where it has no bands, else its first band's. */
export function first(figure: Figure): Fraction {
  const [band] = figure.bands;
  if (band === undefined) throw new Error('a figure without a value');
  return band.usd;
}

/** The cost of a number of GB, each band's share at its own rate. */
export function banded(figure: Figure, gb: Fraction): Amount {
  let usd = Fraction.ZERO;
  let from = Fraction.ZERO;
  for (const [index, band] of figure.bands.entries()) {
    const isLast = index === figure.bands.length - 1;
    const upTo = isLast || band.uptoGb === null ? gb : gb.min(band.uptoGb);
    if (upTo.compare(from) > 0) usd = usd.plus(upTo.minus(from).times(band.usd));
    from = isLast || band.uptoGb === null ? gb : band.uptoGb;
  }
  return { usd, uncertain: !usd.isZero() && figure.uncertain };
}

/** Bytes in the provider's own GB. */
export function gb(provider: ProviderName, bytes: number | bigint): Fraction {
  return Fraction.of(bytes).dividedBy(Fraction.of(providers[provider].bytesPerGb));
}

function own<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

function lookUp(
  provider: ProviderName,
  region: string,
  find: (region: RawRegion | undefined) => RawFigure | undefined,
  part?: string,
): Figure | null {
  const { regions, fallbackRegion } = providers[provider];
  const here = find(own(regions, region));
  const raw = here ?? find(own(regions, fallbackRegion));
  if (raw === undefined) return null;
  const isFallback = here === undefined && fallbackRegion !== '*';
  const value = part === undefined ? raw.value : (raw.value as Record<string, number>)[part];
  const bands: readonly Band[] = Array.isArray(value)
    ? (value as readonly Band[])
    : [{ uptoGb: null, usd: value as number }];
  return {
    bands: bands.map(({ uptoGb, usd }) => ({
      uptoGb: uptoGb === null ? null : Fraction.of(uptoGb),
      usd: Fraction.of(usd),
    })),
    uncertain: isFallback || raw.confidence !== 'high',
  };
}

/** Whether the region or its fallback region lists the class. */
export function hasSheet(provider: ProviderName, region: string, storageClass: string): boolean {
  const { regions, fallbackRegion } = providers[provider];
  return [region, fallbackRegion].some(
    (name) => own(own(regions, name)?.classes, storageClass) !== undefined,
  );
}

/** A class's figure by its name in the file, null where there is none. `part` is a field of its value. */
export function figureOrNone(
  provider: ProviderName,
  region: string,
  storageClass: string,
  name: string,
  part?: string,
): Figure | null {
  return lookUp(provider, region, (raw) => own(own(raw?.classes, storageClass), name), part);
}

/** As `figureOrNone()`. @throws where there is none. */
export function figure(
  provider: ProviderName,
  region: string,
  storageClass: string,
  name: string,
  part?: string,
): Figure {
  const found = figureOrNone(provider, region, storageClass, name, part);
  if (found === null) throw new Error(`no ${name} of ${storageClass} in ${region}`);
  return found;
}

/** Egress to the internet per GB. */
export function egressPerGb(provider: ProviderName, region: string): Figure {
  const found = lookUp(provider, region, (raw) => raw?.egressPerGb);
  if (found === null) throw new Error(`no egress in ${region}`);
  return found;
}

/** Full reads per month without egress cost. */
export function freeReads(provider: ProviderName): Fraction {
  return Fraction.of(providers[provider].egressFreeMultipleOfStorage);
}

/** The largest object that a provider stores, in bytes. */
export function maxObjectBytes(provider: ProviderName): number {
  return providers[provider].maxObjectBytes.value;
}
