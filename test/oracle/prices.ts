import { readFileSync } from 'node:fs';
import type { ProviderName } from '../../domain/catalogue.ts';
import { Fraction } from './fraction.ts';

/** The facts of the price book, read as they lie in the file. */

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
  readonly regions: Readonly<Record<string, RawRegion>>;
}

const { providers } = JSON.parse(
  readFileSync(new URL('../../data/price-book.json', import.meta.url), 'utf8'),
) as { readonly providers: Readonly<Record<ProviderName, RawProvider>> };

/** A figure of the book. Doubtful is one that another region lent, or that is not surely known. */
export interface Figure {
  /** Each holds up to its bound in the provider's own GB, the last one without end. */
  readonly bands: readonly { readonly uptoGb: Fraction | null; readonly usd: Fraction }[];
  readonly doubtful: boolean;
}

/** An amount of money, and whether a doubtful figure has a part in it. */
export interface Amount {
  readonly usd: Fraction;
  readonly doubtful: boolean;
}

export const NOTHING: Amount = { usd: Fraction.ZERO, doubtful: false };

export function sum(amounts: readonly Amount[]): Amount {
  return {
    usd: Fraction.sum(amounts.map(({ usd }) => usd)),
    doubtful: amounts.some(({ doubtful }) => doubtful),
  };
}

/** A quantity times the first band of each figure. What comes to nothing is never doubtful. */
export function amount(quantity: Fraction, ...figures: readonly Figure[]): Amount {
  const usd = figures.reduce((product, figure) => product.times(first(figure)), quantity);
  return { usd, doubtful: !usd.isZero() && figures.some(({ doubtful }) => doubtful) };
}

/** The figure's value where it has no bands, else its first band's. */
export function first(figure: Figure): Fraction {
  const [band] = figure.bands;
  if (band === undefined) throw new Error('a figure without a value');
  return band.usd;
}

/** What so many GB cost, each band's share at its own rate. */
export function banded(figure: Figure, gb: Fraction): Amount {
  let usd = Fraction.ZERO;
  let from = Fraction.ZERO;
  for (const [index, band] of figure.bands.entries()) {
    const isLast = index === figure.bands.length - 1;
    const upTo = isLast || band.uptoGb === null ? gb : gb.min(band.uptoGb);
    if (upTo.compare(from) > 0) usd = usd.plus(upTo.minus(from).times(band.usd));
    from = isLast || band.uptoGb === null ? gb : band.uptoGb;
  }
  return { usd, doubtful: !usd.isZero() && figure.doubtful };
}

/** So many bytes in the provider's own GB. */
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
  const lent = here === undefined && fallbackRegion !== '*';
  const value = part === undefined ? raw.value : (raw.value as Record<string, number>)[part];
  const bands: readonly Band[] = Array.isArray(value)
    ? (value as readonly Band[])
    : [{ uptoGb: null, usd: value as number }];
  return {
    bands: bands.map(({ uptoGb, usd }) => ({
      uptoGb: uptoGb === null ? null : Fraction.of(uptoGb),
      usd: Fraction.of(usd),
    })),
    doubtful: lent || raw.confidence !== 'high',
  };
}

/** Whether the region, or the one that lends it figures, lists the class. */
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

/** What leaving the provider's region for the internet costs per GB. */
export function egressPerGb(provider: ProviderName, region: string): Figure {
  const found = lookUp(provider, region, (raw) => raw?.egressPerGb);
  if (found === null) throw new Error(`no egress in ${region}`);
  return found;
}

/** How often what is stored may be read in a month before egress costs. */
export function freeReads(provider: ProviderName): Fraction {
  return Fraction.of(providers[provider].egressFreeMultipleOfStorage);
}
