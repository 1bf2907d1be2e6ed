import type { DecisionReport, Recommendation, Selector } from '@storage-routing/client';
import { formatBytes } from './numbers.ts';
import { formatMonths } from './durations.ts';
import { PROVIDER_TITLES } from './words.ts';

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

/** What a recommendation does, in words: `Move logs/ to Backblaze B2`. */
export function titleOfRecommendation(recommendation: Recommendation): string {
  const which = wordsOfSelector(recommendation.selector);
  switch (recommendation.kind) {
    case 'move': {
      const { recommendedProvider } = recommendation;
      const target = recommendedProvider === null ? '?' : PROVIDER_TITLES[recommendedProvider];
      return `Move ${which} to ${target}`;
    }
    case 'change_class':
      return `Change the class of ${which} to ${recommendation.recommendedStorageClass ?? '?'}`;
    case 'abort_multipart_uploads':
      return `Abort unfinished uploads (${which})`;
    case 'expire_old_versions':
      return `Expire old versions (${which})`;
  }
}

/** `everything`; `logs/, from 90 days, of 128 KB and more` */
function wordsOfSelector(selector: Selector): string {
  const { prefix, storageClass, minAgeDays, maxAgeDays, minSizeBytes } = selector;
  const parts = [
    prefix ?? 'everything',
    ...(storageClass === null ? [] : [`in ${storageClass}`]),
    ...(minAgeDays === null ? [] : [`from ${minAgeDays} days`]),
    ...(maxAgeDays === null ? [] : [`up to ${maxAgeDays} days`]),
    ...(minSizeBytes === null ? [] : [`of ${formatBytes(minSizeBytes)} and more`]),
  ];
  return parts.join(', ');
}

/** @param months null where savings never pay for the cost */
export function wordsOfPayback(months: number | null): string {
  if (months === null) return 'never';
  return months === 0 ? 'at once' : `after ${formatMonths(months)}`;
}

/** The AWS account of a role: `111122223333`. */
export function accountOfRole(roleArn: string): string {
  return roleArn.split(':')[4] ?? roleArn;
}
