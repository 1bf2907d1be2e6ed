import { setTimeout as sleep } from 'node:timers/promises';
import type { MongoClient } from 'mongodb';

/** Between two attempts to connect. */
const RETRY_MS = 1_000;

/**
 * Connects anew when the driver's check of a server does not end.
 *
 * The driver (7.8) waits for `drain` after a write to a socket that was destroyed a moment before,
 * which never comes (the wait is from https://github.com/mongodb/node-mongodb-native/pull/4022;
 * NODE-6370 was another effect of it, and no issue of the driver describes this one): the check
 * stays in progress, so no further one begins, and the process never finds the server again. A
 * check takes a connect, a handshake and a wait of `heartbeatFrequencyMS` at most.
 *
 * @returns Ends the watch.
 */
export function watchChecks(client: MongoClient): () => void {
  const { connectTimeoutMS, heartbeatFrequencyMS } = client.options;
  const limitMs = 3 * connectTimeoutMS + heartbeatFrequencyMS;
  const timers = new Map<string, NodeJS.Timeout>();
  const ended = new AbortController();
  const end = (address: string) => {
    clearTimeout(timers.get(address));
    timers.delete(address);
  };
  const reconnect = async () => {
    await client.close().catch(() => undefined);
    while (!ended.signal.aborted) {
      try {
        await client.connect();
        if (ended.signal.aborted) await client.close();
        return;
      } catch {
        await sleep(RETRY_MS);
      }
    }
  };
  client.on('serverHeartbeatStarted', ({ connectionId }) => {
    end(connectionId);
    if (!ended.signal.aborted)
      timers.set(connectionId, setTimeout(() => void reconnect(), limitMs).unref());
  });
  client.on('serverHeartbeatSucceeded', ({ connectionId }) => end(connectionId));
  client.on('serverHeartbeatFailed', ({ connectionId }) => end(connectionId));
  client.on('serverClosed', ({ address }) => end(address));
  return () => {
    ended.abort();
    for (const address of timers.keys()) end(address);
  };
}
