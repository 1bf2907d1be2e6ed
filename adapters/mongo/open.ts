import {
  MongoClient,
  MongoError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
  type Db,
} from 'mongodb';

/** Bounds each step of an operation: a server to talk to, a connection to it, its answer. */
const REACH_TIMEOUT_MS = 2_000;
const ANSWER_TIMEOUT_MS = 2_500;
/** How the driver marks errors of a server that is changing its role or its mind. */
const OUTAGE_LABELS = ['RetryableWriteError', 'PoolRequestedRetry', 'InterruptInUseConnections'];
/** What the driver lets through as it comes from a socket that ends while it is being written to. */
const SOCKET_CODES = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_DESTROYED']);

export interface Mongo {
  readonly db: Db;
  /** Resolves when the database answers. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface MongoSettings {
  readonly uri: string;
  readonly database: string;
}

/** Connects lazily: a process starts, and says that it is degraded, without its database. */
export function openMongo({ uri, database }: MongoSettings): Mongo {
  const client = new MongoClient(uri, {
    appName: 'storage-routing-service',
    serverSelectionTimeoutMS: REACH_TIMEOUT_MS,
    connectTimeoutMS: REACH_TIMEOUT_MS,
    waitQueueTimeoutMS: REACH_TIMEOUT_MS,
    socketTimeoutMS: ANSWER_TIMEOUT_MS,
    writeConcern: { w: 'majority' },
    ignoreUndefined: true,
  });
  const db = client.db(database);
  return {
    db,
    ping: async () => {
      await db.command({ ping: 1 });
    },
    close: () => client.close(),
  };
}

/** Whether an error is the database being away, rather than the database saying no. */
export function isMongoOutage(error: unknown): boolean {
  return (
    error instanceof MongoNetworkError ||
    error instanceof MongoServerSelectionError ||
    error instanceof MongoOperationTimeoutError ||
    error instanceof MongoTopologyClosedError ||
    error instanceof MongoNotConnectedError ||
    // The driver does not export this one.
    (error instanceof MongoError && error.name === 'MongoWaitQueueTimeoutError') ||
    (error instanceof MongoError && OUTAGE_LABELS.some((label) => error.hasErrorLabel(label))) ||
    (error instanceof Error && 'code' in error && SOCKET_CODES.has(String(error.code)))
  );
}

/** A unique index said no. Compatible servers word it in their own way. */
export function isDuplicate(error: unknown): boolean {
  if (!(error instanceof MongoServerError)) return false;
  return error.code === 11000 || /E11000|exclusion constraint/.test(error.message);
}

/** Inserts what may be there already; what is there stays as it is. */
export async function insertIfNew(insert: () => Promise<unknown>): Promise<void> {
  try {
    await insert();
  } catch (error) {
    if (!isDuplicate(error)) throw error;
  }
}
