import { invalidArgument } from './errors.ts';

const DECIMALS = 6;

/**
 * Formats a US-dollar amount with exactly six decimals: `0.09024` → `"0.090240"`.
 *
 * The number is read as its shortest decimal form, as in JSON, not as its binary fraction, and is
 * rounded half away from zero, as the service rounds. `toFixed(6)` does neither: it gives
 * `"0.000000"` for 0.0000005, and an exponent from 10^21 on. The result never has an exponent and
 * is never `"-0.000000"`.
 *
 * @throws StorageRoutingError `invalid_argument` if the amount is not a finite number.
 */
export function formatUsd(amountUsd: number): string {
  if (!Number.isFinite(amountUsd)) throw invalidArgument('an amount must be a finite number');
  const microUsd = roundedMicroUsd(Math.abs(amountUsd));
  const digits = microUsd.toString().padStart(DECIMALS + 1, '0');
  const sign = amountUsd < 0 && microUsd > 0n ? '-' : '';
  return `${sign}${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`;
}

/**
 * An answer with `…UsdFixed` for each `…Usd`: the same amount with exactly six decimals, null if it
 * is null.
 */
export type WithFixedUsd<T> = T extends readonly (infer Item)[]
  ? WithFixedUsd<Item>[]
  : T extends object
    ? { [Name in keyof T]: WithFixedUsd<T[Name]> } & {
        [Name in keyof T & `${string}Usd` as `${Name}Fixed`]: FixedUsd<T[Name]>;
      }
    : T;

type FixedUsd<Amount> = Amount extends number ? string : Amount;

/**
 * A copy of an answer in which every amount, at any depth, has a fixed-point string as well:
 * `monthlyCostUsd: 0.09` adds `monthlyCostUsdFixed: "0.090000"`. Not computed by default, because a
 * scan's answer has thousands of amounts.
 *
 * @throws StorageRoutingError `invalid_argument` if an amount is not a finite number.
 */
export function withFixedUsd<T>(answer: T): WithFixedUsd<T> {
  return copyWithFixed(answer) as WithFixedUsd<T>;
}

function copyWithFixed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyWithFixed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => withFixedField(name, field)),
  );
}

function withFixedField(name: string, field: unknown): [string, unknown][] {
  const itself: [string, unknown] = [name, copyWithFixed(field)];
  if (!name.endsWith('Usd') || (typeof field !== 'number' && field !== null)) return [itself];
  return [itself, [`${name}Fixed`, field === null ? null : formatUsd(field)]];
}

/** The amount in micro-dollars, rounded half up. The amount is not negative. */
function roundedMicroUsd(amountUsd: number): bigint {
  // ECMAScript's Number::toString: the shortest digits that give the same number.
  const [mantissa = '0', exponent = '0'] = String(amountUsd).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const digits = BigInt(whole + fraction);
  const power = Number(exponent) - fraction.length + DECIMALS;
  if (power >= 0) return digits * 10n ** BigInt(power);
  const divisor = 10n ** BigInt(-power);
  return (2n * digits + divisor) / (2n * divisor);
}
