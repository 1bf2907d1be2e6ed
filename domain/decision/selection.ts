import { isBelowLimit, sumBy, groupBy, totalOf } from '../common/sums.ts';
import type { ProviderName } from '../providers/catalogue.ts';
import { quotedEgressUsd } from './costs.ts';
import type { Candidate, Move, MoveCandidate } from './model.ts';
import type { RegionRates } from './region-rates.ts';

/**
 * What the recommended moves share: the floors of their targets, the free egress of their source.
 */

/** USD per month at each store of all that some moves bring there. */
export function monthlyByStore(
  candidates: readonly Candidate[],
): ReadonlyMap<ProviderName, number> {
  const moves = groupBy(candidates.filter(isMove), ({ move }) => move.target.provider);
  return new Map(
    [...moves].map(([provider, there]) => [provider, sumBy(there, ({ move }) => move.shownUsd)]),
  );
}

/** The stores whose moves together cost less a month than the least that the store charges. */
export function storesBelowFloor(candidates: readonly Candidate[]): readonly ProviderName[] {
  const monthly = monthlyByStore(candidates);
  const targets = candidates.filter(isMove).map(({ move }) => move.target);
  const below = targets.filter(({ provider, floorUsdPerMonth }) =>
    isBelowLimit(totalOf(monthly, provider), floorUsdPerMonth),
  );
  return [...new Set(below.map(({ provider }) => provider))];
}

/**
 * The free egress of a source, by one of its regions: all of them share it. Each call takes what
 * some bytes need, as long as some is left, and returns it in GB.
 */
export function openFreeEgress({ freeEgressGb, bytesPerGb }: RegionRates) {
  let leftGb = freeEgressGb;
  return (bytes: number): number => {
    const takenGb = Math.min(leftGb, bytes / bytesPerGb);
    leftGb -= takenGb;
    return takenGb;
  };
}

/**
 * Shares the free egress of the source among the recommended moves, in their order: the first ones
 * leave for nothing until it is used up. Before that, each candidate is decided with all of it.
 */
export function shareFreeEgress(candidates: readonly Candidate[]): readonly Candidate[] {
  const [first] = candidates;
  if (!first) return [];
  const takeFreeGb = openFreeEgress(first.bucket.region);
  return candidates.map((candidate) =>
    isMove(candidate) ? withFreeEgress(candidate, takeFreeGb(candidate.bytes)) : candidate,
  );
}

function withFreeEgress(candidate: MoveCandidate, freeEgressGb: number): MoveCandidate {
  const { placements, move, bytes, bucket } = candidate;
  const egressUsd = quotedEgressUsd(bucket.region, bytes, freeEgressGb);
  const quoted = (one: Move): Move => {
    const totalUsd = one.quote.totalWithExitWaiverUsd + egressUsd;
    return { ...one, oneOffUsd: totalUsd, quote: { ...one.quote, egressUsd, totalUsd } };
  };
  return {
    ...candidate,
    placements: { ...placements, moves: placements.moves.map(quoted) },
    move: quoted(move),
    freeEgressGb,
  };
}

function isMove(candidate: Candidate): candidate is MoveCandidate {
  return candidate.kind === 'move';
}
