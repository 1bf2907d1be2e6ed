import type { DecisionReport } from '@storage-routing/client';
import { formatMonths } from './durations.ts';

export const VERDICT_TITLES: Readonly<Record<DecisionReport['verdict'], string>> = {
  migrate: 'Move',
  migrate_partly: 'Move a part',
  optimize_in_place: 'Stay, and tidy up',
  stay: 'Stay',
};

export const PROFILE_TITLES: Readonly<Record<DecisionReport['workloadProfile'], string>> = {
  active: 'mostly active data',
  cold: 'mostly cold data',
  archive: 'mostly an archive',
  mixed: 'data of several kinds',
};

/** @param months null where savings never pay for the cost */
export function wordsOfPayback(months: number | null): string {
  if (months === null) return 'never';
  if (months === 0) return 'at once';
  return months < 1 ? 'within a month' : `after ${formatMonths(months)}`;
}

/** The AWS account of a role: `111122223333`. */
export function accountOfRole(roleArn: string): string {
  return roleArn.split(':')[4] ?? roleArn;
}
