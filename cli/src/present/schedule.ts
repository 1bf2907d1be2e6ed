import { describeRule, escapeText } from '@storage-routing/client';
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
    `every    ${describeRule(schedule)}`,
    `next     ${nextAt}`,
    ...(last === null ? [] : [`last     ${last.at}: ${lastText(last)}`]),
  ].join('\n');
}

function lastText({ outcome, scanId }: NonNullable<Schedule['last']>): string {
  const said = OUTCOMES[outcome] ?? escapeText(outcome);
  return scanId === null ? said : `${said}, scan ${scanId}`;
}
