import { REST_PREFIX } from '../inventory/bands.ts';
import {
  leave,
  noLeftover,
  type Answer,
  type ChangeAnswer,
  type Leftover,
  type MoveAnswer,
} from './answers.ts';
import {
  targetTaken,
  weighPrefix,
  weighWhole,
  type PricedBucket,
  type Scales,
  type StepsTaken,
} from './bucket.ts';
import { costsOfChange, type Change } from './change.ts';
import type { ClassRates } from './rates.ts';
import { BAND_COUNT } from './table.ts';
import { savingsUsd } from './weighing.ts';

/** The prefix of an answer for the whole bucket. */
const WHOLE = -1;
/** A prefix without objects that may move. */
const BOUND = -2;
/** A prefix that does not move: nothing better is found, or a migration's copies occupy it. */
const STAYS = -1;

/** What a bucket's objects could do, joined as far as one selector can say it. */
export interface BucketAnswers {
  readonly answers: readonly Answer[];
  /** What only the rest of the prefixes wants: no selector can name it. */
  readonly withoutSelector: Leftover;
}

export function answersOf(scales: Scales, bucket: PricedBucket): BucketAnswers {
  const { table } = bucket;
  const steps = new Int8Array(table.cells.length).fill(-1);
  const withoutSelector = noLeftover();
  const answers: Answer[] = [];
  const moves: MoveAnswer[] = [];
  const takes = table.prefixes.map((name, prefix) => {
    if (table.occupied.has(name)) return STAYS;
    if (!weighPrefix(scales, bucket, prefix, steps)) return BOUND;
    const target = targetTaken(scales);
    if (target === STAYS) return STAYS;
    moves.push(moveOf(scales, bucket, prefix, target));
    return target;
  });

  const together = takes.find((target) => target !== BOUND);
  const moveTogether =
    table.occupied.size === 0 &&
    together !== undefined &&
    together !== STAYS &&
    takes.every((target) => target === together || target === BOUND);
  if (moveTogether) {
    weighWhole(scales, bucket);
    answers.push(moveOf(scales, bucket, WHOLE, together));
    return { answers, withoutSelector };
  }
  for (const move of moves) {
    if (table.prefixes[move.prefix] === REST_PREFIX) {
      takes[move.prefix] = STAYS;
      leave(withoutSelector, move);
    } else answers.push(move);
  }
  for (const change of changesOf(bucket, steps, takes)) {
    const answer = changeAnswer(bucket, change);
    if (table.prefixes[change.prefix] === REST_PREFIX) leave(withoutSelector, answer);
    else answers.push(answer);
  }
  return { answers, withoutSelector };
}

/** The move of what was weighed last. */
function moveOf(
  { weighing }: Scales,
  bucket: PricedBucket,
  prefix: number,
  target: number,
): MoveAnswer {
  const { held, stay, offers } = weighing;
  const offer = offers[target];
  return {
    kind: 'move',
    bucket,
    prefix,
    target,
    objects: held.objects,
    bytes: held.bytes,
    savingsUsd: offer ? savingsUsd(stay, offer.monthly) : 0,
  };
}

function changeAnswer(bucket: PricedBucket, change: Change): ChangeAnswer {
  const { held, stay, placed } = costsOfChange(bucket, change);
  return {
    kind: 'change_class',
    bucket,
    change,
    objects: held.objects,
    bytes: held.bytes,
    savingsUsd: savingsUsd(stay, placed),
  };
}

/** Steps that all prefixes take in a band are one for the bucket; the others stay their prefix's own. */
function changesOf(
  bucket: PricedBucket,
  steps: StepsTaken,
  takes: readonly number[],
): readonly Change[] {
  const { table, rates } = bucket;
  const changes: Change[] = [];
  for (const storageClass of table.classes.keys()) {
    const at = (prefix: number, band: number) =>
      prefix * table.stride + storageClass * BAND_COUNT + band;
    const wants = (prefix: number, band: number): ClassRates | null => {
      const step = steps[at(prefix, band)] ?? -1;
      if (step < 0 || (takes[prefix] ?? STAYS) >= 0) return null;
      return rates[storageClass]?.bands[band]?.steps[step]?.to ?? null;
    };
    const isEmpty = (prefix: number, band: number) => !table.cells[at(prefix, band)];
    const shared = Array.from({ length: BAND_COUNT }, (_, band) =>
      sharedStep(table.prefixes.length, (prefix) =>
        isEmpty(prefix, band) ? undefined : wants(prefix, band),
      ),
    );
    const isEmptyInAll = (band: number) => !table.whole[storageClass * BAND_COUNT + band];
    joinBands(
      (band) => shared[band] ?? null,
      isEmptyInAll,
      (span) => changes.push({ prefix: WHOLE, storageClass, ...span }),
    );
    for (const prefix of table.prefixes.keys()) {
      joinBands(
        (band) => (shared[band] ? null : wants(prefix, band)),
        (band) => isEmpty(prefix, band),
        (span) => changes.push({ prefix, storageClass, ...span }),
      );
    }
  }
  return changes;
}

/** The class that all prefixes with objects want, or null; `undefined` is a prefix without any. */
function sharedStep(
  prefixes: number,
  wants: (prefix: number) => ClassRates | null | undefined,
): ClassRates | null {
  let shared: ClassRates | null = null;
  for (let prefix = 0; prefix < prefixes; prefix += 1) {
    const wanted = wants(prefix);
    if (wanted === undefined) continue;
    if (wanted === null || (shared && shared !== wanted)) return null;
    shared = wanted;
  }
  return shared;
}

/** Joins bands that want the same class, over empty ones between them too. */
function joinBands(
  wants: (band: number) => ClassRates | null,
  isEmpty: (band: number) => boolean,
  found: (span: { to: ClassRates; firstBand: number; lastBand: number }) => void,
): void {
  let open: { to: ClassRates; firstBand: number; lastBand: number } | null = null;
  for (let band = 0; band < BAND_COUNT; band += 1) {
    if (isEmpty(band)) continue;
    const to = wants(band);
    if (open && open.to === to) {
      open.lastBand = band;
      continue;
    }
    if (open) found(open);
    open = to && { to, firstBand: band, lastBand: band };
  }
  if (open) found(open);
}
