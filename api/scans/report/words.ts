/** How sure an answer is, in words. */
interface ConfidenceWords {
  readonly level: 'High' | 'Good' | 'Fair' | 'Low';
  readonly basis: string;
}

/**
 * | confidence | level  |
 * |------------|--------|
 * | from 0.9   | `High` |
 * | from 0.7   | `Good` |
 * | from 0.5   | `Fair` |
 * | less       | `Low`  |
 */
export function confidenceWords(confidence: number): ConfidenceWords {
  if (confidence >= 0.9) return { level: 'High', basis: 'the cheapest however much is read' };
  if (confidence >= 0.7)
    return {
      level: 'Good',
      basis: 'the cheapest in most of the read scenarios, or in all of them at uncertain prices',
    };
  if (confidence >= 0.5)
    return {
      level: 'Fair',
      basis: 'the cheapest in some of the read scenarios, or at uncertain prices',
    };
  return {
    level: 'Low',
    basis: 'how much is read decides, or prices are uncertain',
  };
}
