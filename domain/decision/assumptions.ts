import { READ_SOURCES, type ReadSource } from '../reads/reads.ts';
import { formatCount, formatMoney, formatPercent } from '../../shared/amounts.ts';
import { formatMonth } from '../common/format.ts';
import { LEAST_DISCOUNT } from './reasons.ts';
import { compareKeys } from '../inventory/key-order.ts';
import { figuresOf, type ClassSheet } from '../pricing/price-sheet.ts';
import type { PricedBucket } from './model.ts';
import type { RegionRates, Target } from './region-rates.ts';
import { isTiered, type ClassRates } from './storage-rates.ts';
import type { BillSummary } from './types.ts';

const FIGURE_NAMES: Readonly<Record<string, string>> = {
  storagePerGbMonth: 'storage',
  frequentPerGbMonth: 'frequent tier',
  infrequentPerGbMonth: 'infrequent tier',
  archiveInstantPerGbMonth: 'archive instant tier',
  monitoringPer1000ObjectsMonth: 'monitoring',
  overheadKiB: 'overhead per object',
  putPer1000: 'write requests',
  getPer1000: 'read requests',
  listPer1000: 'listing requests',
  retrievalPerGb: 'retrieval',
  egress: 'egress',
  minDays: 'minimum days',
  minBillableKiB: 'minimum size',
  transitionPer1000: 'transition',
};

const MOST_NAMED = 3;

interface NamedFigure {
  readonly name: string;
  readonly fallbackRegion: string | null;
  readonly confidence: string;
}

/** The assumptions behind the figures, in sentences. */
export function listAssumptions(
  buckets: readonly PricedBucket[],
  targets: readonly Target[],
  bill: BillSummary | null,
): readonly string[] {
  const regions = [...new Set(buckets.map(({ region }) => region))]
    .sort((a, b) => compareKeys(a.region, b.region))
    .map((region) => ({ region, figures: figuresIn(region) }));
  return [
    ...billAssumptions(bill),
    ...readAssumptions(buckets),
    bill
      ? 'Free tiers and credits are left out; a month has 30 days.'
      : 'Free tiers and committed discounts are left out; a month has 30 days.',
    'The early deletion in a quote is an upper bound: it is due only if the source is deleted right after the move.',
    'Where objects could move to is priced at its first band, in the region that is configured for it or else in its default region.',
    ...tierAssumptions(buckets),
    ...classesWithoutSheet(buckets),
    ...regions.flatMap(({ region, figures }) => fallbackFigures(region.region, figures)),
    ...targets.flatMap(({ title, rates: { sheet } }) =>
      fallbackFigures(`${title} in ${sheet.region}`, namedFigures(sheet)),
    ),
    ...regions.flatMap(({ region, figures }) => unsureFigures(figures, `in ${region.region}`)),
    ...targets.flatMap(({ title, rates }) =>
      unsureFigures(namedFigures(rates.sheet), `of ${title}`),
    ),
    ...targets.flatMap(({ title, floorUsdPerMonth: usd }) =>
      usd > 0
        ? [`${title} charges at least ${formatMoney(usd)} a month; no figure contains it.`]
        : [],
    ),
  ];
}

/** Which month's bill, how much of it the listing explains, and which discount it shows. */
function billAssumptions(bill: BillSummary | null): readonly string[] {
  if (!bill) return [];
  const { period, estimated, listUsd, netUsd, explainedShare, unexplainedUsd } = bill;
  const changing = estimated ? ', which AWS may still change' : '';
  const month = `The S3 bill of ${formatMonth(period)} is ${formatMoney(netUsd)}${changing}`;
  const discount = listUsd > 0 ? 1 - netUsd / listUsd : 0;
  return [
    explainedShare === null
      ? `${month}; it has no storage.`
      : `${month}; what was listed explains ${formatMoney(netUsd * (1 - unexplainedUsd / listUsd))} of it.`,
    discount >= LEAST_DISCOUNT
      ? `Your agreement takes ${formatPercent(discount)} off that bill: S3 is priced as you pay it, line by line, all other stores by their list prices.`
      : 'The bill shows no discount: S3 is priced by its list prices, as all other stores.',
  ];
}

/** Whose reads were measured, and how those of the others were found. */
function readAssumptions(buckets: readonly PricedBucket[]): readonly string[] {
  const readBy = (source: ReadSource) =>
    buckets.filter(({ reads, inventory }) => reads.source === source && !inventory.error);
  const [measured, apportioned, assumed] = READ_SOURCES.map(readBy);
  return [
    ...sentenceIf(
      measured,
      (of) =>
        `The reads of ${of} are measured by CloudWatch; half of them, and twice as many with all of them in one place, are other scenarios.`,
    ),
    ...sentenceIf(
      apportioned,
      (of) =>
        `The reads of ${of} are what the bill has left of its region and storage class, shared by the number and age of their objects.`,
    ),
    ...sentenceIf(
      assumed,
      () =>
        `When an object was last modified does not say when it was last read: reads${measured?.length || apportioned?.length ? ` of ${namesOf(assumed ?? [])}` : ''} are assumed by age, 0.5, 0.1, 0.03 and 0.01 full reads a month, none of them to the internet; and two full reads, all to the internet or all by your own machines, are other scenarios.`,
    ),
  ];
}

function sentenceIf(
  buckets: readonly PricedBucket[] | undefined,
  sentence: (names: string) => string,
): readonly string[] {
  return buckets && buckets.length > 0 ? [sentence(namesOf(buckets))] : [];
}

/** The first names, and how many more there are. */
function namesOf(buckets: readonly PricedBucket[]): string {
  const names = buckets.map(({ inventory }) => inventory.name);
  const unnamed = names.length - MOST_NAMED;
  if (unnamed > 0)
    return `${names.slice(0, MOST_NAMED).join(', ')} and ${formatCount(unnamed, 'more bucket')}`;
  const last = names.at(-1) ?? '';
  return names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${last}` : last;
}

function tierAssumptions(buckets: readonly PricedBucket[]): readonly string[] {
  const names = distinct(
    buckets
      .filter(({ tierFactor }) => tierFactor === null)
      .flatMap(({ totals }) => totals.map(({ classRates }) => classRates))
      .filter(({ sheet }) => isTiered(sheet)),
  );
  return names.map(
    (name) => `A listing does not show the tiers of ${name}: they are assumed by age.`,
  );
}

function classesWithoutSheet(buckets: readonly PricedBucket[]): readonly string[] {
  const all = buckets.flatMap(({ region }) => [...region.classes.values()]);
  const base = buckets[0]?.region.base.storageClass ?? '';
  return distinct(all.filter(({ hasSheet }) => !hasSheet)).map(
    (name) => `${name} has no price sheet: it is priced as ${base} and stays where it is.`,
  );
}

function distinct(classes: readonly ClassRates[]): readonly string[] {
  return [...new Set(classes.map(({ storageClass }) => storageClass))].sort(compareKeys);
}

/** The figures of a region's classes and of those that they may change to. */
function figuresIn({ classes, changes }: RegionRates): readonly NamedFigure[] {
  const held = [...classes.values()].map(({ sheet }) => sheet);
  const others = [...changes.values()].flat().map(({ to }) => to.sheet);
  return [...new Set([...held, ...others])]
    .sort((a, b) => compareKeys(a.storageClass, b.storageClass))
    .flatMap(namedFigures);
}

function fallbackFigures(place: string, figures: readonly NamedFigure[]): readonly string[] {
  const others = [...new Set(figures.map(({ fallbackRegion }) => fallbackRegion))];
  return others
    .filter((other) => other !== null)
    .map((other) => {
      const borrowed = figures.filter(({ fallbackRegion }) => fallbackRegion === other);
      const names = [...new Set(borrowed.map(({ name }) => name))];
      return `Figures that the price book lacks for ${place} are those of ${other}: ${names.join(', ')}.`;
    });
}

function unsureFigures(figures: readonly NamedFigure[], where: string): readonly string[] {
  const sentences = new Set<string>();
  for (const { name, confidence } of figures) {
    if (confidence !== 'high') sentences.add(`${name} ${where} is of ${confidence} confidence.`);
  }
  return [...sentences];
}

/** The figures of a sheet that are not zero. */
function namedFigures(sheet: ClassSheet): readonly NamedFigure[] {
  return figuresOf(sheet).map(({ name, fallbackRegion, confidence }) => {
    const title = FIGURE_NAMES[name] ?? name;
    const named = name === 'egress' ? title : `${sheet.storageClass} ${title}`;
    return { name: named, fallbackRegion, confidence };
  });
}
