import type { ProviderName } from '../../domain/provider/catalogue.ts';
import type { RecommendationKind, Selector } from '../../domain/decision/types.ts';
import type { BucketInventory, Group } from '../../domain/inventory/inventory.ts';
import { lessUncertainty } from './confidence.ts';
import * as costs from './costs.ts';
import type { Cost } from './costs.ts';
import type { Fraction } from './fraction.ts';
import { changeOf, mergeChanges, type MergedChange } from './in-place.ts';
import { compareUtf8, REST, tooLargeFor, tooLongIn } from './inventory.ts';
import { holdsCopied, movesOf, type MergedMove } from './moves.ts';
import { NOTHING, sum, TARGETS, type Amount } from './prices.ts';
import {
  isArchived,
  mayMove,
  partsStorage,
  SOURCE,
  STANDARD,
  storage,
  type ScanBytes,
} from './storage.ts';

/** Another placement of an answer's objects. */
export interface Option {
  readonly provider: ProviderName;
  readonly storageClass: string;
  readonly cost: Cost;
}

/** What could be recommended, unrounded. */
export interface Answer {
  readonly kind: RecommendationKind;
  readonly bucket: string;
  readonly region: string;
  readonly selector: Selector;
  readonly objects: number;
  readonly bytes: number;
  readonly staying: Cost;
  /** The placement afterwards; null for clean-ups. */
  readonly taken: Option | null;
  /** The best one first. */
  readonly options: readonly Option[];
  readonly savings: Fraction;
  readonly confidenceTenths: number;
  readonly archivedObjects: number;
  /** Of a move: the objects whose key would be too long at the target. */
  readonly tooLongObjects: number;
  /** Of a move, by target: the objects that it does not store at their size. */
  readonly tooLargeObjects: readonly number[];
  /** The classes that its objects are in. */
  readonly fromClasses: readonly string[];
}

const WHOLE_BUCKET: Selector = {
  prefix: null,
  storageClass: null,
  minAgeDays: null,
  maxAgeDays: null,
  minSizeBytes: null,
};

const KINDS: readonly RecommendationKind[] = [
  'move',
  'change_class',
  'abort_multipart_uploads',
  'expire_old_versions',
];

const LARGE_BYTES = 131_072;
/** What is no move leaves no object behind. */
const NOTHING_LEFT = { archivedObjects: 0, tooLongObjects: 0, tooLargeObjects: [] };

function counted(groups: readonly Group[]): { objects: number; bytes: number } {
  return {
    objects: groups.reduce((total, { objects }) => total + objects, 0),
    bytes: groups.reduce((total, { bytes }) => total + bytes, 0),
  };
}

function moveAnswer(
  scan: ScanBytes,
  bucket: BucketInventory,
  move: MergedMove,
  horizonMonths: number,
): Answer {
  const staying = costs.stay(scan, bucket.region, move.groups);
  const options = TARGETS.map((provider) => ({
    provider,
    storageClass: STANDARD,
    cost: costs.move(scan, bucket.region, move.groups, provider),
  })).sort(costs.byTotal(horizonMonths));
  const taken = options.find(({ provider }) => provider === move.target);
  if (taken === undefined) throw new Error(`${move.target} is no target`);
  const selected = bucket.groups.filter(
    ({ prefix }) => move.prefix === null || prefix === move.prefix,
  );
  const archived = selected.filter(({ storageClass }) => isArchived(storageClass));
  return {
    kind: 'move',
    bucket: bucket.name,
    region: bucket.region,
    selector: { ...WHOLE_BUCKET, prefix: move.prefix },
    ...counted(move.groups),
    staying,
    taken,
    options,
    savings: costs.savings(staying, taken.cost),
    confidenceTenths: move.confidenceTenths,
    archivedObjects: counted(archived).objects,
    tooLongObjects: tooLongIn(selected),
    tooLargeObjects: TARGETS.map((provider) => tooLargeFor(provider, selected)),
    fromClasses: [...new Set(move.groups.map(({ storageClass }) => storageClass))],
  };
}

function changeAnswer(scan: ScanBytes, bucket: BucketInventory, change: MergedChange): Answer {
  const groups = change.parts.map(({ large }) => large);
  const staying = costs.stay(scan, bucket.region, groups);
  const cost = costs.change(bucket.region, groups, change.toClass);
  const taken = { provider: SOURCE, storageClass: change.toClass, cost };
  return {
    kind: 'change_class',
    bucket: bucket.name,
    region: bucket.region,
    selector: {
      prefix: change.prefix,
      storageClass: change.fromClass,
      minAgeDays: change.minAgeDays,
      maxAgeDays: change.maxAgeDays,
      minSizeBytes: LARGE_BYTES,
    },
    ...counted(groups),
    staying,
    taken,
    options: [taken],
    savings: costs.savings(staying, cost),
    confidenceTenths: Math.min(...change.parts.map((part) => part.confidenceTenths)),
    ...NOTHING_LEFT,
    fromClasses: [change.fromClass],
  };
}

function cleanUp(
  kind: RecommendationKind,
  bucket: BucketInventory,
  { objects, bytes, kept }: { objects: number; bytes: number; kept: Amount },
): Answer {
  const quote = costs.stay(new Map(), bucket.region, []).quote;
  return {
    kind,
    bucket: bucket.name,
    region: bucket.region,
    selector: WHOLE_BUCKET,
    objects,
    bytes,
    staying: { monthly: { none: kept, expected: kept, heavy: kept }, quote },
    taken: null,
    options: [],
    savings: kept.usd,
    confidenceTenths: lessUncertainty(9, kept.uncertain),
    ...NOTHING_LEFT,
    fromClasses: [],
  };
}

/** The incomplete uploads of a bucket and what their parts cost. */
export function uploadsOf(scan: ScanBytes, { region, incompleteUploads }: BucketInventory) {
  const { uploads, bytes } = incompleteUploads;
  const kept = bytes === 0 ? NOTHING : partsStorage(scan, region, bytes);
  return { objects: uploads, bytes, kept };
}

/** The old versions of a bucket and what they cost, as if they were young. */
export function oldVersionsOf(scan: ScanBytes, { region, oldVersions }: BucketInventory) {
  return {
    objects: oldVersions.reduce((total, { objects }) => total + objects, 0),
    bytes: oldVersions.reduce((total, { bytes }) => total + bytes, 0),
    kept: sum(oldVersions.map((versions) => storage(scan, region, { ...versions, ageBand: 0 }))),
  };
}

export interface BucketAnswers {
  /** Merged, before the minimum savings apply. */
  readonly answers: readonly Answer[];
  /** The answers that only `*` takes and that no selector can name. */
  readonly withoutSelector: readonly Answer[];
}

/** Everything that could be recommended for a bucket; nothing for one in error. */
export function answersOf(
  scan: ScanBytes,
  bucket: BucketInventory,
  horizonMonths: number,
): BucketAnswers {
  if (bucket.error !== null) return { answers: [], withoutSelector: [] };
  const { moves, withoutSelector } = movesOf(scan, bucket, horizonMonths);
  const moving = new Set(moves.flatMap(({ groups }) => groups));
  const changes = bucket.groups
    .filter(
      (group) =>
        mayMove(bucket.region, group.storageClass) &&
        !moving.has(group) &&
        !holdsCopied(bucket, group.prefix),
    )
    .flatMap((group) => changeOf(scan, bucket.region, group, horizonMonths) ?? []);
  const merged = mergeChanges(bucket, changes);
  const asMove = (move: MergedMove): Answer => moveAnswer(scan, bucket, move, horizonMonths);
  const asChange = (change: MergedChange): Answer => changeAnswer(scan, bucket, change);
  const answers = [
    ...moves.map(asMove),
    ...merged.filter(({ prefix }) => prefix !== REST).map(asChange),
    cleanUp('abort_multipart_uploads', bucket, uploadsOf(scan, bucket)),
    cleanUp('expire_old_versions', bucket, oldVersionsOf(scan, bucket)),
  ];
  return {
    answers: answers.filter(({ savings }) => savings.isPositive()),
    withoutSelector: [
      ...(withoutSelector === null ? [] : [asMove(withoutSelector)]),
      ...merged.filter(({ prefix }) => prefix === REST).map(asChange),
    ],
  };
}

/** Null before everything else. */
function compareTexts(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  return compareUtf8(a, b);
}

/** The order of recommendations: the largest savings first. */
export function compareAnswers(a: Answer, b: Answer): number {
  return (
    b.savings.compare(a.savings) ||
    compareUtf8(a.bucket, b.bucket) ||
    KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
    compareTexts(a.selector.prefix, b.selector.prefix) ||
    compareTexts(a.selector.storageClass, b.selector.storageClass) ||
    (a.selector.minAgeDays ?? 0) - (b.selector.minAgeDays ?? 0)
  );
}
