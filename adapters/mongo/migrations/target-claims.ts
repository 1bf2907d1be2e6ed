import type { Db } from 'mongodb';
import { insertIfNew } from '../common/open.ts';

/** A place at a target, and the migrations of one source that write there. */
export interface TargetClaim {
  /** Names account, bucket and key prefix. */
  readonly claimId: string;
  /** Names the bucket that the migrations read. */
  readonly sourceId: string;
  /** The latest turn of each of them. */
  readonly turns: readonly Turn[];
  /** Increased by every write. */
  readonly revision: number;
}

/** What a migration was about to do at its place, and when. */
export type Turn = {
  readonly migrationId: string;
  /** Of the keys that it reads; null: all of the bucket. */
  readonly prefix: string | null;
  readonly at: Date;
} & (
  | { readonly kind: 'approval' }
  | { readonly kind: 'round'; readonly round: number }
  | { readonly kind: 'release' }
);

type ClaimDocument = Omit<TargetClaim, 'claimId'> & { readonly _id: string };

/** The claims of places at targets: one document each, so that one of two migrations at once gets a place. */
export interface TargetClaims {
  findClaim(claimId: string): Promise<TargetClaim | undefined>;
  /** Stores the claim in place of the one of the revision before. False if another call was faster. */
  saveClaim(claim: TargetClaim): Promise<boolean>;
}

export function createTargetClaims(db: Db): TargetClaims {
  const claims = db.collection<ClaimDocument>('targetClaims');
  return {
    async findClaim(claimId) {
      const found = await claims.findOne({ _id: claimId });
      if (!found) return undefined;
      const { _id, ...claim } = found;
      return { claimId: _id, ...claim };
    },

    async saveClaim({ claimId, ...claim }) {
      const before = claim.revision - 1;
      if (before === 0)
        return await insertIfNew(() => claims.insertOne({ _id: claimId, ...claim }));
      const saved = await claims.updateOne({ _id: claimId, revision: before }, { $set: claim });
      return saved.matchedCount === 1;
    },
  };
}
