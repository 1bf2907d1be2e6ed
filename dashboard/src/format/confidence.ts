/** How sure a recommendation is, in words. */
interface ConfidenceWords {
  readonly level: 'High' | 'Good' | 'Fair' | 'Low';
  /** What the level rests on. */
  readonly basis: string;
}

const LEVELS: readonly (ConfidenceWords & { readonly from: number })[] = [
  {
    from: 0.9,
    level: 'High',
    basis:
      'the cheapest answer whether the objects are never read, read as expected or read heavily',
  },
  {
    from: 0.7,
    level: 'Good',
    basis:
      'the cheapest answer in most of the read scenarios, or in all of them at uncertain prices',
  },
  {
    from: 0.5,
    level: 'Fair',
    basis: 'the cheapest answer in some of the read scenarios, or at uncertain prices',
  },
];
const LOWEST: ConfidenceWords = {
  level: 'Low',
  basis: 'how often the objects are read decides, or prices are uncertain',
};

/** @param confidence 0.1 to 0.9, in tenths */
export function wordsOfConfidence(confidence: number): ConfidenceWords {
  return LEVELS.find(({ from }) => confidence >= from) ?? LOWEST;
}
