import type { Bands } from '../pricing/price-sheet.ts';

/** The price of a quantity by cumulative bands; the last band has no end. */
export function bandedUsd(bands: Bands, gb: number): number {
  let usd = 0;
  let from = 0;
  for (const [index, band] of bands.entries()) {
    const isLast = index === bands.length - 1;
    const end = isLast || band.uptoGb === null ? gb : Math.min(gb, band.uptoGb);
    if (end <= from) break;
    usd += (end - from) * band.usd;
    from = end;
  }
  return usd;
}

/** The one rate at which `rawBytes` cost as much as by their bands, so that parts add up to the bill. */
export function blendedPerGb(bands: Bands, rawBytes: number, bytesPerGb: number): number {
  const [first] = bands;
  const gb = rawBytes / bytesPerGb;
  if (bands.length === 1 || first.uptoGb === null || gb <= first.uptoGb) return first.usd;
  return bandedUsd(bands, gb) / gb;
}
