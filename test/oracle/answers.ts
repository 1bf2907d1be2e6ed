import type { ProviderName } from '../../domain/provider/catalogue.ts';
import type { RecommendationKind, Selector } from '../../domain/decision/types.ts';
import type { Count } from '../../domain/inventory/inventory.ts';
import * as costs from './costs.ts';
import type { Cost } from './costs.ts';
import type { Fraction } from './fraction.ts';
import { changeOf, mergeChanges, type MergedChange } from './in-place.ts';
import * as inventory from './inventory.ts';
import { AGE_STARTS_DAYS, compareUtf8, REST } from './inventory.ts';
import { isMigrated, movesOf, type MergedMove } from './moves.ts';
import { gb, isArchived, NOTHING, sum, targetsOf, type Amount } from './prices.ts';
import * as storage from './storage.ts';
import type { Bucket, HeldGroup, Scan } from './storage.ts';

/** Another placement of an answer's objects. */
export interface Option {
  readonly provider: ProviderName;
  readonly storageClass: string;
  readonly cost: Cost;
  /** What speaks against it before the floors: how many objects, by the code of the blocker. */
  readonly blocked: Answer['blocked'];
}

/** What could be recommended, unrounded. */
export interface Answer extends Count {
  readonly kind: RecommendationKind;
  readonly bucket: string;
  readonly region: string;
  readonly selector: Selector;
  readonly staying: Cost;
  /** The placement afterwards; null for clean-ups. */
  readonly taken: Option | null;
  /** The best one first. */
  readonly options: readonly Option[];
  readonly savings: Fraction;
  readonly confidenceTenths: number;
  /** What stays behind in a move: how many objects, by the code of the blocker. */
  readonly blocked: readonly (readonly [code: string, objects: number])[];
  /** The classes that its objects are in. */
  readonly fromClasses: readonly string[];
  /** The objects of a move, to be quoted again. */
  readonly groups: readonly HeldGroup[];
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

export const counted = (parts: readonly Count[]): Count => ({
  objects: parts.reduce((total, { objects }) => total + objects, 0),
  bytes: parts.reduce((total, { bytes }) => total + bytes, 0),
});

function optionsOf(
  scan: Scan,
  moving: readonly HeldGroup[],
  selected: readonly HeldGroup[],
  freeGb: Fraction,
): readonly Option[] {
  return targetsOf(scan.source)
    .map((provider): Option => {
      const refused = counted(costs.refused(moving, provider)).objects;
      return {
        provider,
        storageClass: storage.STANDARD,
        cost: costs.move(scan, moving, provider, freeGb),
        blocked: [
          ['object_too_large', inventory.tooLargeFor(provider, selected)],
          ['egress_refused', refused],
        ],
      };
    })
    .sort(costs.byTotal);
}

/** Section 9: the recommended moves share the free egress of the source in their order. */
export function shareEgress(scan: Scan, answers: readonly Answer[]): readonly Answer[] {
  let left = scan.freeGb;
  return answers.map((answer) => {
    if (answer.kind !== 'move') return answer;
    const share = left.min(gb(scan.source, answer.bytes));
    left = left.minus(share);
    const options = answer.options
      .map(({ provider, ...option }) => {
        const cost = costs.move(scan, answer.groups, provider, share);
        return Object.assign({ provider }, option, { cost });
      })
      .sort(costs.byTotal);
    const taken = options.find(({ provider }) => provider === answer.taken?.provider) ?? null;
    return { ...answer, options, taken };
  });
}

function moveAnswer(scan: Scan, { name, region, groups }: Bucket, move: MergedMove): Answer {
  const staying = costs.stay(scan, move.groups);
  const selected = groups.filter(({ prefix }) => move.prefix === null || prefix === move.prefix);
  const options = optionsOf(scan, move.groups, selected, scan.freeGb);
  const taken = options.find(({ provider }) => provider === move.target);
  if (taken === undefined) throw new Error(`${move.target} is no target`);
  return {
    kind: 'move',
    bucket: name,
    region,
    selector: { ...WHOLE_BUCKET, prefix: move.prefix },
    ...counted(move.groups),
    staying,
    taken,
    options,
    savings: costs.savings(staying, taken.cost),
    confidenceTenths: move.confidenceTenths,
    blocked: [
      ['needs_restore', counted(selected.filter(isArchived)).objects],
      ['key_too_long', inventory.tooLongIn(selected)],
      ...targetsOf(scan.source).map(
        (at) => ['object_too_large', inventory.tooLargeFor(at, selected)] as const,
      ),
    ],
    fromClasses: [...new Set(move.groups.map(({ storageClass }) => storageClass))],
    groups: move.groups,
  };
}

function changeAnswer(scan: Scan, { name, region }: Bucket, change: MergedChange): Answer {
  const groups = change.parts.map(({ large }) => large);
  const staying = costs.stay(scan, groups);
  const cost = costs.change(scan, groups, change.toClass);
  const taken = { provider: scan.source, storageClass: change.toClass, cost, blocked: [] };
  return {
    kind: 'change_class',
    bucket: name,
    region,
    selector: {
      prefix: change.prefix,
      storageClass: change.fromClass,
      minAgeDays: AGE_STARTS_DAYS[change.first] || null,
      maxAgeDays: AGE_STARTS_DAYS[change.last + 1] ?? null,
      minSizeBytes: LARGE_BYTES,
    },
    ...counted(groups),
    staying,
    taken,
    options: [taken],
    savings: costs.savings(staying, cost),
    confidenceTenths: Math.min(...change.parts.map((part) => part.confidenceTenths)),
    blocked: [],
    fromClasses: [change.fromClass],
    groups: [],
  };
}

function cleanUp(
  kind: RecommendationKind,
  scan: Scan,
  { name, region }: Bucket,
  { objects, bytes, kept }: Count & { kept: Amount },
): Answer {
  return {
    kind,
    bucket: name,
    region,
    selector: WHOLE_BUCKET,
    objects,
    bytes,
    staying: costs.costOf(scan, () => kept, costs.NO_QUOTE),
    taken: null,
    options: [],
    savings: kept.usd,
    confidenceTenths: costs.lessUncertainty(scan, 9, kept.uncertain),
    blocked: [],
    fromClasses: [],
    groups: [],
  };
}

const cleanUps = (scan: Scan, bucket: Bucket): readonly Answer[] => [
  cleanUp('abort_multipart_uploads', scan, bucket, uploadsOf(scan, bucket)),
  cleanUp('expire_old_versions', scan, bucket, oldVersionsOf(scan, bucket)),
];

/** The incomplete uploads of a bucket and what their parts cost. */
export function uploadsOf(scan: Scan, { region, incompleteUploads }: Bucket) {
  const { uploads, bytes } = incompleteUploads;
  const kept = bytes === 0 ? NOTHING : storage.partsStorage(scan, region, bytes);
  return { objects: uploads, bytes, kept };
}

/** The old versions of a bucket and what they cost, as if they were young. */
export function oldVersionsOf(scan: Scan, { region, oldVersions }: Bucket) {
  const { source: provider } = scan;
  const held = oldVersions.map((one) => Object.assign({ provider, region, ageBand: 0 }, one));
  return { ...counted(held), kept: sum(held.map((one) => storage.storage(scan, one))) };
}

/**
 * Everything that could be recommended for a bucket, merged, before the minimum savings apply; nothing for one in error.
 * Apart from that, the answers that only `*` takes and that no selector can name.
 */
export function answersOf(scan: Scan, bucket: Bucket) {
  if (bucket.error !== null) return { answers: [], withoutSelector: [] };
  const { moves, withoutSelector } = movesOf(scan, bucket);
  const moving = new Set(moves.flatMap(({ groups }) => groups));
  const changing = bucket.groups.filter(
    (group) =>
      storage.mayMove(group) &&
      !moving.has(group) &&
      !isMigrated(bucket, group.prefix) &&
      !storage.isRouted(bucket, group),
  );
  const changes = mergeChanges(
    bucket,
    changing.flatMap((group) => changeOf(scan, group) ?? []),
  );
  const asMove = (move: MergedMove) => moveAnswer(scan, bucket, move);
  const asChange = (change: MergedChange) => changeAnswer(scan, bucket, change);
  const answers = [
    ...moves.map(asMove),
    ...changes.filter(({ prefix }) => prefix !== REST).map(asChange),
    ...(bucket.isRouted ? [] : cleanUps(scan, bucket)),
  ];
  return {
    answers: answers.filter(({ savings }) => savings.isPositive()),
    withoutSelector: [
      ...withoutSelector.map(asMove),
      ...changes.filter(({ prefix }) => prefix === REST).map(asChange),
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
