/** An amount in micro-dollars (10^-6 USD), always a whole number. */
export type MicroUsd = number & { readonly __unit: 'MicroUsd' };

/**
 * Half a micro-dollar is a tie in decimal but rarely in binary: 0.0000005 is stored slightly below
 * itself. A nudge of a few units in the last place puts such ties back; it is a thousand times
 * smaller than the distance of any other price from a tie.
 */
const TIE_NUDGE = 1 + 4 * Number.EPSILON;

/** Rounds an unrounded amount in USD to micro-dollars, half away from zero. */
export function toMicroUsd(usd: number): MicroUsd {
  const rounded = Math.round(Math.abs(usd) * 1e6 * TIE_NUDGE);
  return (usd < 0 && rounded > 0 ? -rounded : rounded) as MicroUsd;
}

/** Micro-dollars as a number of USD with at most six decimals. */
export function toUsd(micro: MicroUsd): number {
  return micro / 1e6;
}

/** A sum of micro-dollars, of any size, as the nearest number of USD. */
export function microToUsd(micro: bigint): number {
  const digits = (micro < 0n ? -micro : micro).toString().padStart(7, '0');
  const usd = Number(`${digits.slice(0, -6)}.${digits.slice(-6)}`);
  return micro < 0n ? -usd : usd;
}

/** An unrounded amount in USD as it is shown: rounded to micro-dollars. */
export function roundUsd(usd: number): number {
  return toUsd(toMicroUsd(usd));
}

/** Rounds to a number of decimals, half away from zero. */
export function roundTo(value: number, decimals: number): number {
  const scale = 10 ** decimals;
  const rounded = Math.round(Math.abs(value) * scale * TIE_NUDGE) / scale;
  return value < 0 && rounded > 0 ? -rounded : rounded;
}
