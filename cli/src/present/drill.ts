import {
  type Drill,
  type DrillEstimate,
  type DrillRequest,
  type DrillSchedule,
  type DrillsPage,
  describeRule,
  escapeText,
  formatBytes,
  formatCount,
  formatMoney,
  formatNumber,
} from '@storage-routing/client';
import { pageText } from '../io/text.ts';
import { SHOWN_FAILURES } from './migration.ts';

/** Formats what a start accepts. */
export function drillEstimateText(
  { from, to }: Pick<DrillRequest, 'from' | 'to'>,
  { files, bytes, quote, readBackUsd, totalUsd }: DrillEstimate,
): string {
  return [
    `Sample      ${formatCount(files, 'object')}, ${formatBytes(bytes)}, from ${sourceText(from)} to ${escapeText(to)}`,
    `Costs once  ${formatMoney(totalUsd)}: copies ${formatMoney(quote.totalUsd)}, reading them back ${formatMoney(readBackUsd)}`,
    'Afterwards  nothing is left at the target',
  ].join('\n');
}

export function drillText(drill: Drill): string {
  const { status, from, to, sample, results, whole, removed, left, costUsd, error } = drill;
  const { copied, equal, failed, failures } = results;
  return [
    `${status}: ${sourceText(from)} to ${sourceText(to)}`,
    `sample   ${formatCount(sample.files, 'object')}, ${formatBytes(sample.bytes)}; ${formatNumber(copied)} copied, ${formatNumber(equal)} read back and equal, ${formatNumber(failed)} failed`,
    `all      ${formatCount(whole.files, 'object')}, ${formatBytes(whole.bytes)}: ${hoursText(whole)}${formatMoney(whole.onceUsd)} once, then ${formatMoney(whole.monthlyUsd)} a month`,
    `cost     ${formatMoney(costUsd)}, started by ${escapeText(drill.startedByName)} at ${drill.startedAt}`,
    `target   ${removed ? 'nothing is left' : `not cleared yet${left.length > 0 ? `: ${left.map(escapeText).join(', ')}` : ''}`}`,
    ...(error === null
      ? []
      : [`reason   ${escapeText(error.message)} (${escapeText(error.code)})`]),
    ...failures
      .slice(0, SHOWN_FAILURES)
      .map(
        ({ key, code, reason }) => `failed   ${escapeText(key)}: ${escapeText(reason)} (${code})`,
      ),
    ...(drill.certificateSha256 === null
      ? []
      : [`proof    srs drill certificate ${drill.drillId} -o certificate.html`]),
  ].join('\n');
}

function hoursText({ hoursFrom, hoursTo }: Drill['whole']): string {
  return hoursFrom === null ? '' : `${hoursFrom} to ${hoursTo} hours with two workers, `;
}

const HEADS = ['DRILL', 'STATUS', 'WHAT', 'SAMPLE', 'EQUAL', 'COST', 'STARTED'];

export function drillsText(page: DrillsPage): string {
  if (page.total === 0) return 'no drill: srs drill starts one';
  return pageText(page, HEADS, ({ drillId, status, from, to, sample, results, ...drill }) => [
    drillId,
    status,
    `${sourceText(from)} to ${sourceText(to)}`,
    formatCount(sample.files, 'object'),
    formatNumber(results.equal),
    formatMoney(drill.costUsd),
    drill.startedAt,
  ]);
}

const OUTCOMES: Readonly<Record<NonNullable<DrillSchedule['last']>['outcome'], string>> = {
  started: 'started',
  drill_running: 'not started, one of the place was running',
  plan_limit: 'not started, the plan does not allow it',
  quote_exceeded: 'not started, it would have cost more than it may',
  failed: 'could not be started',
};

/** When drills start by themselves; null: never. */
export function drillScheduleText(schedule: DrillSchedule | null): string {
  if (schedule === null) return 'no schedule: a drill begins only when asked';
  const { drill, nextAt, last } = schedule;
  const { from, to, sample, maxTotalUsd } = drill;
  const size = 'files' in sample ? formatCount(sample.files, 'file') : formatBytes(sample.bytes);
  return [
    `every    ${describeRule(schedule)}`,
    `what     ${size} from ${sourceText(from)} to ${escapeText(to)}, for ${formatMoney(maxTotalUsd)} at most`,
    `next     ${nextAt}`,
    ...(last === null ? [] : [`last     ${last.at}: ${lastText(last)}`]),
  ].join('\n');
}

function lastText({ outcome, drillId }: NonNullable<DrillSchedule['last']>): string {
  const said = OUTCOMES[outcome] ?? escapeText(outcome);
  return drillId === null ? said : `${said}, drill ${drillId}`;
}

/** Copying and reading back are half of it each. */
export function drillPercent({ sample, results }: Drill): number {
  const done = results.copied + results.failed + results.readBack;
  return sample.files === 0 ? 0 : Math.min(100, Math.floor((50 * done) / sample.files));
}

export function drillProgress({ status, sample, results }: Drill): string {
  const { copied, readBack } = results;
  return `${status}: ${formatNumber(copied)} of ${formatCount(sample.files, 'object')} copied, ${formatNumber(readBack)} read back`;
}

function sourceText(place: { bucketName: string; provider?: string; connectionId?: string }) {
  return escapeText(`${place.provider ?? place.connectionId ?? ''}/${place.bucketName}`);
}
