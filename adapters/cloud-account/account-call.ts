import { objectPath, queryString, type BucketAddress } from '../object-store/address.ts';
import { StoreError, storeErrorFor } from '../object-store/errors.ts';
import { createHeaderSigner } from '../object-store/header-signer.ts';
import { sendBuffered } from '../object-store/http-buffered.ts';
import type { StoreHttp, StoreHttpRequest } from '../object-store/http-messages.ts';
import { createS3Call, type S3Call } from '../object-store/s3-client.ts';
import { MalformedAnswer } from '../object-store/xml.ts';
import type { CredentialSource, SessionCredentials } from './credentials.ts';

/** A read of a customer's account. */
export interface AccountRequest {
  /** As AWS names it. */
  readonly operation: string;
  readonly address: BucketAddress;
  /** The caller knows that the operation was permitted before. */
  readonly workedBefore?: boolean;
}

/** Sends requests to one address with one session's credentials. */
export interface AccountSession {
  /** The hot path: gets a document of the bucket and reads it. @throws StoreError */
  get<Document>(
    query: Readonly<Record<string, string>>,
    read: (body: Buffer) => Document,
  ): Promise<Document>;
  /** The rare calls. */
  readonly callS3: S3Call;
}

/** Runs a read with the session in use, and again with a new one if that was refused. @throws StoreError */
export type AccountCall = <Result>(
  request: AccountRequest,
  read: (session: AccountSession) => Promise<Result>,
) => Promise<Result>;

export interface AccountCallDeps {
  readonly http: StoreHttp;
  readonly credentials: CredentialSource;
  readonly now: () => Date;
  readonly timeoutMs: number;
  /** Called for each request that is sent. */
  readonly onRequest: (operation: string, region: string) => void;
}

/** A page of a thousand keys of 1,024 bytes each, every byte of them encoded in three. */
const MAX_BODY_BYTES = 8 * 2 ** 20;

/** The credentials themselves are refused. */
const SESSION_REFUSED: ReadonlySet<string | undefined> = new Set([
  'ExpiredToken',
  'ExpiredTokenException',
  'InvalidToken',
  'InvalidAccessKeyId',
  'TokenRefreshRequired',
]);

/**
 * A revoked session gets `AccessDenied`, like one that was never permitted. It is renewed where the
 * same operation worked before, and otherwise once, so that `AccessDenied` counts only from a session
 * that was opened a moment ago.
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
      if (!isSessionRefused(error, mayBeRevoked)) throw error;
    }
    const renewed = await deps.credentials.renew(credentials);
    fresh.add(renewed);
    return readAs(renewed);
  };
}

function isSessionRefused(error: unknown, mayBeRevoked: boolean): boolean {
  if (!(error instanceof StoreError) || !error.refusal) return false;
  const { status, code } = error.refusal;
  return SESSION_REFUSED.has(code) || (mayBeRevoked && status === 403 && code === 'AccessDenied');
}

type SessionFor = (credentials: SessionCredentials, request: AccountRequest) => AccountSession;

/** Signer and SDK client are opened once per credentials and address: a client costs milliseconds. */
function cacheSessions(deps: AccountCallDeps): SessionFor {
  const opened = new WeakMap<SessionCredentials, Map<string, AccountSession>>();
  return (credentials, { operation, address }) => {
    const name = addressName(address);
    const known = opened.get(credentials) ?? new Map<string, AccountSession>();
    opened.set(credentials, known);
    const session = known.get(name) ?? openSession(deps, credentials, address);
    known.set(name, session);
    const count = () => deps.onRequest(operation, address.region);
    return {
      get(query, read) {
        count();
        return session.get(query, read);
      },
      callS3(work) {
        count();
        return session.callS3(work);
      },
    };
  };
}

function openSession(
  { http, now, timeoutMs }: AccountCallDeps,
  credentials: SessionCredentials,
  address: BucketAddress,
): AccountSession {
  const sign = createHeaderSigner(address, credentials);
  const send = (request: StoreHttpRequest) =>
    sendBuffered(http, request, { timeoutMs, maxBodyBytes: MAX_BODY_BYTES });
  return {
    async get(query, read) {
      const path = objectPath(address, '');
      const search = queryString(query);
      const headers = sign({ method: 'GET', path, query: search.slice(1), headers: {} }, now());
      const request = { address, method: 'GET', path: path + search, headers };
      const { status, errorCode, body } = await send(request);
      if (status !== 200) throw storeErrorFor(status, errorCode);
      return readDocument(body, read);
    },
    callS3: createS3Call({ address, sign, now, send }),
  };
}

function addressName({ hostname, port, pathPrefix, region }: BucketAddress): string {
  return `${region} ${hostname}:${port ?? ''}${pathPrefix}`;
}

/** A document that ends in its middle may be complete the next time. */
function readDocument<Document>(body: Buffer, read: (body: Buffer) => Document): Document {
  try {
    return read(body);
  } catch (error) {
    if (error instanceof MalformedAnswer) throw new StoreError('failed', error, true);
    throw error;
  }
}
