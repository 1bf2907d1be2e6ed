import type { Db, WithId } from 'mongodb';
import type { Connection } from '../../domain/scan/connection.ts';
import { insertIfNew } from './open.ts';

type ConnectionDocument = Omit<Connection, 'connectionId'> & { readonly _id: string };

/** The connected roles. A role belongs to the first account that connects it. */
export interface Connections {
  /**
   * Stores a connection. The same role of the same account keeps its id and `createdAt`.
   *
   * @returns the stored connection, which belongs to another account where that one was first.
   */
  save(connection: Connection): Promise<Connection>;
  /** Of any account. */
  findByRole(roleArn: string): Promise<Connection | undefined>;
  /** Undefined for an unknown id and for another account's. */
  find(key: ConnectionKey): Promise<Connection | undefined>;
  /** The oldest first. */
  list(accountId: string): Promise<Connection[]>;
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

    async save({ connectionId, ...connection }) {
      const { accountId, roleArn, externalId, regions, bucketCount, warnings } = connection;
      await insertIfNew(() => connections.insertOne({ _id: connectionId, ...connection }));
      await connections.updateOne(
        { roleArn, accountId },
        { $set: { externalId, regions, bucketCount, warnings } },
      );
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

    async remove({ connectionId, accountId }) {
      await connections.deleteOne({ _id: connectionId, accountId });
    },
  };
}

function toConnection(document: WithId<ConnectionDocument> | null): Connection | undefined {
  if (!document) return undefined;
  const { _id, ...rest } = document;
  return { connectionId: _id, ...rest };
}
