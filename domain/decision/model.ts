import type { PriceFactors } from '../bill/price-factors.ts';
import type { Catalogue, ProviderName } from '../provider/catalogue.ts';
import type { CostedObjects } from '../inventory/finding.ts';
import type { BucketInventory, ObjectStatistics } from '../inventory/inventory.ts';
import type { Bands, SwitchingChargeBan } from '../pricing/figures.ts';
import type { ClassSheet } from '../pricing/price-sheet.ts';
import type {
  ConfiguredStore,
  LeftAloneCode,
  Scenarios,
  Quote,
  Recommendation,
  RecommendationKind,
  Waiting,
  ReadSource,
} from './types.ts';
import type { PriceUncertainty, Uncertain } from './uncertainty.ts';

/** The values between the steps of `decide()`. Every amount in USD, unrounded. */

/** USD per month for the objects of one class and age band, as flat factors. */
export interface BandRates {
  readonly objectUsd: number;
  readonly largeObjectUsd: number;
  readonly largeByteUsd: number;
  /** Also of what is billed beyond the bytes of objects below the minimum size. */
  readonly smallByteUsd: number;
  /** 0 for none. */
  readonly minBillableBytes: number;
  readonly readsPerObjectUsd: Scenarios;
  readonly readsPerByteUsd: Scenarios;
  /** Months of storage that are billed although the objects are deleted. */
  readonly earlyDeletionMonths: number;
  readonly uncertainty: PriceUncertainty;
  /** The changes of class that may be recommended, in the order that decides ties. */
  readonly changes: readonly ClassChange[];
}

export interface ClassChange {
  readonly to: ClassRates;
  /** Of `to` in the same age band. */
  readonly rates: BandRates;
  /** Per object. */
  readonly transitionUsd: number;
  readonly transitionUncertainty: Uncertain;
}

export interface ClassRates {
  readonly storageClass: string;
  /** The base class's if the class has none. */
  readonly sheet: ClassSheet;
  readonly hasSheet: boolean;
  /** It has a sheet and is not archived. */
  readonly mayMove: boolean;
  readonly getUsd: number;
  readonly retrievalByteUsd: number;
  /** By index into `AGE_BANDS`. */
  readonly bands: readonly BandRates[];
}

/** The source's rates in one region, for a bucket that is read in a certain way. */
export interface RegionRates {
  readonly region: string;
  readonly bytesPerGb: number;
  readonly egressPerGb: Bands;
  readonly isEgressUncertain: boolean;
  /** Egress of all buckets together that costs nothing. */
  readonly freeEgressGb: number;
  /** Per listing request of up to 1,000 keys. */
  readonly listingUsd: number;
  readonly listingUncertainty: Uncertain;
  /** The class that listings, parts of uploads and classes without a sheet are priced by. */
  readonly base: ClassRates;
  readonly classes: ReadonlyMap<string, ClassRates>;
}

/** How a bucket is read, as multiples of the reads that are assumed by age. */
export interface BucketReads {
  readonly source: ReadSource;
  /** Of the requests, of the bytes that are read, and of those that leave to the internet. */
  readonly gets: number;
  readonly bytes: number;
  readonly internetBytes: number;
  /** By how much each scenario multiplies all three. */
  readonly scenarios: Scenarios;
}

/** A store that objects could move to. */
export interface Target {
  readonly provider: ProviderName;
  readonly title: string;
  readonly storageClass: string;
  readonly rates: ClassRates;
  readonly putUsd: number;
  readonly maxObjectBytes: number;
  /** The least that it charges a month. */
  readonly floorUsdPerMonth: number;
  /** Null if it takes any egress. */
  readonly egressLimit: EgressLimit | null;
}

/** The most egress that a store takes, as multiples of what is stored, and that of objects as they are read. */
export interface EgressLimit {
  readonly freeMultiple: number;
  /** Full reads a month in the heaviest scenario, by index into `AGE_BANDS`. */
  readonly heaviestReads: readonly number[];
}

/** The rates of one bucket at the source and at every target. */
export interface BucketRates {
  readonly region: RegionRates;
  /** The same without what was measured of its tiers, which is of current objects. */
  readonly ofOldVersions: RegionRates;
  readonly targets: readonly Target[];
  readonly hasMeasuredTiers: boolean;
}

export interface AccountContext {
  readonly catalogue: Catalogue;
  readonly source: ProviderName;
  readonly configured: readonly ConfiguredStore[];
}

export interface DecisionContext extends AccountContext {
  readonly horizonMonths: number;
  readonly startedAt: Date;
  readonly decidedAt: Date;
  /** Of the source. */
  readonly switchingChargeBan: SwitchingChargeBan | null;
  /** What the customer pays of the source's list prices. */
  readonly priceFactors: PriceFactors;
  /** The bill shows much storage that the scan did not find. */
  readonly isLittleExplained: boolean;
  /** The stores whose moves together would stay below their floor. */
  readonly leftOut: ReadonlySet<ProviderName>;
}

/** Objects of one storage class and age band with their rates. */
export interface PricedObjects {
  readonly classRates: ClassRates;
  readonly ageBand: number;
  readonly rates: BandRates;
  readonly statistics: ObjectStatistics;
}

export interface PricedGroup extends PricedObjects {
  readonly prefix: string;
}

export interface PricedBucket {
  /** Its lists in the order that `inOrder` gives them. */
  readonly inventory: BucketInventory;
  readonly reads: BucketReads;
  /** CloudWatch shows the tiers of its objects that move by themselves. */
  readonly hasMeasuredTiers: boolean;
  /** As this bucket is read. */
  readonly region: RegionRates;
  /** As this bucket would be read there; in the catalogue's order. */
  readonly targets: readonly Target[];
  /** In the order of `compareGroups`. */
  readonly groups: readonly PricedGroup[];
  /** Of all prefixes together, by class and age band. */
  readonly totals: readonly PricedObjects[];
  /** Priced as objects of 0 to 30 days. */
  readonly oldVersions: readonly PricedObjects[];
  /** The parts of incomplete uploads, priced as young objects of the base class. */
  readonly uploadParts: PricedObjects;
  /** The objects that a migration has copied and the bucket still holds; part of `groups`. */
  readonly copied: readonly PricedGroup[];
  /**
   * What is copied and what is left of a completed migration: the selector of a move cannot exclude objects, so no move of
   * these prefixes is recommended.
   */
  readonly migratedPrefixes: ReadonlySet<string>;
  /** The prefixes for which nothing is recommended, and why. */
  readonly leftAlone: ReadonlyMap<string, LeftAloneCode>;
}

export interface BucketCost {
  /** Current objects, reads included. */
  readonly current: Scenarios;
  readonly oldVersions: CostedObjects;
  readonly incompleteUploads: CostedObjects;
  /** Part of `current`: what a migration has copied. */
  readonly copied: CostedObjects;
  /** Part of `current`: what completed migrations were to move and have not copied. */
  readonly notMoved: readonly (CostedObjects & { readonly migrationId: string })[];
}

/** The cost of some objects of one region at the source and at every target. */
export interface PlacementCost {
  readonly objects: number;
  readonly bytes: number;
  /** Per month at the source, reads included. */
  readonly stay: Scenarios;
  /** In the catalogue's order. */
  readonly moves: readonly MoveCost[];
}

export interface MoveCost {
  readonly target: Target;
  /** Per month at the target, reads included. */
  readonly monthly: Scenarios;
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

/** The cost of the large objects of some groups in their class and in another one. */
export interface ChangeCost {
  readonly objects: number;
  readonly bytes: number;
  /** Per month, reads included. */
  readonly stay: Scenarios;
  readonly changed: Scenarios;
  readonly transitionUsd: number;
}

/** A group's change of class that beats staying. */
export interface InPlaceChange {
  readonly group: PricedGroup;
  readonly change: ClassChange;
  readonly cost: ChangeCost;
}

/** The options of the objects of one prefix that may move. */
export interface PrefixOptions {
  readonly prefix: string;
  /** Never empty. */
  readonly groups: readonly PricedGroup[];
  readonly cost: PlacementCost;
  readonly changes: readonly InPlaceChange[];
  /** The effect of `changes` on the total over the horizon; never positive. */
  readonly changesUsd: Scenarios;
  /** Null if no move is better. */
  readonly move: MoveCost | null;
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
  /** Of all parts together. */
  readonly cost: PlacementCost;
  readonly move: MoveCost;
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
  readonly firstBand: number;
  readonly lastBand: number;
  /** The changes that were merged. */
  readonly parts: readonly InPlaceChange[];
  /** Of all parts together. */
  readonly cost: ChangeCost;
}

export interface CleanUpCandidate extends AnyCandidate {
  readonly kind: 'abort_multipart_uploads' | 'expire_old_versions';
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
  /** Of the recommended option. */
  readonly waiting: Waiting | null;
  /** Objects that the recommended provider does not store at their size. */
  readonly tooLargeObjects: number;
}
