import type { Scenarios } from '../../domain/reads/scenarios.ts';
import type { RiskCode, Selector } from '../../domain/decision/types.ts';
import type { RecommendationKind } from '../../shared/recommendations.ts';
import type { Count } from '../../domain/inventory/inventory.ts';
import type { ProviderName } from '../../domain/providers/catalogue.ts';
import { cheapestTenths, isUncertain, judge, lessDoubts } from './confidence.ts';
import { arrivals, movableOf, touches } from './flow.ts';
import { Fraction } from './fraction.ts';
import { bestChange, mergeChanges, poolOfLarge, type MergedChange } from './in-place.ts';
import * as inventory from './inventory.ts';
import { AGE_STARTS_DAYS, compareUtf8, REST } from './inventory.ts';
import { movesOf, type MergedMove } from './moves.ts';
import * as placements from './placements.ts';
import type { Change, Cost } from './placements.ts';
import { gb, isArchived, sum, targetsOf, type Amount, STANDARD } from './prices.ts';
import { bytesOf } from './quote.ts';
import { SCENARIOS } from './reads.ts';
import * as storage from './storage.ts';
import type { Bucket, HeldGroup, Scan } from './storage.ts';

/** Another placement of an answer's objects. */
export interface Option {
  readonly provider: ProviderName;
  readonly storageClass: string;
  readonly cost: Cost;
  /** Of a change to INTELLIGENT_TIERING half of what is saved. */
  readonly savings: Fraction;
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
  /** Of a clean-up: its early deletion. */
  readonly once: Fraction | null;
  readonly confidenceTenths: number;
  /** What stays behind in a move: how many objects, by the code of the blocker. */
  readonly blocked: readonly (readonly [code: string, objects: number])[];
  readonly risks: readonly RiskCode[];
  /** Of a move. */
  readonly arrivals: Count | null;
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

const isRefused = ({ blocked }: Option): boolean =>
  blocked.some(([code, objects]) => code === 'egress_refused' && objects > 0);

/** The cheapest first; what is refused behind all others. */
const byWorth = (a: Option, b: Option): number =>
  Number(isRefused(a)) - Number(isRefused(b)) || placements.byTotal(a, b);

function optionsOf(
  scan: Scan,
  moving: readonly HeldGroup[],
  selected: readonly HeldGroup[],
): readonly Option[] {
  const pool = placements.poolOf(moving);
  const staying = placements.stay(scan, moving, pool);
  return targetsOf(scan.source)
    .map((provider): Option => {
      const refused = placements.refused(moving, provider, () => pool);
      const cost = placements.move(scan, moving, provider);
      return {
        provider,
        storageClass: STANDARD,
        cost,
        savings: placements.savings(staying, cost),
        blocked: [
          ['object_too_large', inventory.tooLargeFor(provider, selected)],
          ['egress_refused', counted(refused).objects],
        ],
      };
    })
    .sort(byWorth);
}

/** Section 9: the recommended moves share the free egress of the source in their order. */
export function shareEgress(scan: Scan, answers: readonly Answer[]): readonly Answer[] {
  let left = scan.freeGb;
  return answers.map((answer) => {
    if (answer.kind !== 'move') return answer;
    const freeGb = left.min(gb(scan.source, bytesOf([answer])));
    left = left.minus(freeGb);
    const options = answer.options
      .map(({ provider, ...option }): Option => {
        const cost = placements.move(scan, answer.groups, provider, { freeGb });
        return { ...option, provider, cost };
      })
      .sort(byWorth);
    const taken = options.find(({ provider }) => provider === answer.taken?.provider) ?? null;
    return { ...answer, options, taken };
  });
}

/** Section 6: what a move cannot know, or leaves to the customer. */
function risksOf(scan: Scan, bucket: Bucket, groups: readonly HeldGroup[]): readonly RiskCode[] {
  const moved = new Set(groups.map(({ prefix }) => prefix));
  const outlives = bucket.expirations.some(
    (one) => one.days > 730 && [...moved].some((prefix) => touches(bucket, one, prefix)),
  );
  const all: readonly (readonly [RiskCode, boolean])[] = [
    ['young_bucket', bucket.isYoung],
    ['expiry_not_carried', outlives],
    ['events', bucket.use.hasEvents],
    ['website', bucket.use.hasWebsite],
    ['commitment', scan.hasOwnPrices],
    ['readers_inside', bucket.reads.hasReadersInside],
  ];
  return all.flatMap(([code, isSo]) => (isSo ? [code] : []));
}

function moveAnswer(scan: Scan, bucket: Bucket, move: MergedMove): Answer {
  const { name, region, groups } = bucket;
  const staying = placements.stay(scan, move.groups);
  const selected = groups.filter(({ prefix }) => move.prefix === null || prefix === move.prefix);
  const options = optionsOf(scan, move.groups, selected);
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
    savings: taken.savings,
    once: null,
    confidenceTenths: move.confidenceTenths,
    blocked: [
      ['needs_restore', counted(selected.filter(isArchived)).objects],
      ['key_too_long', inventory.tooLongIn(selected)],
      ...targetsOf(scan.source).map(
        (at) => ['object_too_large', inventory.tooLargeFor(at, selected)] as const,
      ),
    ],
    risks: risksOf(scan, bucket, move.groups),
    arrivals: arrivals(move.groups),
    fromClasses: [...new Set(move.groups.map(({ storageClass }) => storageClass))],
    groups: move.groups,
  };
}

/** A change is judged by the in-place answers of all of its prefix that is not archived. */
function changeConfidence(scan: Scan, bucket: Bucket, { large, toClass }: Change): number {
  const pool = poolOfLarge(bucket, large);
  const change = placements.changeTo(bucket, large, toClass);
  if (change === null) throw new Error('changed and deleted before');
  const cost = placements.changed(scan, change, pool);
  const judged = judge(
    scan,
    bucket,
    movableOf(bucket.groups.filter(({ prefix }) => prefix === large.prefix)),
  );
  return lessDoubts(
    toClass === 'DEEP_ARCHIVE' ? 9 : cheapestTenths(judged.inPlace, judged),
    isUncertain(placements.stay(scan, [large], pool), cost),
    scan.isLittleExplained,
    bucket.reads.isSplit,
  );
}

function changeAnswer(scan: Scan, bucket: Bucket, change: MergedChange): Answer {
  const { name, region } = bucket;
  const { parts, toClass, fromClass, first } = change;
  const staying = placements.addCosts(
    scan,
    parts.map(({ large }) => placements.stay(scan, [large], poolOfLarge(bucket, large))),
  );
  const cost = placements.addCosts(
    scan,
    parts.map((part) =>
      placements.changed(scan, part, poolOfLarge(bucket, part.large), {
        paysFlow: part.large.ageBand === first,
      }),
    ),
  );
  const full = placements.savings(staying, cost);
  const isTiered = toClass === storage.INTELLIGENT_TIERING;
  const savings = isTiered ? full.times(Fraction.of('0.5')) : full;
  const taken = { provider: scan.source, storageClass: toClass, cost, savings, blocked: [] };
  return {
    kind: 'change_class',
    bucket: name,
    region,
    selector: {
      prefix: change.prefix,
      storageClass: fromClass,
      minAgeDays: AGE_STARTS_DAYS[first] || null,
      maxAgeDays: AGE_STARTS_DAYS[change.last + 1] ?? null,
      minSizeBytes: LARGE_BYTES,
    },
    ...counted(parts.map(({ large }) => large)),
    staying,
    taken,
    options: [taken],
    savings,
    once: null,
    confidenceTenths: Math.min(...parts.map((part) => changeConfidence(scan, bucket, part))),
    blocked: [],
    risks: toClass === 'DEEP_ARCHIVE' ? ['restore_takes_longer'] : [],
    arrivals: null,
    fromClasses: [fromClass],
    groups: [],
  };
}

function cleanUp(
  kind: RecommendationKind,
  scan: Scan,
  { name, region }: Bucket,
  { objects, bytes, kept, once }: Count & { kept: Amount; once: Amount },
): Answer {
  return {
    kind,
    bucket: name,
    region,
    selector: WHOLE_BUCKET,
    objects,
    bytes,
    staying: placements.costOf(scan, () => kept, kept),
    taken: null,
    options: [],
    savings: kept.usd,
    once: once.usd,
    confidenceTenths: lessDoubts(9, kept.uncertain || once.uncertain),
    blocked: [],
    risks: [],
    arrivals: null,
    fromClasses: [],
    groups: [],
  };
}

/** Section 5, rule 4: what nobody cleans up yet. */
function cleanUps(scan: Scan, bucket: Bucket): readonly Answer[] {
  const { region, incompleteUploads, oldVersions, use } = bucket;
  if (use.isKept || bucket.isRouted) return [];
  const { uploads, bytes } = incompleteUploads.abortable;
  const deletable = oldVersions.filter((one) => one.isDeletable);
  const kept = bytes === 0 ? sum([]) : storage.partsStorage(scan, region, bytes);
  const aborted = { objects: uploads, bytes, kept, once: sum([]) };
  const expired = {
    ...counted(deletable),
    kept: sum(deletable.map((one) => storage.storage(scan, one))),
    once: sum(
      deletable.map((one) => storage.earlyDeletion(scan, one, AGE_STARTS_DAYS[one.ageBand] ?? 0)),
    ),
  };
  return [
    cleanUp('abort_multipart_uploads', scan, bucket, aborted),
    ...(use.isLocked ? [] : [cleanUp('expire_old_versions', scan, bucket, expired)]),
  ];
}

/**
 * Everything that could be recommended for a bucket, merged, before the minimum savings apply; nothing for one in error.
 * Apart from that, the answers that only `*` takes and that no selector can name, and what measuring would decide.
 */
export function answersOf(scan: Scan, bucket: Bucket) {
  if (bucket.error !== null) return { answers: [], withoutSelector: [], undecided: [] };
  const { moves, withoutSelector, undecided } = movesOf(scan, bucket);
  const moving = new Set(moves.flatMap(({ groups }) => groups.map(({ prefix }) => prefix)));
  const changes = mergeChanges(
    bucket,
    bucket.groups
      .filter(({ prefix }) => !moving.has(prefix))
      .flatMap((group) => bestChange(scan, bucket, group) ?? []),
  );
  const asMove = (move: MergedMove) => moveAnswer(scan, bucket, move);
  const asChange = (change: MergedChange) => changeAnswer(scan, bucket, change);
  const answers = [
    ...moves.map(asMove),
    ...changes.filter(({ prefix }) => prefix !== REST).map(asChange),
    ...cleanUps(scan, bucket),
  ];
  return {
    answers: answers.filter(({ savings }) => savings.isPositive()),
    withoutSelector: [
      ...withoutSelector.map(asMove),
      ...changes.filter(({ prefix }) => prefix === REST).map(asChange),
    ],
    undecided,
  };
}

/** What an answer's objects cost in each scenario where they are, and where they are recommended to be. */
export const scenariosOf = ({ staying, taken }: Answer) =>
  SCENARIOS.map((scenario: keyof Scenarios) => ({
    scenario,
    stayMonthlyUsd: staying.monthly[scenario].usd.toUsd(),
    thereMonthlyUsd: taken?.cost.monthly[scenario].usd.toUsd() ?? 0,
  }));

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
