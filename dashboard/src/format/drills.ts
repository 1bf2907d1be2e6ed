import {
  formatBytes,
  formatCount,
  formatNumber,
  type Drill,
  type DrillRequest,
  type DrillSchedule,
} from '@storage-routing/client';
import type { Advice } from './error-messages.ts';
import { failureAdvice, inWords, stopAdvice } from './migrations.ts';

/** Exit drills in words. */

const MEANINGS: Readonly<Record<string, string>> = {
  sampling: 'The sample is chosen. Nothing is copied yet.',
  copying: 'Each file of the sample is copied to the target. The source is not changed.',
  reading: 'Each copy is read back with the credentials of the target alone, and compared.',
  removing: 'What the drill has written at the target is deleted.',
  failed: 'It stopped early.',
  cancelled: 'It was cancelled.',
};

/**
 * What happens, or the outcome in the words of the certificate. Empty for a status of a newer
 * service: the title is shown alone.
 *
 * @param equal how many files were read back equal
 */
export function drillMeaning(
  { status, sample }: Pick<Drill, 'status' | 'sample'>,
  equal: number,
): string {
  if (status !== 'completed') return MEANINGS[status] ?? '';
  const all = formatCount(sample.files, 'file');
  return equal === sample.files
    ? `All ${all} came through as they were.`
    : `${formatNumber(equal)} of ${all} came through as they were.`;
}

const inDrill = inWords('tart the drill again');
export const drillFailureAdvice = (code: string): Advice => inDrill(failureAdvice(code));

/** Where the advice of a migration does not hold: nothing of a drill stays. */
const STOPS: Readonly<Record<string, Advice>> = {
  quote_exceeded: [
    'It would cost more than you allowed',
    'Nothing was copied. Look at the new estimate, then start another drill.',
  ],
  internal_error: [
    'Something went wrong in the service',
    'Give the id in the address of this page to the operator.',
  ],
};

export const drillStopAdvice = (code: string): Advice => STOPS[code] ?? inDrill(stopAdvice(code));

const OUTCOMES: Readonly<Record<NonNullable<DrillSchedule['last']>['outcome'], string>> = {
  started: 'a drill was started',
  drill_running: 'no drill was started, because one of the place was already running',
  plan_limit: 'no drill was started, because the plan did not allow it',
  quote_exceeded: 'no drill was started, because it would have cost more than you allowed',
  failed: 'the drill could not be started',
};

export function formatDrillOutcome({ outcome }: NonNullable<DrillSchedule['last']>): string {
  return OUTCOMES[outcome] ?? outcome;
}

/** `200 files`, `1 GB` */
export function formatSample(sample: DrillRequest['sample']): string {
  return 'files' in sample ? formatCount(sample.files, 'file') : formatBytes(sample.bytes);
}
