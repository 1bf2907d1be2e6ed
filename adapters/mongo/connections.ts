import type { Db, WithId } from 'mongodb';
import { addSeconds } from '../../domain/common/time.ts';
import {
  ATTEMPTS_KEPT_SECONDS,
  delaySecondsAfter,
  type Connection,
} from '../../domain/scan/connection.ts';
import type { Activity } from '../../domain/account/activity.ts';
import { noting, type Noting } from './activities.ts';
import { insertIfNew } from './open.ts';

type ConnectionDocument = Omit<Connection, 'connectionId'> & Noting & { readonly _id: string };

/** The connected roles. A role belongs to the first account that connects it. */
export interface Connections {
  /**
   * Stores a connection. The same role of the same account keeps its id and `createdAt`.
   *
   * @returns the stored connection, which belongs to another account if that account was first.
   */
  save(connection: Connection, toActivity: (connectionId: string) => Activity): Promise<Connection>;
  /** Of any account. */
  findByRole(roleArn: string): Promise<Connection | undefined>;
  /** Undefined for an unknown id and for another account's. */
  find(key: ConnectionKey): Promise<Connection | undefined>;
  /** The oldest first. */
  list(accountId: string): Promise<Connection[]>;
  /** Notes that the connection is about to be removed. */
  noteRemoval(key: ConnectionKey, activity: Activity): Promise<void>;
  remove(key: ConnectionKey): Promise<void>;
}

export interface ConnectionKey {
  readonly connectionId: string;
  readonly accountId: string;
}

export function createConnections(db: Db): Connections {
  const connections = db.collection<ConnectionDocument>('connections');
  const findByRole = async (roleArn: string) =>
    toConnection(await connections.findOne({ roleArn }));

  return {
    findByRole,

    async save({ connectionId, ...connection }, toActivity) {
      const { accountId, roleArn, externalId, regions, bucketCount, warnings } = connection;
      const first = toActivity(connectionId);
      const isNew = await insertIfNew(() =>
        connections.insertOne({
          _id: connectionId,
          ...connection,
          noted: [first],
          notedAt: first.at,
        }),
      );
      if (isNew) return { connectionId, ...connection };
      const kept = await findByRole(roleArn);
      if (kept?.accountId === accountId) {
        const isOther = kept.externalId !== externalId || kept.regions.join() !== regions.join();
        await connections.updateOne(
          { roleArn, accountId },
          {
            $set: { externalId, regions, bucketCount, warnings },
            ...(isOther ? noting(toActivity(kept.connectionId)) : {}),
          },
        );
      }
      return (await findByRole(roleArn)) ?? { connectionId, ...connection };
    },

    async find({ connectionId, accountId }) {
      const document = await connections.findOne({ _id: connectionId });
      return document?.accountId === accountId ? toConnection(document) : undefined;
    },

    async list(accountId) {
      const documents = await connections.find({ accountId }).sort({ createdAt: 1 }).toArray();
      return documents.map(toConnection).filter((connection) => connection !== undefined);
    },

    async noteRemoval({ connectionId, accountId }, activity) {
      await connections.updateOne({ _id: connectionId, accountId }, noting(activity));
    },

    async remove({ connectionId, accountId }) {
      await connections.deleteOne({ _id: connectionId, accountId });
    },
  };
}

function toConnection(document: WithId<ConnectionDocument> | null): Connection | undefined {
  if (!document) return undefined;
  const { _id, noted: _noted, notedAt: _notedAt, ...rest } = document;
  return { connectionId: _id, ...rest };
}

interface RoleAttemptsDocument {
  /** The ARN of the role. */
  readonly _id: string;
  /** In sequence, without one that assumed the role. */
  readonly attempts: number;
  readonly nextAt: Date;
}

/**
 * The attempts to connect a role, of all accounts together: external ids cannot be guessed by many
 * calls, nor from many accounts.
 */
export interface RoleAttempts {
  /** Counts an attempt before it is made. False while the role may not be tried. */
  begin(roleArn: string, now: Date): Promise<boolean>;
  /** Forgets the attempts, after the role was assumed. */
  clear(roleArn: string): Promise<void>;
}

/** Attempts of a count that conflicts with another one. */
const MAX_ROUNDS = 20;

export function createRoleAttempts(db: Db): RoleAttempts {
  const roles = db.collection<RoleAttemptsDocument>('roleAttempts');

  const insertFirst = (roleArn: string, now: Date): Promise<boolean> =>
    insertIfNew(() => roles.insertOne({ _id: roleArn, attempts: 1, nextAt: now }));

  async function forgetOld(oldest: Date): Promise<void> {
    await roles.deleteMany({ nextAt: { $lt: oldest } });
  }

  return {
    async begin(roleArn, now) {
      const oldest = addSeconds(now, -ATTEMPTS_KEPT_SECONDS);
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        const [isFirst] = await Promise.all([insertFirst(roleArn, now), forgetOld(oldest)]);
        if (isFirst) return true;
        const known = await roles.findOne({ _id: roleArn });
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

    async clear(roleArn) {
      await roles.deleteOne({ _id: roleArn });
    },
  };
}
