import type { DecisionReport } from '@storage-routing/client';

type Reads = DecisionReport['readScenarios'][number]['reads'];

interface ReadWords {
  readonly title: string;
  /** What separates it from the others. */
  readonly assumption: string;
}

export const READS: Readonly<Record<Reads, ReadWords>> = {
  none: { title: 'Never read', assumption: 'Nothing is ever read.' },
  expected: {
    title: 'Read as expected',
    assumption:
      'By age, each object is read in full 0.5, 0.1, 0.03 and 0.01 times a month: new ones every second month, those of more than a year once in eight years.',
  },
  heavy: { title: 'Read heavily', assumption: 'Ten times as often as expected.' },
};
