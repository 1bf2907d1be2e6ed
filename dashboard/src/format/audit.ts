import {
  auditHeadline,
  describeSavings,
  type Provider,
  type ScanLine,
  type ScanResult,
} from '@storage-routing/client';
import { wordsFromCode } from './words.ts';

/** The result of an audit in words. */

const PROFILES: Readonly<Record<string, string>> = {
  active: 'mostly active data',
  cold: 'mostly cold data',
  archive: 'mostly an archive',
  mixed: 'data of several kinds',
};

type Verdict = Pick<ScanLine, 'verdict' | 'currentMonthlyCostUsd' | 'monthlySavingsUsd'>;

/** The verdict of an audit in a list: `Save 57 %`. */
export function verdictTitle({
  verdict,
  currentMonthlyCostUsd,
  monthlySavingsUsd,
}: Verdict): string {
  if (verdict === 'stay' || !currentMonthlyCostUsd || !monthlySavingsUsd) return 'Stay';
  return describeSavings(currentMonthlyCostUsd, monthlySavingsUsd);
}

export function profileTitle(profile: string): string {
  return PROFILES[profile] ?? profile;
}

/** The verdict of an audit in one line: `Save 57 %: mostly by changing storage classes`. */
export function scanHeadline(
  { summary, recommendations }: Pick<ScanResult, 'summary' | 'recommendations'>,
  providerTitle: (provider: Provider) => string,
): string {
  return auditHeadline({
    currentMonthlyUsd: summary.currentMonthlyCostUsd,
    monthlySavingsUsd: summary.monthlySavingsUsd,
    recommendations,
    providerTitle: (provider) => providerTitle(provider as Provider),
  });
}

/** The AWS account of a role: `111122223333`. */
export function awsAccountId(roleArn: string): string {
  return roleArn.split(':')[4] ?? roleArn;
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
      'New objects are read every second month, those older than a year once in eight years.',
  },
  heavy: { title: 'Read heavily', assumption: 'Ten times as often as expected.' },
};

/** A scenario of reads in words. */
export function readsWords(reads: string): ReadWords {
  return READS[reads] ?? { title: wordsFromCode(reads), assumption: '' };
}
