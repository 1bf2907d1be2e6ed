import type { Db } from 'mongodb';
import { addSeconds } from '../../../domain/common/time.ts';
import { ATTEMPTS_KEPT_SECONDS, delaySecondsAfter } from '../../../domain/connections/connection.ts';
import { insertIfNew } from '../common/open.ts';

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

/**
 * The attempts to connect a role, by account: external ids cannot be guessed by many calls, and no account
 * keeps another one from its role.
 */
export interface RoleAttempts {
  /** Counts an attempt before it is made. False while the account may not try the role. */
  begin(of: RoleAttempt, now: Date): Promise<boolean>;
  /** Forgets the attempts, after the role was connected. */
  clear(of: RoleAttempt): Promise<void>;
}

/** Attempts of a count that conflicts with another one. */
const MAX_ROUNDS = 20;

export function createRoleAttempts(db: Db): RoleAttempts {
  const roles = db.collection<RoleAttemptsDocument>('roleAttempts');

  const idOf = ({ accountId, roleArn }: RoleAttempt): string => `${roleArn} ${accountId}`;
  const insertFirst = (_id: string, now: Date): Promise<boolean> =>
    insertIfNew(() => roles.insertOne({ _id, attempts: 1, nextAt: now }));

  async function forgetOld(oldest: Date): Promise<void> {
    await roles.deleteMany({ nextAt: { $lt: oldest } });
  }

  return {
    async begin(of, now) {
      const _id = idOf(of);
      const oldest = addSeconds(now, -ATTEMPTS_KEPT_SECONDS);
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        const [isFirst] = await Promise.all([insertFirst(_id, now), forgetOld(oldest)]);
        if (isFirst) return true;
        const known = await roles.findOne({ _id });
        if (!known) continue;
        // Simultaneous attempts of different processes may count in another order than their clocks say.
        if (delaySecondsAfter(known.attempts) > 0 && known.nextAt > now) return false;
        const attempts = known.attempts + 1;
        const { matchedCount } = await roles.updateOne(known, {
          $set: { attempts, nextAt: addSeconds(now, delaySecondsAfter(attempts)) },
        });
        if (matchedCount === 1) return true;
      }
      return false;
    },

    async clear(of) {
      await roles.deleteOne({ _id: idOf(of) });
    },
  };
}
