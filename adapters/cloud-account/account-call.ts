import { objectPath, queryString, type BucketAddress } from '../object-store/address.ts';
import { StoreError, storeErrorFor } from '../object-store/errors.ts';
import { createSigner, type Signer } from '../object-store/signer.ts';
import { sendBuffered, type StoreResponse } from '../object-store/http/buffered.ts';
import type { StoreHttp } from '../object-store/http/messages.ts';
import type { CredentialSource, SessionCredentials } from './credentials.ts';
import { MalformedAnswer } from '../object-store/xml.ts';

/** One GET of a customer's account. */
export interface AccountRequest {
  /** As AWS names it; what worked before is remembered under it. */
  readonly operation: string;
  readonly address: BucketAddress;
  /** Empty: the bucket or the account itself. */
  readonly key?: string;
  readonly query: Readonly<Record<string, string>>;
  /** The caller knows that the operation was permitted before. */
  readonly workedBefore?: boolean;
}

/**
 * Sends a request and reads its answer; an answer that is an error goes to `refused`, which may know
 * better.
 *
 * @throws StoreError
 */
export type AccountCall = <Answer>(
  request: AccountRequest,
  read: (body: Buffer) => Answer,
  refused?: (response: StoreResponse) => Answer | undefined,
) => Promise<Answer>;

export interface AccountCallDeps {
  readonly http: StoreHttp;
  readonly credentials: CredentialSource;
  readonly now: () => Date;
  readonly timeoutMs: number;
  /** Called for each request that is sent. */
  readonly onRequest: (request: AccountRequest) => void;
}

/** A page of a thousand keys of 1,024 bytes each, every byte of them encoded in three. */
const MAX_ANSWER_BYTES = 8 * 2 ** 20;

/** The credentials themselves are at fault. */
const WORN_OUT: ReadonlySet<string | undefined> = new Set([
  'ExpiredToken',
  'ExpiredTokenException',
  'InvalidToken',
  'InvalidAccessKeyId',
  'TokenRefreshRequired',
]);

/**
 * Signs with the session in use, and where that is refused as worn out, once more with a new one. A
 * session that was revoked is told `AccessDenied`, as one that never was permitted: it is renewed
 * where the same operation worked before, and otherwise once, so that a refusal is believed of a
 * session only that was begun a moment ago.
 */
export function createAccountCall(deps: AccountCallDeps): AccountCall {
  const worked = new Set<string>();
  const fresh = new WeakSet<SessionCredentials>();
  const signers = new WeakMap<SessionCredentials, Map<string, Signer>>();

  function signerFor(address: BucketAddress, credentials: SessionCredentials): Signer {
    const name = addressName(address);
    const known = signers.get(credentials) ?? new Map<string, Signer>();
    signers.set(credentials, known);
    const signer = known.get(name) ?? createSigner(address, credentials);
    known.set(name, signer);
    return signer;
  }

  async function send(
    request: AccountRequest,
    credentials: SessionCredentials,
  ): Promise<StoreResponse> {
    const { address, query, key = '' } = request;
    const unsigned = { method: 'GET', key, query } as const;
    const headers = await signerFor(address, credentials).sign(unsigned, deps.now());
    deps.onRequest(request);
    const path = objectPath(address, key) + queryString(query);
    return sendBuffered(
      deps.http,
      { address, method: 'GET', path, headers },
      { timeoutMs: deps.timeoutMs, maxBodyBytes: MAX_ANSWER_BYTES },
    );
  }

  return async (request, read, refused) => {
    const name = `${request.operation} ${addressName(request.address)}`;
    const credentials = await deps.credentials.current();
    let response = await send(request, credentials);
    const mayBeRevoked = response.errorCode === 'AccessDenied' && response.status === 403;
    if (
      WORN_OUT.has(response.errorCode) ||
      (mayBeRevoked &&
        (request.workedBefore === true || worked.has(name) || !fresh.has(credentials)))
    ) {
      const renewed = await deps.credentials.renew(credentials);
      fresh.add(renewed);
      response = await send(request, renewed);
    }
    if (response.status !== 200) {
      const answer = refused?.(response);
      if (answer === undefined) throw storeErrorFor(response.status, response.errorCode);
      worked.add(name);
      return answer;
    }
    worked.add(name);
    return readWhole(response.body, read);
  };
}

function addressName({ hostname, port, pathPrefix, region }: BucketAddress): string {
  return `${region} ${hostname}:${port ?? ''}${pathPrefix}`;
}

/** An answer that broke off in good order may be whole the next time. */
function readWhole<Answer>(body: Buffer, read: (body: Buffer) => Answer): Answer {
  try {
    return read(body);
  } catch (error) {
    if (error instanceof MalformedAnswer) throw new StoreError('failed', error, true);
    throw error;
  }
}
