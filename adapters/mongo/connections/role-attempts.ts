import type { Collection, Db } from 'mongodb';
import { addSeconds } from '../../../domain/common/time.ts';
import {
  ATTEMPTS_KEPT_SECONDS,
  delaySecondsAfter,
} from '../../../domain/connections/connection.ts';
import { insertIfNew, matches } from '../common/open.ts';

interface RoleAttemptsDocument {
  /** The ARN of the role, which has no space in it, and the account that tries it. */
  readonly _id: string;
  /** In sequence, without one that assumed the role. */
  readonly attempts: number;
  readonly nextAt: Date;
}

/** A role, and the account that tries to connect it. */
export interface RoleAttempt {
  readonly accountId: string;
  readonly roleArn: string;
}

/** Attempts of a count that conflicts with another one. */
const MAX_ROUNDS = 20;

const idOf = ({ accountId, roleArn }: RoleAttempt): string => `${roleArn} ${accountId}`;

/**
 * The attempts to connect a role, by account: external ids cannot be guessed by many calls, and no
 * account keeps another one from its role.
 */
export class RoleAttempts {
  readonly #roles: Collection<RoleAttemptsDocument>;

  constructor(db: Db) {
    this.#roles = db.collection('roleAttempts');
  }

  /** Counts an attempt before it is made. False while the account may not try the role. */
  async begin(of: RoleAttempt, now: Date): Promise<boolean> {
    const _id = idOf(of);
    const oldest = addSeconds(now, -ATTEMPTS_KEPT_SECONDS);
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const [isFirst] = await Promise.all([this.#insertFirst(_id, now), this.#forgetOld(oldest)]);
      if (isFirst) return true;
      const stored = await this.#roles.findOne({ _id });
      if (!stored) continue;
      // Simultaneous attempts of different processes may count in another order than their clocks
      // say.
      if (delaySecondsAfter(stored.attempts) > 0 && stored.nextAt > now) return false;
      const attempts = stored.attempts + 1;
      if (
        await matches(
          this.#roles.updateOne(stored, {
            $set: { attempts, nextAt: addSeconds(now, delaySecondsAfter(attempts)) },
          }),
        )
      )
        return true;
    }
    return false;
  }

  /** Forgets the attempts, after the role was connected. */
  async clear(of: RoleAttempt): Promise<void> {
    await this.#roles.deleteOne({ _id: idOf(of) });
  }

  #insertFirst(_id: string, now: Date): Promise<boolean> {
    return insertIfNew(() => this.#roles.insertOne({ _id, attempts: 1, nextAt: now }));
  }

  async #forgetOld(oldest: Date): Promise<void> {
    await this.#roles.deleteMany({ nextAt: { $lt: oldest } });
  }
}
