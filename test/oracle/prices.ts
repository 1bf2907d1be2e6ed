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

export const SOURCE: ProviderName = 'aws';
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

/** A figure without bands, which is sure. */
export const flat = (usd: Fraction): Figure => ({
  bands: [{ uptoGb: null, usd }],
  uncertain: false,
});

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

/** The figure, each of its bands a multiple. */
export const multiple = ({ bands, uncertain }: Figure, factor: Fraction): Figure => ({
  bands: bands.map(({ uptoGb, usd }) => ({ uptoGb, usd: usd.times(factor) })),
  uncertain,
});

/** The figure's value where it has no bands, else its first band's. */
export function first({ bands: [band] }: Figure): Fraction {
  if (band === undefined) throw new Error('a figure without a value');
  return band.usd;
}

/** The cost of a number of GB, each band's share at its own rate. */
export function banded({ bands, uncertain }: Figure, gb: Fraction): Amount {
  let [usd, from] = [Fraction.ZERO, Fraction.ZERO];
  for (const { uptoGb, usd: rate } of bands) {
    const upTo = uptoGb === null ? gb : gb.min(uptoGb);
    if (from.isBelow(upTo)) usd = usd.plus(upTo.minus(from).times(rate));
    from = uptoGb ?? gb;
  }
  return { usd, uncertain: !usd.isZero() && uncertain };
}

/** Bytes in the provider's own GB. */
export function gb(provider: ProviderName, bytes: number | bigint): Fraction {
  return Fraction.of(bytes).dividedBy(Fraction.of(providers[provider].bytesPerGb));
}

/** So many in thousands, as requests are priced. */
export const thousands = (many: number): Fraction => Fraction.of(many).times(Fraction.of('0.001'));

function lookUp(
  provider: ProviderName,
  region: string,
  find: (region: RawRegion | undefined) => RawFigure | undefined,
  part?: string,
): Figure | null {
  const { regions, fallbackRegion } = providers[provider];
  const here = find(regions[region]);
  const raw = here ?? find(regions[fallbackRegion]);
  if (raw === undefined) return null;
  const isFallback = here === undefined && fallbackRegion !== '*';
  const value = part === undefined ? raw.value : (raw.value as Record<string, number>)[part];
  const bands = (Array.isArray(value) ? value : [{ uptoGb: null, usd: value }]) as readonly Band[];
  return {
    bands: bands.map(({ uptoGb, usd }, index) => ({
      uptoGb: uptoGb === null || index === bands.length - 1 ? null : Fraction.of(uptoGb),
      usd: Fraction.of(usd),
    })),
    uncertain: isFallback || raw.confidence !== 'high',
  };
}

/** Where objects are; a class of objects in a region of a provider. */
export interface Place {
  readonly provider: ProviderName;
  readonly region: string;
  readonly storageClass: string;
}

export const sourceAt = (region: string, storageClass: string): Place => ({
  provider: SOURCE,
  region,
  storageClass,
});
export const targetAt = (provider: ProviderName): Place => ({
  provider,
  region: '*',
  storageClass: 'STANDARD',
});

export const isArchived = ({ storageClass }: { readonly storageClass: string }): boolean =>
  ['GLACIER', 'DEEP_ARCHIVE'].includes(storageClass);

/** Whether the region or its fallback region lists the class. */
export function hasSheet({ provider, region, storageClass }: Place): boolean {
  const { regions, fallbackRegion } = providers[provider];
  return [region, fallbackRegion].some((name) => regions[name]?.classes[storageClass]);
}

/** A class's figure by its name in the file, null where there is none. `part` is a field of its value. */
export function figureOrNone(place: Place, name: string, part?: string): Figure | null {
  const { provider, region, storageClass } = place;
  return lookUp(provider, region, (raw) => raw?.classes[storageClass]?.[name], part);
}

/** As `figureOrNone()`. @throws where there is none. */
export function figure(place: Place, name: string): Figure {
  const found = figureOrNone(place, name);
  if (found === null) throw new Error(`no ${name} of ${place.storageClass} in ${place.region}`);
  return found;
}

/** Egress to the internet per GB. */
export function egressPerGb({ provider, region }: Place): Figure {
  const found = lookUp(provider, region, (raw) => raw?.egressPerGb);
  if (found === null) throw new Error(`no egress in ${region}`);
  return found;
}

/** Full reads per month without egress cost. */
export const freeReads = (provider: ProviderName): Fraction =>
  Fraction.of(providers[provider].egressFreeMultipleOfStorage);

/** The largest object that a provider stores, in bytes. */
export const maxObjectBytes = (provider: ProviderName): number =>
  providers[provider].maxObjectBytes.value;
