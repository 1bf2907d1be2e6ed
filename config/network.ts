import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';

/**
 * How long the process waits for a connection to one address of a name before it tries the next
 * one. By default Node 20 waits 250 ms, and a handshake that takes longer than that at every
 * address fails. Shorter than any call to a store, so that the next address is tried within the
 * call.
 */
const ADDRESS_ATTEMPT_MS = 2_000;

/** For every connection that the process opens from then on. */
export function waitForHandshakes(): void {
  setDefaultAutoSelectFamilyAttemptTimeout(ADDRESS_ATTEMPT_MS);
}
