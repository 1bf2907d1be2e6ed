import type { NestedKeys } from '../inventory/nested-keys.ts';
import type { AccountUsage } from '../bill/bill.ts';
import type { PriceFactor } from '../bill/price-factors.ts';
import type { PriceLine } from '../bill/usage-types.ts';
import type { ProviderName, StoreLocation } from '../providers/catalogue.ts';
import type { HowTo } from '../how-to/types.ts';
import type { Finding } from '../inventory/finding.ts';
import type { BucketInventory } from '../inventory/inventory.ts';
import type { LeftAlonePatterns } from '../inventory/key-marks.ts';
import type { PriceBook } from '../pricing/price-book.ts';
import type { ReadSource } from '../reads/reads.ts';
import type { Scenarios } from '../reads/scenarios.ts';
import type { RecommendationKind } from '../../shared/recommendations.ts';

/** The request and the answer of `decide()`. Every amount in USD, rounded to 10^-6. */

export interface DecisionRequest {
  /** When the scan started: the ages of the objects are as of then. */
  readonly startedAt: Date;
  /** What the law allows is as of then; left out, as of the scan's start. */
  readonly decidedAt?: Date;
  /** In any order. */
  readonly buckets: readonly BucketInventory[];
  /** The provider of the buckets. */
  readonly source: ProviderName;
  readonly configured: readonly ConfiguredStore[];
  readonly priceBook: PriceBook;
  /** Patterns of names of buckets that tools have created. */
  readonly patterns: LeftAlonePatterns;
  /** Beside the listing; left out, nothing is known. */
  readonly usage?: AccountUsage;
  readonly horizonMonths: number;
  /** Candidates that save less are summed in one finding. */
  readonly minMonthlySavingsUsd: number;
  /** The same of moves. */
  readonly minMoveMonthlySavingsUsd: number;
}

/** A store that the account has configured: it is priced in that region. */
export type ConfiguredStore = Omit<StoreLocation, 'bucketName'>;

export interface DecisionSettings {
  readonly withReport: boolean;
  readonly horizonMonths: number;
  readonly minMonthlySavingsUsd: number;
  readonly minMoveMonthlySavingsUsd: number;
  /** How long a recommendation stays open, in seconds. */
  readonly recommendationSeconds: number;
}

export interface Decision {
  readonly currentMonthlyCostUsd: number;
  readonly optimalMonthlyCostUsd: number;
  readonly monthlySavingsUsd: number;
  /** One per bucket of the request, by name in UTF-8 order. */
  readonly buckets: readonly BucketDecision[];
  readonly findings: readonly Finding[];
  readonly bill: BillSummary | null;
  /** The largest savings first, at most `MAX_RECOMMENDATIONS`. */
  readonly recommendations: readonly Recommendation[];
  readonly report: DecisionReport;
}

export interface BucketDecision {
  readonly name: string;
  readonly currentMonthlyCostUsd: number;
  readonly optimalMonthlyCostUsd: number;
  readonly findings: readonly Finding[];
  /** Null for a bucket that could not be read; absent once the usage behind it is deleted. */
  readonly reads?: ReadsOfBucket | null;
}

/** The reads of a bucket per 30 days at `expected`. */
export interface ReadsOfBucket {
  readonly source: ReadSource;
  readonly getsPerMonth: number;
  readonly bytesPerMonth: number;
  readonly internetBytesPerMonth: number;
}

/** A line of the bill: one usage type in one region, as billed in the month. */
export interface BillLine {
  /** Null where the usage type names none that is known. */
  readonly region: string | null;
  /** Without the prefix of its region. */
  readonly usageType: string;
  readonly line: PriceLine;
  readonly storageClass: string | null;
  readonly quantity: number;
  readonly unit: string;
  readonly listUsd: number;
  readonly netUsd: number;
  /** For storage: the GB of its class and region that the scan would be billed. */
  readonly listedQuantity: number | null;
}

/** The bill beside what was listed. Amounts rounded. */
export interface BillSummary {
  readonly period: string;
  readonly estimated: boolean;
  readonly listUsd: number;
  readonly netUsd: number;
  /** The share of the billed storage that the scan found; null if no storage was billed. */
  readonly explainedShare: number | null;
  /** The price lines with a discount of their own. */
  readonly factors: readonly PriceFactor[];
  /** The part of the storage lines in `listUsd` that nothing listed explains. */
  readonly unexplainedUsd: number;
  /** The largest first, at most `MAX_UNEXPLAINED`; each line with the share of its class. */
  readonly unexplained: readonly UnexplainedLine[];
  /** The most expensive first. */
  readonly lines: readonly BillLine[];
}

export interface UnexplainedLine {
  readonly region: string | null;
  readonly usageType: string;
  readonly usd: number;
}

export const MAX_UNEXPLAINED = 20;

/** Selects objects of a bucket; null does not restrict. */
export interface Selector {
  readonly prefix: string | null;
  readonly storageClass: string | null;
  readonly minAgeDays: number | null;
  readonly maxAgeDays: number | null;
  readonly minSizeBytes: number | null;
}

/** What the keys of the selected objects begin with; empty: any key. */
export function keyPrefixOf({ prefix }: Pick<Selector, 'prefix'>): string {
  return prefix ?? '';
}

export interface Quote {
  readonly egressUsd: number;
  readonly sourceRequestsUsd: number;
  readonly retrievalUsd: number;
  readonly earlyDeletionUsd: number;
  readonly destinationRequestsUsd: number;
  readonly transitionUsd: number;
  readonly totalUsd: number;
  readonly totalWithExitWaiverUsd: number;
}

/** A day from which a move costs less, and what waiting for it saves. */
export interface Waiting {
  /** In UTC, as `2027-01-12`. */
  readonly until: string;
  readonly savesUsd: number;
}

export interface PlacementOption {
  readonly provider: ProviderName;
  readonly storageClass: string;
  readonly configured: boolean;
  readonly monthlyCostUsd: number;
  readonly monthlySavingsUsd: number;
  /** Per month at this placement in each scenario, reads and writes included. */
  readonly placedMonthlyUsd: Scenarios;
  readonly quote: Quote;
  readonly breakEvenMonths: number | null;
  readonly breakEvenMonthsWithExitWaiver: number | null;
  /** Null if waiting saves nothing, and of every change of class. */
  readonly waiting: Waiting | null;
  /** Why objects would stay behind, or why the option is not recommended. */
  readonly blockers?: readonly Blocker[];
}

export interface Blocker {
  readonly code: string;
  readonly message: string;
  readonly objects: number;
}

export interface Recommendation {
  readonly kind: RecommendationKind;
  readonly bucket: string;
  readonly region: string;
  readonly selector: Selector;
  readonly objects: number;
  readonly bytes: number;
  readonly currentMonthlyCostUsd: number;
  readonly optimalMonthlyCostUsd: number;
  readonly monthlySavingsUsd: number;
  /** The cost of the selected objects where they are and at the recommended option, by scenario. */
  readonly scenarios: readonly ScenarioFigures[];
  /** What arrives in a month and is expected to follow a move; null for the other kinds. */
  readonly arrivals: Arrivals | null;
  /** The cost of a clean-up; null for the other kinds, whose options have a quote. */
  readonly oneOffUsd: number | null;
  readonly recommendedProvider: ProviderName | null;
  readonly recommendedStorageClass: string | null;
  readonly options: readonly PlacementOption[];
  readonly confidence: number;
  readonly reasons: readonly string[];
  readonly risks: readonly Risk[];
  readonly blockers: readonly Blocker[];
  /** The share of the source's free egress that the quotes contain, in GB; absent: none. */
  readonly freeEgressGb?: number;
  /** Objects of a move that are below the key of another one. Absent: there are none. */
  readonly nestedKeys?: NestedKeys;
  /** Null for a move: the service carries it out. */
  readonly howTo: HowTo | null;
}

/** The monthly cost of a recommendation's objects in one scenario, reads and writes included. */
export interface ScenarioFigures {
  readonly scenario: keyof Scenarios;
  /** A sentence for people that fits what is known of the reads. */
  readonly title: string;
  readonly stayMonthlyUsd: number;
  readonly thereMonthlyUsd: number;
}

export interface Arrivals {
  readonly objectsPerMonth: number;
  readonly bytesPerMonth: number;
}

export const RISK_CODES = [
  'young_bucket',
  'expiry_not_carried',
  'events',
  'website',
  'commitment',
  'readers_inside',
  'restore_takes_longer',
] as const;
export type RiskCode = (typeof RISK_CODES)[number];

/** What a recommendation cannot know, or leaves to the customer. */
export interface Risk {
  readonly code: RiskCode;
  readonly message: string;
}

export const WORKLOAD_PROFILES = ['active', 'cold', 'archive', 'mixed'] as const;
export type WorkloadProfile = (typeof WORKLOAD_PROFILES)[number];

export const VERDICTS = [
  'migrate',
  'migrate_partly',
  'optimize_in_place',
  'stay',
  'nothing_read',
] as const;
export type Verdict = (typeof VERDICTS)[number];

/** Why something is left alone, the reason that counts first in front. */
export const LEFT_ALONE_CODES = [
  'routed',
  'kept',
  'locked',
  'replicated',
  'tool',
  'aws_logs',
  'state',
  'table',
  'expires',
  'short_lived',
] as const;
export type LeftAloneCode = (typeof LEFT_ALONE_CODES)[number];

/** Objects that could move and for which nothing is recommended. */
export interface LeftAlone {
  readonly bucket: string;
  /** Null for the whole bucket. */
  readonly prefix: string | null;
  readonly code: LeftAloneCode;
  readonly message: string;
  /** Current objects, their bytes and what they cost. */
  readonly objects: number;
  readonly bytes: number;
  readonly monthlyCostUsd: number;
}

/** The less expensive ones are not listed. */
export const MAX_LEFT_ALONE = 200;

export interface DecisionReport {
  readonly workloadProfile: WorkloadProfile;
  readonly verdict: Verdict;
  /** Null where no bucket could be read. */
  readonly confidence: number | null;
  /** The most expensive first, at most `MAX_LEFT_ALONE`. */
  readonly leftAlone: readonly LeftAlone[];
  readonly reasons: readonly string[];
  readonly risks: readonly string[];
  readonly assumptions: readonly string[];
  readonly horizonMonths: number;
  readonly priceBook: string;
  readonly currentMonthlyCostUsd: number;
  readonly optimalMonthlyCostUsd: number;
  readonly oneOffCostUsd: number;
  readonly breakEvenMonths: number | null;
  readonly savings12MonthsUsd: number;
  readonly readScenarios: readonly ReadScenario[];
  readonly exitScenario: ExitScenario | null;
  readonly placements: readonly Placement[];
}

export interface ReadScenario {
  readonly reads: 'none' | 'expected';
  readonly title: string;
  readonly stayMonthlyUsd: number;
  readonly optimalMonthlyUsd: number;
}

/** Everything that may move, moved to one provider. */
export interface ExitScenario {
  readonly provider: ProviderName;
  /** The cost at that provider of what may move. */
  readonly monthlyCostUsd: number;
  /**
   * The present cost of what may not move: archived classes, classes without a sheet, what is left
   * alone, old versions, parts.
   */
  readonly remainingMonthlyUsd: number;
  readonly oneOffUsd: number;
  readonly oneOffWithExitWaiverUsd: number;
  readonly breakEvenMonths: number | null;
  readonly breakEvenMonthsWithExitWaiver: number | null;
}

/** A move or a change of class, as the report's table shows it. */
export interface Placement {
  readonly bucket: string;
  readonly selector: Selector;
  readonly from: {
    readonly provider: ProviderName;
    /** Null if several classes move together. */
    readonly storageClass: string | null;
  };
  readonly to: { readonly provider: ProviderName; readonly storageClass: string };
  readonly objects: number;
  readonly bytes: number;
  readonly monthlySavingsUsd: number;
}

/** The rest is summed in one finding. */
export const MAX_RECOMMENDATIONS = 200;
