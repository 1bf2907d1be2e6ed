import type { DecisionReport } from '../../../domain/decision/types.ts';
import { addAmounts, type Units } from './amounts.ts';
import { heading, paragraph, table, type Block, type Text } from './blocks.ts';
import type { Step } from './steps.ts';

/** The costs today and after all steps; in units, per month unless stated otherwise. */
export interface Sums {
  readonly storageNow: number;
  /** Null if the decision report is switched off. */
  readonly readsNow: number | null;
  readonly storageThen: number;
  readonly readsThen: number | null;
  readonly saved: number;
  /** Today's storage less what counts as saved. */
  readonly afterwards: number;
  /** Once. */
  readonly once: number;
}

const MAX_ROWS = 25;

export function buildSums(
  currentMonthlyCostUsd: number,
  report: DecisionReport | null,
  steps: readonly Step[],
  units: Units,
): Sums {
  const storageNow = units.fromUsd(currentMonthlyCostUsd);
  const stay = (reads: string) =>
    report?.readScenarios.find((one) => one.reads === reads)?.stayMonthlyUsd ?? 0;
  const readsNow = report ? units.fromUsd(stay('expected') - stay('none')) : null;
  const saved = addAmounts(steps.map((step) => step.saved));
  return {
    storageNow,
    readsNow,
    storageThen: storageNow + addAmounts(steps.map(({ storageChange }) => storageChange)),
    readsThen:
      readsNow === null ? null : readsNow + addAmounts(steps.map((step) => step.readsChange)),
    saved,
    afterwards: storageNow - saved,
    once: addAmounts(steps.map(({ once }) => once)),
  };
}

/** From today's costs over each step to the costs afterwards; every column adds up. */
export function sumsSection(sums: Sums, steps: readonly Step[], units: Units): readonly Block[] {
  if (steps.length === 0) return [];
  const { storageNow, readsNow, storageThen, readsThen, saved, afterwards, once } = sums;
  const { show } = units;
  const hasReads = readsNow !== null && readsThen !== null;
  const row = (name: Text, storage: string, reads: string, both: string, ...rest: string[]) => [
    name,
    storage,
    ...(hasReads ? [reads, both] : []),
    ...rest,
  ];
  const listed = steps.length > MAX_ROWS ? steps.slice(0, MAX_ROWS - 1) : steps;
  const rest = steps.slice(listed.length);
  const changes = [
    ...listed.map((step) => named(`Step ${step.number}`, [step])),
    ...(rest.length > 0 ? [named(`Steps ${rest[0]?.number} to ${rest.at(-1)?.number}`, rest)] : []),
  ];
  const rows = [
    row('Today', show(storageNow), show(readsNow ?? 0), show(storageNow + (readsNow ?? 0)), '', ''),
    ...changes.map(({ name, storageChange, readsChange, ...step }) =>
      row(
        name,
        units.showChange(storageChange),
        units.showChange(readsChange),
        units.showChange(storageChange + readsChange),
        show(step.saved),
        show(step.once),
      ),
    ),
    row(
      'Afterwards',
      show(storageThen),
      show(readsThen ?? 0),
      show(storageThen + (readsThen ?? 0)),
      show(saved),
      show(once),
    ),
  ];
  const titles = [
    'A month',
    '#Storage',
    ...(hasReads ? ['#Expected reads', '#Storage and reads'] : []),
    '#Counted as saved',
    '#Costs once',
  ];
  return [
    heading('How the figures add up'),
    table(titles, rows, true),
    paragraph(
      `Counted as saved is the smaller of two changes, storage alone and storage with the expected reads, because reads are assumed and not measured. So the figures on top are: ${show(storageNow)} of storage today, less ${show(saved)} counted as saved, is ${show(afterwards)} a month afterwards. ${units.rule}`,
    ),
  ];
}

function named(name: string, steps: readonly Step[]) {
  const sum = (amount: (step: Step) => number) => addAmounts(steps.map(amount));
  return {
    name,
    storageChange: sum((step) => step.storageChange),
    readsChange: sum((step) => step.readsChange),
    saved: sum((step) => step.saved),
    once: sum((step) => step.once),
  };
}

const READS: Readonly<Record<DecisionReport['readScenarios'][number]['reads'], string>> = {
  none: 'Nothing is read',
  expected: 'As expected for its age',
  heavy: 'Ten times as much as expected',
};

/** The costs in the three read scenarios. */
export function scenarioSection(
  { readScenarios }: DecisionReport,
  sums: Sums,
  units: Units,
): readonly Block[] {
  const then = (reads: string, usd: number): number => {
    if (reads === 'none') return sums.storageThen;
    if (reads === 'expected') return sums.storageThen + (sums.readsThen ?? 0);
    return units.fromUsd(usd);
  };
  const now = (reads: string, usd: number): number => {
    if (reads === 'none') return sums.storageNow;
    if (reads === 'expected') return sums.storageNow + (sums.readsNow ?? 0);
    return units.fromUsd(usd);
  };
  return [
    heading('If it is read more, or less'),
    paragraph(
      'A listing shows when an object was written, not how often it is read. These are storage and reads together, a month.',
    ),
    table(
      ['How much is read', '#Today', '#Afterwards', '#Difference'],
      readScenarios.map(({ reads, stayMonthlyUsd, optimalMonthlyUsd }) => {
        const [before, after] = [now(reads, stayMonthlyUsd), then(reads, optimalMonthlyUsd)];
        return [
          READS[reads],
          units.show(before),
          units.show(after),
          units.showChange(after - before),
        ];
      }),
    ),
  ];
}
