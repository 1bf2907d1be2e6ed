import { formatMonths } from './values.ts';
import { wordsFromCode } from './words.ts';

/** The result of an audit in words. */

const VERDICTS: Readonly<Record<string, string>> = {
  migrate: 'Move',
  migrate_partly: 'Move a part',
  optimize_in_place: 'Stay, and tidy up',
  stay: 'Stay',
};

const PROFILES: Readonly<Record<string, string>> = {
  active: 'mostly active data',
  cold: 'mostly cold data',
  archive: 'mostly an archive',
  mixed: 'data of several kinds',
};

export function verdictTitle(verdict: string): string {
  return VERDICTS[verdict] ?? wordsFromCode(verdict);
}

export function profileTitle(profile: string): string {
  return PROFILES[profile] ?? profile;
}

/** @param months null if savings never pay for the cost */
export function formatPayback(months: number | null): string {
  if (months === null) return 'never';
  if (months === 0) return 'at once';
  return months < 1 ? 'within a month' : `after ${formatMonths(months)}`;
}

/** The AWS account of a role: `111122223333`. */
export function awsAccountId(roleArn: string): string {
  return roleArn.split(':')[4] ?? roleArn;
}

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
export function confidenceWords(confidence: number): ConfidenceWords {
  return LEVELS.find(({ from }) => confidence >= from) ?? LOWEST;
}

interface ReadWords {
  readonly title: string;
  /** What separates it from the others. */
  readonly assumption: string;
}

const READS: Readonly<Record<string, ReadWords>> = {
  none: { title: 'Never read', assumption: 'Nothing is ever read.' },
  expected: {
    title: 'Read as expected',
    assumption:
      'By age, each object is read in full 0.5, 0.1, 0.03 and 0.01 times a month: new ones every second month, those of more than a year once in eight years.',
  },
  heavy: { title: 'Read heavily', assumption: 'Ten times as often as expected.' },
};

/** A scenario of reads in words. */
export function readsWords(reads: string): ReadWords {
  return READS[reads] ?? { title: wordsFromCode(reads), assumption: '' };
}
