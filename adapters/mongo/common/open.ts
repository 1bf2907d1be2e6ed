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
import { watchChecks } from './check-watch.ts';

/** Bounds for server selection, for connecting, and for an answer. */
const REACH_TIMEOUT_MS = 2_000;
const ANSWER_TIMEOUT_MS = 2_500;
/** Connections that an outage or a peak has opened are closed after this time without use. */
const MAX_IDLE_MS = 30_000;
/** The driver's labels of errors during a failover or a pool reset. */
const OUTAGE_LABELS = ['RetryableWriteError', 'PoolRequestedRetry', 'InterruptInUseConnections'];
/**
 * A server that changes its state: NotWritablePrimary, PrimarySteppedDown, ShutdownInProgress,
 * InterruptedAtShutdown, InterruptedDueToReplStateChange, NotPrimaryNoSecondaryOk,
 * NotPrimaryOrSecondary. The driver labels them only if it retries the command. Source: server
 * discovery and monitoring specification, "not writable primary" and "node is recovering".
 */
const STATE_CHANGES = new Set([91, 189, 10107, 11600, 11602, 13435, 13436]);
/** Socket errors that the driver passes through when a socket ends during a write. */
const SOCKET_CODES = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_DESTROYED']);

export interface Mongo {
  readonly db: Db;
  /** Resolves when the database answers. Connects again if the first attempt has failed. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface MongoSettings {
  readonly uri: string;
  readonly database: string;
  /** How long an answer may take: 2.5 s by default; 0: as long as the server is there. */
  readonly answerTimeoutMs?: number;
}

/** Connects lazily: a process starts without its database, and reports itself as degraded. */
export function openMongo({
  uri,
  database,
  answerTimeoutMs = ANSWER_TIMEOUT_MS,
}: MongoSettings): Mongo {
  const client = new MongoClient(uri, {
    appName: 'storage-routing-service',
    serverSelectionTimeoutMS: REACH_TIMEOUT_MS,
    connectTimeoutMS: REACH_TIMEOUT_MS,
    waitQueueTimeoutMS: REACH_TIMEOUT_MS,
    socketTimeoutMS: answerTimeoutMs,
    maxIdleTimeMS: MAX_IDLE_MS,
    // A connection string cannot weaken these.
    readPreference: 'primary',
    retryReads: true,
    retryWrites: true,
    writeConcern: { w: 'majority' },
    ignoreUndefined: true,
  });
  const db = client.db(database);
  const endWatch = watchChecks(client);
  let isClosed = false;
  return {
    db,
    ping: async () => {
      // The driver connects with the first operation, and fails all later ones if that did not
      // work.
      if (!isClosed) await client.connect();
      await db.command({ ping: 1 });
    },
    close: async () => {
      isClosed = true;
      endWatch();
      await client.close();
    },
  };
}

/** Whether the database is unavailable, as opposed to refusing an operation. */
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
    (error instanceof MongoServerError && STATE_CHANGES.has(Number(error.code))) ||
    (error instanceof Error && 'code' in error && SOCKET_CODES.has(String(error.code)))
  );
}

/** Whether a unique index refused a write. Compatible servers word the error differently. */
export function isDuplicate(error: unknown): boolean {
  if (!(error instanceof MongoServerError)) return false;
  return error.code === 11000 || /E11000|exclusion constraint/.test(error.message);
}

/** Whether a conditional write has found its document. */
export async function matches(write: Promise<{ readonly matchedCount: number }>): Promise<boolean> {
  return (await write).matchedCount === 1;
}

/** Inserts a document; an existing one is kept. True if it was inserted. */
export async function insertIfNew(insert: () => Promise<unknown>): Promise<boolean> {
  try {
    await insert();
    return true;
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
}
