import { SCENARIOS, type Scenarios } from '../reads/scenarios.ts';
import type { ReadSource } from '../reads/reads.ts';
import { shown } from './amounts.ts';
import type { Forecast, PricedBucket } from './model.ts';
import { type ReadScenario, type ScenarioFigures } from './types.ts';

type Titles = Readonly<Record<keyof Scenarios, string>>;

const IF_INSIDE = 'If that is done by your own machines in AWS';

/** What each scenario asks, by what is known of the reads. */
const TITLES: Readonly<Record<ReadSource, Titles>> = {
  assumed: {
    none: 'If nothing is read',
    expected: 'If it is read as its age suggests',
    heavy: 'If everything here is read twice a month',
    inside: IF_INSIDE,
  },
  apportioned: {
    none: 'Half of what the bill shows',
    expected: 'As the bill shows',
    heavy: 'If twice what the bill shows is read, and all of it here',
    inside: IF_INSIDE,
  },
  measured: {
    none: 'Half of what was measured',
    expected: 'As measured',
    heavy: 'If twice what was measured is read, and all of it here',
    inside: IF_INSIDE,
  },
};
const UNREAD = 'Nobody reads this';

/** The cost of an advice's objects where they are and there, in each scenario. */
export function scenarioFigures(
  { reads }: PricedBucket,
  stay: Forecast,
  there: Forecast,
): readonly ScenarioFigures[] {
  return SCENARIOS.map((scenario) => ({
    scenario,
    title: TITLES[reads.source][scenario],
    stayMonthlyUsd: shown(stay.monthly[scenario]),
    thereMonthlyUsd: shown(there.monthly[scenario]),
  }));
}

/** The same of what nobody reads, and that is deleted. */
export function unreadFigures(monthlyUsd: number): readonly ScenarioFigures[] {
  const stayMonthlyUsd = shown(monthlyUsd);
  return SCENARIOS.map((scenario) => ({
    scenario,
    title: UNREAD,
    stayMonthlyUsd,
    thereMonthlyUsd: 0,
  }));
}

/** What a scenario asks of a whole account. */
export function accountTitle(
  reads: ReadScenario['reads'],
  buckets: readonly PricedBucket[],
): string {
  const sources = new Set(buckets.map((bucket) => bucket.reads.source));
  const [only] = sources;
  if (sources.size <= 1) return TITLES[only ?? 'assumed'][reads];
  if (!sources.has('assumed'))
    return reads === 'none' ? 'Half of the reads that are known' : 'As far as the reads are known';
  return reads === 'none'
    ? 'Half of the reads that are known, and none elsewhere'
    : 'The reads that are known, and elsewhere as the age suggests';
}
