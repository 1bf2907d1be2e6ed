import type { AgeBandIndex } from '../inventory/bands.ts';
import type { CleanUpKind, RecommendationKind } from '../../shared/recommendations.ts';
import type { BucketReads } from '../reads/reads.ts';
import type { Scenarios } from '../reads/scenarios.ts';
import type { PriceFactors } from '../bill/price-factors.ts';
import type { Catalogue, ProviderName } from '../providers/catalogue.ts';
import type { CostedObjects } from '../inventory/finding.ts';
import type { BucketInventory, Count, ObjectStatistics } from '../inventory/inventory.ts';
import type { SwitchingChargeBan } from '../pricing/price-data.ts';
import type { ClassStep, RegionRates, Target } from './region-rates.ts';
import type { ClassRates } from './storage-rates.ts';
import type { ConfiguredStore, LeftAloneCode, Quote, Recommendation, Waiting } from './types.ts';

/** The values between the steps of `decide()`. Every amount in USD, unrounded. */

export interface AccountContext {
  readonly catalogue: Catalogue;
  readonly source: ProviderName;
  readonly configured: readonly ConfiguredStore[];
}

export interface DecisionContext extends AccountContext {
  readonly horizonMonths: number;
  readonly startedAt: Date;
  readonly decidedAt: Date;
  readonly minMoveMonthlySavingsUsd: number;
  /** In the catalogue's order. */
  readonly targets: readonly Target[];
  /** The law that covers the source's regions. */
  readonly switchingChargeBan: SwitchingChargeBan | null;
  /** What the customer pays of the source's list prices. */
  readonly priceFactors: PriceFactors;
  /** The bill shows much storage that the scan did not find. */
  readonly isLittleExplained: boolean;
  /** The stores whose moves together would stay below their floor. */
  readonly leftOut: ReadonlySet<ProviderName>;
  /** The same buckets and targets with every price that is not sure taken as 0. */
  readonly sure: SurePrices;
}

export interface SurePrices {
  readonly targets: readonly Target[];
  readonly bucket: (name: string) => PricedBucket;
}

/** Objects of one storage class and age band with their rates. */
export interface PricedObjects {
  readonly classRates: ClassRates;
  readonly ageBand: AgeBandIndex;
  readonly statistics: ObjectStatistics;
}

export interface PricedGroup extends PricedObjects {
  readonly prefix: string;
}

export interface PricedVersions extends PricedObjects {
  readonly isDeletable: boolean;
}

export interface PricedBucket {
  /** Its lists in the order that `inOrder` gives them. */
  readonly inventory: BucketInventory;
  readonly region: RegionRates;
  readonly reads: BucketReads;
  /** USD for each GB that leaves the source to the internet when it is read. */
  readonly internetPerGb: number;
  /** The storage cost of larger objects in a class with tiers, in parts of that by their ages. */
  readonly tierFactor: number | null;
  /** In the order of `compareGroups`. */
  readonly groups: readonly PricedGroup[];
  /** Sums over all prefixes, by class and age band. */
  readonly totals: readonly PricedObjects[];
  readonly oldVersions: readonly PricedVersions[];
  /**
   * The parts of incomplete uploads, priced as young objects of the base class: all, and abortable.
   */
  readonly uploadParts: PricedObjects;
  readonly abortableParts: PricedObjects;
  /** The objects that a migration has copied and the bucket still holds; part of `groups`. */
  readonly copied: readonly PricedGroup[];
  /**
   * What is copied and what is left of a completed migration: the selector of a move cannot exclude
   * objects, so no move of these prefixes is recommended.
   */
  readonly migratedPrefixes: ReadonlySet<string>;
  /** Why nothing of the bucket moves; null: no reason. */
  readonly leftAlone: LeftAloneCode | null;
  /** Why a prefix is left alone that could move but for that. */
  readonly leftAlonePrefixes: ReadonlyMap<string, LeftAloneCode>;
  /** What was written in the last 30 days may be a first load. */
  readonly isYoung: boolean;
}

export interface BucketCost {
  /** Current objects, reads included. */
  readonly current: Forecast;
  readonly oldVersions: CostedObjects;
  readonly incompleteUploads: CostedObjects;
  /** Part of it: what a migration has copied. */
  readonly copied: CostedObjects;
  /** Part of it: what completed migrations were to move and have not copied. */
  readonly notMoved: readonly (CostedObjects & { readonly migrationId: string })[];
}

/** What some objects would cost in a place: a month, and once to get there. */
export interface Forecast {
  readonly monthly: Scenarios;
  /** What of it is shown: storage, and the reads and writes at `expected` where they are known. */
  readonly shownUsd: number;
  readonly oneOffUsd: number;
}

/** The cost of objects that are decided about together, where they are and at every target. */
export interface Placements {
  readonly objects: readonly PricedObjects[];
  readonly total: ObjectStatistics;
  /** What arrives among them in a month. */
  readonly arrivals: Count;
  readonly stay: Forecast;
  /** In the catalogue's order. */
  readonly moves: readonly Move[];
}

export interface Move extends Forecast {
  readonly target: Target;
  readonly quote: Quote;
  /** The objects that are read more often than the target's terms allow; null if there are none. */
  readonly refusal: EgressRefusal | null;
}

export interface EgressRefusal {
  readonly objects: number;
  readonly freeMultiple: number;
  /** The most full reads a month. */
  readonly fullReads: number;
}

/** A change of class of a group's large objects. */
export interface Change {
  readonly group: PricedGroup;
  readonly change: ClassStep;
  readonly objects: number;
  readonly bytes: number;
  readonly stay: Forecast;
  readonly changed: Forecast;
  /** USD a month, part of it: for the objects that go on arriving at this age. */
  readonly flowUsd: number;
}

/** The answers for the objects of one prefix of a bucket. */
export interface PrefixOptions {
  readonly prefix: string;
  /** Null: nothing of the prefix may move. */
  readonly placements: Placements | null;
  readonly changes: readonly Change[];
  /** Null if no move is better, or none is allowed. */
  readonly move: Move | null;
  /** What would move if nobody asked who reads it; null if that is nothing, or it moves. */
  readonly ifMeasured: Move | null;
}

/** The objects of a move, by what happens to them. */
export interface MoveBreakdown {
  readonly classes: readonly string[];
  readonly archivedObjects: number;
  readonly unpricedObjects: number;
  /** Objects whose key at the target would be too long. */
  readonly longKeyObjects: number;
  /** Objects that a target does not store at their size; only the targets that have any. */
  readonly tooLarge: readonly { readonly target: Target; readonly objects: number }[];
}

interface AnyCandidate {
  readonly kind: RecommendationKind;
  readonly bucket: PricedBucket;
  readonly objects: number;
  readonly bytes: number;
  /** Per month. */
  readonly savingsUsd: number;
}

export interface MoveCandidate extends AnyCandidate {
  readonly kind: 'move';
  /** Null for the whole bucket. */
  readonly prefix: string | null;
  /** The prefixes that were merged. */
  readonly parts: readonly PrefixOptions[];
  /** Sums over all parts. */
  readonly placements: Placements;
  readonly move: Move;
  /** The egress in the quotes that costs nothing. */
  readonly freeEgressGb: number;
}

export interface ChangeCandidate extends AnyCandidate {
  readonly kind: 'change_class';
  /** Null for the whole bucket. */
  readonly prefix: string | null;
  readonly fromClass: string;
  readonly toClass: string;
  /** By index into `AGE_BANDS`. */
  readonly firstBand: AgeBandIndex;
  readonly lastBand: AgeBandIndex;
  /** The changes that were merged. */
  readonly parts: readonly Change[];
  readonly stay: Forecast;
  readonly changed: Forecast;
}

export interface CleanUpCandidate extends AnyCandidate {
  readonly kind: CleanUpKind;
  readonly oneOffUsd: number;
}

export type Candidate = MoveCandidate | ChangeCandidate | CleanUpCandidate;

/** A recommendation with the unrounded amounts that the report sums. */
export interface PricedRecommendation {
  readonly recommendation: Recommendation;
  readonly candidate: Candidate;
  /** Null if several classes move together, and for clean-ups. */
  readonly fromClass: string | null;
  /** Savings per month. */
  readonly saved: Scenarios;
  readonly oneOffUsd: number;
  readonly egressUsd: number;
  /** That of the recommended option. */
  readonly waiting: Waiting | null;
  /** Objects that the recommended provider does not store at their size. */
  readonly tooLargeObjects: number;
}
