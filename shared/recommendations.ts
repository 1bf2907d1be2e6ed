import { formatMoney, formatNumber } from './amounts.ts';
import { classTitle } from './storage-classes.ts';

export const RECOMMENDATION_KINDS = [
  'move',
  'change_class',
  'abort_multipart_uploads',
  'expire_old_versions',
] as const;
export type RecommendationKind = (typeof RECOMMENDATION_KINDS)[number];
/** The kinds that neither copy nor change a class. */
export type CleanUpKind = Exclude<RecommendationKind, 'move' | 'change_class'>;

/** What a recommendation advises. */
export interface Action {
  readonly kind: RecommendationKind;
  readonly recommendedProvider: string | null;
  readonly recommendedStorageClass: string | null;
}

type ProviderTitle = (provider: string) => string;

interface KindTexts {
  readonly title: (action: Action, store: string) => string;
  /** Behind "Save 57 % by". */
  readonly way: (store: string) => string;
}

const CLEAN_UP = 'deleting what nobody uses';
const KINDS: Readonly<Record<RecommendationKind, KindTexts>> = {
  move: { title: (_action, store) => `Move to ${store}`, way: (store) => `moving to ${store}` },
  change_class: {
    title: ({ recommendedProvider, recommendedStorageClass }) =>
      `Change the class to ${classTitle(recommendedProvider, recommendedStorageClass)}`,
    way: () => 'changing storage classes',
  },
  abort_multipart_uploads: { title: () => 'Abort unfinished uploads', way: () => CLEAN_UP },
  expire_old_versions: { title: () => 'Delete old versions after 30 days', way: () => CLEAN_UP },
};

/** Newer services may have more kinds than this library knows. */
const textsOf = (kind: string): KindTexts | undefined =>
  (KINDS as Readonly<Record<string, KindTexts>>)[kind];

/** `Move to Backblaze B2`, `Change the class to S3 Glacier Instant Retrieval` */
export function actionTitle(action: Action, providerTitle: ProviderTitle): string {
  return textsOf(action.kind)?.title(action, storeOf(action, providerTitle)) ?? action.kind;
}

/** By what a recommendation saves: `moving to Backblaze B2`, `changing storage classes`. */
export function describeWay(
  action: Pick<Action, 'kind' | 'recommendedProvider'>,
  providerTitle: ProviderTitle,
): string {
  return textsOf(action.kind)?.way(storeOf(action, providerTitle)) ?? action.kind;
}

function storeOf(
  { recommendedProvider }: Pick<Action, 'recommendedProvider'>,
  providerTitle: ProviderTitle,
): string {
  return recommendedProvider === null ? 'another store' : providerTitle(recommendedProvider);
}

/** What objects cost a month, where they are and there, if they are read so much. */
export interface ScenarioTerms {
  readonly title: string;
  readonly stayMonthlyUsd: number;
  readonly thereMonthlyUsd: number;
}

/** `nothing is read: $4.60 here, $1.20 there`, for each scenario; equal ones are one. */
export function describeScenarios(scenarios: readonly ScenarioTerms[]): string {
  const figures = scenarios.map(
    ({ title, stayMonthlyUsd, thereMonthlyUsd }) =>
      `${title}: ${formatMoney(stayMonthlyUsd)} here, ${formatMoney(thereMonthlyUsd)} there`,
  );
  return [...new Set(figures)].join('. ');
}

/** The options of a recommendation, and which of them it advises. */
interface Options<Option> extends Pick<Action, 'recommendedProvider' | 'recommendedStorageClass'> {
  readonly options: readonly Option[];
}

/** Undefined for a clean-up, which has no options. */
export function recommendedOption<
  Option extends { readonly provider: string; readonly storageClass: string },
>({ options, recommendedProvider, recommendedStorageClass }: Options<Option>): Option | undefined {
  return options.find(
    ({ provider, storageClass }) =>
      provider === recommendedProvider && storageClass === recommendedStorageClass,
  );
}

/** What a recommendation costs once, in USD. */
export function onceUsd(
  recommendation: Options<{
    readonly provider: string;
    readonly storageClass: string;
    readonly quote: { readonly totalUsd: number };
  }> & { readonly oneOffUsd: number | null },
): number {
  return recommendedOption(recommendation)?.quote.totalUsd ?? recommendation.oneOffUsd ?? 0;
}

/** What needs no move first, then the moves, each in the order given. */
export function movesLast<One extends { readonly kind: RecommendationKind }>(
  recommendations: readonly One[],
): readonly One[] {
  return recommendations.toSorted((a, b) => Number(a.kind === 'move') - Number(b.kind === 'move'));
}

const LARGE_STEP_USD = 1;

/** Several steps that save less than a dollar a month are one row beside larger ones. */
export function foldSmall<Step>(steps: readonly Step[], savedUsd: (step: Step) => number) {
  const large = steps.filter((step) => savedUsd(step) >= LARGE_STEP_USD);
  const isFolded = large.length > 0 && large.length < steps.length - 1;
  return isFolded
    ? { shown: large, folded: steps.filter((step) => !large.includes(step)) }
    : { shown: steps, folded: [] };
}

/** Restricts the objects of a bucket; null does not restrict. */
export interface SelectorTerms {
  readonly storageClass: string | null;
  readonly minAgeDays: number | null;
  readonly maxAgeDays: number | null;
  readonly minSizeBytes: number | null;
}

/** `S3 Standard, 90 to 365 days old, 128 KiB and larger`; empty without a restriction. */
export function describeSelector(
  provider: string,
  { storageClass, minAgeDays, maxAgeDays, minSizeBytes }: SelectorTerms,
): string {
  return [
    storageClass === null ? '' : classTitle(provider, storageClass),
    describeAge(minAgeDays, maxAgeDays),
    minSizeBytes === null ? '' : `${formatNumber(minSizeBytes / 1024)} KiB and larger`,
  ]
    .filter((part) => part !== '')
    .join(', ');
}

/** @param toDays exclusive */
function describeAge(fromDays: number | null, toDays: number | null): string {
  if (fromDays === null) return toDays === null ? '' : `younger than ${toDays} days`;
  return toDays === null ? `${fromDays} days and older` : `${fromDays} to ${toDays} days old`;
}

/** The lines of a quote, in the order in which they arise: they add up to its total. */
export const QUOTE_LINES = [
  { key: 'egressUsd', title: 'Egress: leaving the source', short: 'egress' },
  { key: 'sourceRequestsUsd', title: 'Requests at the source', short: 'reads' },
  { key: 'retrievalUsd', title: 'Retrieval from the class', short: 'retrieval' },
  { key: 'earlyDeletionUsd', title: 'Early deletion, at most', short: 'early deletion' },
  { key: 'destinationRequestsUsd', title: 'Requests at the target', short: 'writes' },
  { key: 'transitionUsd', title: 'Change of class', short: 'transition' },
] as const;

/** The law of the price book that forbids a charge for switching in the Union. */
export const SWITCHING_LAW = 'the EU Data Act (Regulation (EU) 2023/2854, article 29)';
