import type { Collection, Db, WithId } from 'mongodb';
import {
  isRole,
  type Connection,
  type RoleConnection,
  type StoreConnection,
} from '../../../domain/connections/connection.ts';
import type { ProviderName } from '../../../domain/providers/catalogue.ts';
import type { Activity } from '../../../domain/accounts/activity.ts';
import type { ScanSchedule } from '../../../domain/connections/schedule.ts';
import { listDue, queueOf, type DueList, type DueQueue } from '../common/due.ts';
import { noting, toOutbox, type WithOutbox, withoutOutbox } from '../common/outbox.ts';
import { insertIfNew, matches } from '../common/open.ts';
import {
  settingSchedule,
  settleDue,
  WITHOUT_SCHEDULE,
  type DueSchedule,
  type WithSchedule,
} from '../common/schedules.ts';

type ConnectionDocument = Partial<
  Omit<RoleConnection, 'connectionId'> & Omit<StoreConnection, 'connectionId'>
> &
  Pick<Connection, 'accountId' | 'provider' | 'bucketCount' | 'warnings' | 'createdAt'> &
  WithOutbox &
  WithSchedule<ScanSchedule> & {
    readonly _id: string;
    /** What is connected, once over all accounts: a role, or `store:` with account and provider. */
    readonly subject: string;
    /** The edition that decided its newest completed scan, and when that completed. */
    readonly decided?: Decided;
    /** When it could not be decided again. */
    readonly undecidedAt?: Date;
  };

interface Decided {
  readonly edition: string;
  readonly at: Date;
}

/** A connection with a schedule, as the sweep sees it. */
export interface DueConnection extends DueSchedule<ScanSchedule>, ConnectionKey {
  readonly accountId: string;
  readonly provider: ProviderName;
}

export interface ConnectionKey {
  readonly connectionId: string;
  readonly accountId: string;
}

/** The connected roles and stores. A role belongs to the first account that connects it. */
export class Connections {
  readonly #connections: Collection<ConnectionDocument>;
  /** The connections whose scan is due. */
  readonly due: DueQueue<DueConnection>;

  constructor(db: Db) {
    this.#connections = db.collection('connections');
    this.due = queueOf(this.#connections, { toWork: toScheduled });
  }

  /**
   * Stores a connection. The same role or store of the same account keeps its id and `createdAt`.
   *
   * @returns the stored connection, which belongs to another account if that account was first.
   */
  async saveConnection(
    connection: Connection,
    toActivity: (connectionId: string) => Activity,
  ): Promise<Connection> {
    const { connectionId, ...fields } = connection;
    const { accountId, bucketCount, warnings } = connection;
    const subject = subjectOf(connection);
    const first = toActivity(connectionId);
    const isNew = await insertIfNew(() =>
      this.#connections.insertOne({
        _id: connectionId,
        ...fields,
        subject,
        ...toOutbox(first),
      }),
    );
    if (isNew) return connection;
    const kept = await this.findBySubject(subject);
    if (kept?.accountId === accountId) {
      const scope = scopeOf(connection);
      const isOther = JSON.stringify(scopeOf(kept)) !== JSON.stringify(scope);
      await this.#connections.updateOne(
        { subject, accountId },
        {
          $set: { ...scope, bucketCount, warnings },
          ...(isOther ? noting(toActivity(kept.connectionId)) : {}),
        },
      );
    }
    return (await this.findBySubject(subject)) ?? connection;
  }

  /** Finds the connection of any account. */
  async findBySubject(subject: string): Promise<Connection | undefined> {
    return toConnection(await this.#connections.findOne({ subject }));
  }

  /** Whether the account's credentials of the provider are connected. */
  async isStoreConnected(accountId: string, provider: ProviderName): Promise<boolean> {
    return (await this.findBySubject(connectedStore(accountId, provider))) !== undefined;
  }

  /** Undefined for an unknown id and for another account's. */
  async findConnection({
    connectionId,
    accountId,
  }: ConnectionKey): Promise<Connection | undefined> {
    const document = await this.#connections.findOne({ _id: connectionId });
    return document?.accountId === accountId ? toConnection(document) : undefined;
  }

  /** The oldest first. */
  async listConnections(accountId: string): Promise<Connection[]> {
    const documents = await this.#connections.find({ accountId }).sort({ createdAt: 1 }).toArray();
    return documents.map(toConnection).filter((connection) => connection !== undefined);
  }

  /** Sets the rule and the next time, and keeps `last`. False for an unknown connection. */
  async saveSchedule(
    { connectionId, accountId }: ConnectionKey,
    schedule: Omit<ScanSchedule, 'last'>,
    activity: Activity,
  ): Promise<boolean> {
    return await matches(
      this.#connections.updateOne(
        { _id: connectionId, accountId },
        { ...settingSchedule(schedule), ...noting(activity) },
      ),
    );
  }

  async removeSchedule(
    { connectionId, accountId }: ConnectionKey,
    activity: Activity,
  ): Promise<void> {
    await this.#connections.updateOne(
      { _id: connectionId, accountId, schedule: { $exists: true } },
      { ...WITHOUT_SCHEDULE, ...noting(activity) },
    );
  }

  /** Stores what became of the due time, and the next one, unless another sweep was faster. */
  async settleDue(
    due: DueConnection,
    last: ScanSchedule['last'] & object,
    nextAt: Date,
  ): Promise<void> {
    await settleDue(this.#connections, due, last, nextAt);
  }

  /** Those whose newest scan another edition decided, and that were not tried since a time. */
  undecided(edition: string, since: Date): DueList<ConnectionKey> {
    return listDue(this.#connections, {
      account: 'accountId',
      time: 'decided.at',
      isDue: () => ({
        'decided.edition': { $ne: edition },
        undecidedAt: { $not: { $gte: since } },
      }),
      toWork: ({ _id: connectionId, accountId }) => ({ connectionId, accountId }),
      projection: { accountId: 1 },
    });
  }

  /** Notes that a connection could not be decided again. */
  async noteUndecided(connectionId: string, undecidedAt: Date): Promise<void> {
    await this.#connections.updateOne({ _id: connectionId }, { $set: { undecidedAt } });
  }

  async markDecided(connectionId: string, decided: Decided): Promise<void> {
    await this.#connections.updateOne(
      { _id: connectionId },
      { $set: { decided }, $unset: { undecidedAt: true } },
    );
  }

  /** Notes that the connection is about to be removed. */
  async noteRemoval({ connectionId, accountId }: ConnectionKey, activity: Activity): Promise<void> {
    await this.#connections.updateOne({ _id: connectionId, accountId }, noting(activity));
  }

  async removeConnection({ connectionId, accountId }: ConnectionKey): Promise<void> {
    await this.#connections.deleteOne({ _id: connectionId, accountId });
  }
}

function subjectOf(connection: Connection): string {
  return isRole(connection)
    ? connection.roleArn
    : connectedStore(connection.accountId, connection.provider);
}

function connectedStore(accountId: string, provider: ProviderName): string {
  return `store:${accountId}/${provider}`;
}

/** What a repeat of a connection replaces. */
function scopeOf(connection: Connection) {
  if (!isRole(connection)) {
    const { owner, place, buckets } = connection;
    return { owner, buckets, place };
  }
  return { externalId: connection.externalId, regions: connection.regions };
}

function toScheduled(stored: WithId<ConnectionDocument>) {
  const { _id: connectionId, accountId, provider, schedule } = stored;
  return schedule && { connectionId, accountId, provider, schedule };
}

function toConnection(document: WithId<ConnectionDocument> | null): Connection | undefined {
  if (!document) return undefined;
  const {
    _id,
    nextAttemptAt: _nextAttemptAt,
    attempts: _attempts,
    decided: _decided,
    schedule,
    ...fields
  } = withoutOutbox(document);
  const common = {
    connectionId: _id,
    accountId: fields.accountId,
    provider: fields.provider,
    bucketCount: fields.bucketCount,
    warnings: fields.warnings,
    createdAt: fields.createdAt,
    ...(schedule ? { schedule: { ...schedule, last: schedule.last ?? null } } : {}),
  };
  const { owner, place, buckets = null, subject, externalId = '', regions = [] } = fields;
  return owner === undefined || place === undefined
    ? { ...common, roleArn: subject, externalId, regions }
    : { ...common, owner, place, buckets };
}
