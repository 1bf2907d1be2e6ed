import { escapeText } from '@storage-routing/client';
import type { Schedule } from '@storage-routing/client';

const OUTCOMES: Readonly<Record<NonNullable<Schedule['last']>['outcome'], string>> = {
  started: 'started',
  scan_already_running: 'not started, a scan was running',
  plan_limit: 'not started, the plan allows no more scans this month',
  failed: 'could not be started',
};

/** Formats the schedule of a connection; null: it has none. */
export function scheduleText(schedule: Schedule | null): string {
  if (schedule === null) return 'no schedule: it is scanned only when asked';
  const { nextAt, last } = schedule;
  return [
    `every    ${ruleText(schedule)}`,
    `next     ${nextAt}`,
    ...(last === null ? [] : [`last     ${last.at}: ${lastText(last)}`]),
  ].join('\n');
}

/** `day at 03:00 UTC` */
export function ruleText({ every, hourUtc }: Schedule): string {
  return `${every} at ${String(hourUtc).padStart(2, '0')}:00 UTC`;
}

function lastText({ outcome, scanId }: NonNullable<Schedule['last']>): string {
  const said = OUTCOMES[outcome] ?? escapeText(outcome);
  return scanId === null ? said : `${said}, scan ${scanId}`;
}
