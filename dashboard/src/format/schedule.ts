import { formatNumber, type Schedule, type ScanChanges } from '@storage-routing/client';

const PERIODS: Readonly<Record<Schedule['every'], string>> = {
  day: 'every day',
  week: 'every week',
  month: 'every month',
};

const OUTCOMES: Readonly<Record<NonNullable<Schedule['last']>['outcome'], string>> = {
  started: 'an audit was started',
  scan_already_running: 'no audit was started, because one was already running',
  plan_limit: 'no audit was started, because the plan allowed no more audits',
  failed: 'the audit could not be started',
};

const CAUSES: Readonly<Record<ScanChanges['causes'][number]['code'], string>> = {
  new_bucket: 'New buckets',
  gone_bucket: 'Deleted buckets',
  objects: 'Changed or older objects',
  reads: 'Changed reads',
  prices: 'Changed prices',
};

/** `every week at 03:00 UTC` */
export function formatSchedule({ every, hourUtc }: Pick<Schedule, 'every' | 'hourUtc'>): string {
  return `${PERIODS[every] ?? every} at ${String(hourUtc).padStart(2, '0')}:00 UTC`;
}

export function formatOutcome({ outcome }: NonNullable<Schedule['last']>): string {
  return OUTCOMES[outcome] ?? outcome;
}

export function formatCause(code: ScanChanges['causes'][number]['code']): string {
  return CAUSES[code] ?? code;
}

/** `2 are new, 1 no longer applies, 1 saves more`; empty if nothing has changed. */
export function formatAdviceChanges({
  opened,
  gone,
  better,
}: ScanChanges['recommendations']): string {
  const count = (of: readonly string[], one: string, several: string) =>
    of.length === 0 ? [] : [`${formatNumber(of.length)} ${of.length === 1 ? one : several}`];
  return [
    ...count(opened, 'is new', 'are new'),
    ...count(gone, 'no longer applies', 'no longer apply'),
    ...count(better, 'saves more', 'save more'),
  ].join(', ');
}
