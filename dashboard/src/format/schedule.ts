import { formatNumber, type Schedule, type ScanChanges } from '@storage-routing/client';

const OUTCOMES: Readonly<Record<NonNullable<Schedule['last']>['outcome'], string>> = {
  started: 'an audit was started',
  scan_already_running: 'no audit was started, because one was already running',
  plan_limit: 'no audit was started, because the plan allowed no more audits',
  failed: 'the audit could not be started',
};

export function formatOutcome({ outcome }: NonNullable<Schedule['last']>): string {
  return OUTCOMES[outcome] ?? outcome;
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
