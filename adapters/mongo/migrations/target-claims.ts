import type { Collection, Db } from 'mongodb';
import { insertIfNew, matches } from '../common/open.ts';

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
  /** What the keys that it reads begin with; null: all of the bucket. */
  readonly prefix: string | null;
  readonly at: Date;
} & (
  | { readonly kind: 'approval' }
  | { readonly kind: 'round'; readonly round: number }
  | { readonly kind: 'release' }
);

type ClaimDocument = Omit<TargetClaim, 'claimId'> & { readonly _id: string };

/** The claims of places at targets: one document each, so that one of two migrations gets it. */
export class TargetClaims {
  readonly #claims: Collection<ClaimDocument>;

  constructor(db: Db) {
    this.#claims = db.collection('targetClaims');
  }

  async findClaim(claimId: string): Promise<TargetClaim | undefined> {
    const stored = await this.#claims.findOne({ _id: claimId });
    if (!stored) return undefined;
    const { _id, ...claim } = stored;
    return { claimId: _id, ...claim };
  }

  /** Stores the claim in place of the previous revision. False if another call was faster. */
  async saveClaim({ claimId, ...claim }: TargetClaim): Promise<boolean> {
    const previous = claim.revision - 1;
    if (previous === 0)
      return await insertIfNew(() => this.#claims.insertOne({ _id: claimId, ...claim }));
    return await matches(
      this.#claims.updateOne({ _id: claimId, revision: previous }, { $set: claim }),
    );
  }
}
