import type { BucketAddress } from '../object-store/address.ts';
import { BucketConnection } from '../object-store/bucket-connection.ts';
import { StoreError } from '../object-store/errors.ts';
import type { StoreHttp } from '../object-store/http-messages.ts';
import type { StoreClocks } from '../object-store/store-clocks.ts';
import type { SessionCredentials } from './roles.ts';
import type { CredentialSource } from './session.ts';

/** A read of a customer's account. */
export interface AccountRequest {
  /** As AWS names it. */
  readonly operation: string;
  readonly address: BucketAddress;
  /** The caller knows that the operation was permitted before. */
  readonly workedBefore?: boolean;
}

/** Sends requests to one address with one session's credentials, each within the time-out. */
export type AccountSession = Pick<BucketConnection, 'getDocument' | 'callS3'>;

/** Runs a read in the session, and again in a new one if that is refused. @throws StoreError */
export type AccountCall = <Result>(
  request: AccountRequest,
  read: (session: AccountSession) => Promise<Result>,
) => Promise<Result>;

export interface AccountCallDeps {
  readonly http: StoreHttp;
  readonly credentials: CredentialSource;
  readonly clocks: StoreClocks;
  readonly timeoutMs: number;
  /** Called for each request that is sent. */
  readonly onRequest: (operation: string, region: string) => void;
}

/** The credentials themselves are refused. */
const SESSION_REFUSED: ReadonlySet<string | undefined> = new Set([
  'ExpiredToken',
  'ExpiredTokenException',
  'InvalidToken',
  'InvalidAccessKeyId',
  'TokenRefreshRequired',
]);

/**
 * A revoked session gets `AccessDenied`, like one that was never permitted. It is renewed if the
 * same operation worked before, and otherwise once, so that `AccessDenied` counts only from a
 * session that was opened a moment ago.
 */
export function createAccountCall(deps: AccountCallDeps): AccountCall {
  const worked = new Set<string>();
  const fresh = new WeakSet<SessionCredentials>();
  const sessionFor = cacheSessions(deps);

  return async (request, read) => {
    const { operation, address, workedBefore = false } = request;
    const name = `${operation} ${addressName(address)}`;
    const credentials = await deps.credentials.current();
    const readAs = async (session: SessionCredentials) => {
      const result = await read(sessionFor(session, request));
      worked.add(name);
      return result;
    };
    try {
      return await readAs(credentials);
    } catch (error) {
      const mayBeRevoked = workedBefore || worked.has(name) || !fresh.has(credentials);
      if (!deps.credentials.renew || !isSessionRefused(error, mayBeRevoked)) throw error;
      const renewed = await deps.credentials.renew(credentials);
      fresh.add(renewed);
      return readAs(renewed);
    }
  };
}

function isSessionRefused(error: unknown, mayBeRevoked: boolean): boolean {
  if (!(error instanceof StoreError) || !error.refusal) return false;
  const { status, code } = error.refusal;
  return SESSION_REFUSED.has(code) || (mayBeRevoked && status === 403 && code === 'AccessDenied');
}

type SessionFor = (credentials: SessionCredentials, request: AccountRequest) => AccountSession;

/** Opens signer and client once per credentials and address: a client costs milliseconds. */
function cacheSessions(deps: AccountCallDeps): SessionFor {
  const opened = new WeakMap<SessionCredentials, Map<string, BucketConnection>>();
  const bounds = { timeoutMs: deps.timeoutMs };
  return (credentials, { operation, address }) => {
    const name = addressName(address);
    const connections = opened.get(credentials) ?? new Map<string, BucketConnection>();
    opened.set(credentials, connections);
    const connection = connections.get(name) ?? new BucketConnection(deps, address, credentials);
    connections.set(name, connection);
    const count = () => deps.onRequest(operation, address.region);
    return {
      getDocument(query, read) {
        count();
        return connection.getDocument(query, read, bounds);
      },
      callS3(createCommand) {
        count();
        return connection.callS3(createCommand, bounds);
      },
    };
  };
}

function addressName({ hostname, port, pathPrefix, region }: BucketAddress): string {
  return `${region} ${hostname}:${port ?? ''}${pathPrefix}`;
}
