/** Most fractions are small: to look for a common divisor takes longer than to go on with them. */
const LARGE = 1n << 512n;

/** An exact rational number. The denominator is positive; the two may have a common divisor. */
export class Fraction {
  static readonly ZERO = new Fraction(0n, 1n);
  /** The decimals that were read, by their text: prices recur, and whole numbers do not. */
  static readonly #read = new Map<string, Fraction>();
  readonly numerator: bigint;
  readonly denominator: bigint;

  private constructor(numerator: bigint, denominator: bigint) {
    let divisor = 1n;
    if (denominator > LARGE) {
      let rest = denominator;
      divisor = numerator < 0n ? -numerator : numerator;
      while (rest !== 0n) [divisor, rest] = [rest, divisor % rest];
    }
    this.numerator = numerator / divisor;
    this.denominator = denominator / divisor;
  }

  /**
   * A whole number, or a decimal as it is written: of a number that is its shortest text, which is
   * what stood in the file that it was read from. @throws where the text is no plain decimal.
   */
  static of(value: bigint | number | string): Fraction {
    if (typeof value === 'bigint' || Number.isSafeInteger(value))
      return new Fraction(BigInt(value), 1n);
    const text = String(value);
    const known = Fraction.#read.get(text);
    if (known) return known;
    const match = /^(-?\d+)(?:\.(\d+))?$/.exec(text);
    if (match === null) throw new Error(`${value} is no plain decimal`);
    const [, whole = '', decimals = ''] = match;
    const read = new Fraction(BigInt(whole + decimals), 10n ** BigInt(decimals.length));
    if (decimals !== '') Fraction.#read.set(text, read);
    return read;
  }

  static sum(parts: readonly Fraction[]): Fraction {
    return parts.reduce((sum, part) => sum.plus(part), Fraction.ZERO);
  }

  plus(other: Fraction): Fraction {
    if (other.denominator === this.denominator)
      return new Fraction(this.numerator + other.numerator, this.denominator);
    return new Fraction(
      this.numerator * other.denominator + other.numerator * this.denominator,
      this.denominator * other.denominator,
    );
  }

  minus(other: Fraction): Fraction {
    return this.plus(new Fraction(-other.numerator, other.denominator));
  }

  times(other: Fraction): Fraction {
    return new Fraction(this.numerator * other.numerator, this.denominator * other.denominator);
  }

  /** @throws where the other one is not positive; nothing here is divided by less. */
  dividedBy(other: Fraction): Fraction {
    if (other.numerator <= 0n) throw new Error('divided by what is not positive');
    return new Fraction(this.numerator * other.denominator, this.denominator * other.numerator);
  }

  /** Negative where this one is the smaller, 0 where they are equal. */
  compare(other: Fraction): number {
    const [here, there] = [
      this.numerator * other.denominator,
      other.numerator * this.denominator,
    ] as const;
    return Number(here > there) - Number(here < there);
  }

  isBelow(other: Fraction): boolean {
    return this.compare(other) < 0;
  }

  isPositive(): boolean {
    return this.numerator > 0n;
  }

  isZero(): boolean {
    return this.numerator === 0n;
  }

  min(other: Fraction): Fraction {
    return other.isBelow(this) ? other : this;
  }

  /** As money is shown: rounded to 10^-6, half away from zero. */
  toUsd(): number {
    return this.toDecimals(6);
  }

  /** Rounded to so many decimals, half away from zero. */
  toDecimals(decimals: number): number {
    const sign = this.numerator < 0n ? -1n : 1n;
    const scaled = 2n * 10n ** BigInt(decimals) * this.numerator * sign;
    const units = (scaled + this.denominator) / (2n * this.denominator);
    return Number(sign * units) / 10 ** decimals;
  }

  /** Rounded up to one decimal. Not for negative ones. */
  toTenthsUp(): number {
    return Number((10n * this.numerator + this.denominator - 1n) / this.denominator) / 10;
  }
}
