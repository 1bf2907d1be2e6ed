import type { SessionCredentials } from './roles.ts';
import type { CredentialSource } from './session.ts';
import { createBoundedHandler } from './sts-call.ts';

/** Why Cost Explorer or CloudWatch has nothing to say. */
export type UsageFailure =
  /** The role may not ask. */
  | 'access_denied'
  /** The account has not enabled it, or has nothing for the time asked about. */
  | 'unavailable'
  /** It did not answer, or with errors, several times. */
  | 'failed';

/** A call to Cost Explorer or CloudWatch failed for good. The message contains no text of AWS. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly failure: UsageFailure;

  constructor(failure: UsageFailure, cause?: unknown) {
    super(failure, { cause });
    this.failure = failure;
  }
}

const ATTEMPTS = 4;
const MAX_PAGE_BYTES = 2 ** 23;

/** The credentials themselves are refused. */
const SESSION_REFUSED = new Set([
  'ExpiredTokenException',
  'ExpiredToken',
  'UnrecognizedClientException',
  'InvalidClientTokenId',
]);
const DENIED = new Set(['AccessDeniedException', 'AccessDenied', 'UnauthorizedOperation']);
const UNAVAILABLE = new Set(['DataUnavailableException', 'BillExpirationException']);
const NOT_ENABLED = /not enabled/i;

/**
 * What an SDK client is opened with.
 *
 * @param endpoint configured by the operator in place of AWS's own
 */
export function clientOptions(
  region: string,
  credentials: SessionCredentials,
  endpoint: string | undefined,
) {
  return {
    region,
    credentials,
    maxAttempts: ATTEMPTS,
    requestHandler: createBoundedHandler(MAX_PAGE_BYTES),
    ...(endpoint === undefined ? {} : { endpoint }),
  };
}

/**
 * Every page of a list, each asked for with the token of the one before.
 *
 * @throws UsageError for more than `maxPages`
 */
export async function* readPages<Page>(
  ask: (token: string | undefined) => Promise<Page>,
  tokenOf: (page: Page) => string | undefined,
  maxPages: number,
): AsyncGenerator<Page> {
  let token: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const answer = await ask(token);
    yield answer;
    const next = tokenOf(answer);
    if (next === undefined || next === token) return;
    token = next;
  }
  throw new UsageError('failed', new Error('too many pages'));
}

/**
 * Runs a call with the session in use, and again with a new one if that was refused.
 *
 * @throws UsageError
 */
export async function callWithSession<T>(
  source: CredentialSource,
  send: (credentials: SessionCredentials) => Promise<T>,
): Promise<T> {
  try {
    const credentials = await source.current();
    try {
      return await send(credentials);
    } catch (error) {
      if (!(error instanceof Error) || !SESSION_REFUSED.has(error.name) || !source.renew)
        throw error;
      return await send(await source.renew(credentials));
    }
  } catch (error) {
    throw toUsageError(error);
  }
}

function toUsageError(error: unknown): UsageError {
  if (error instanceof UsageError) return error;
  if (!(error instanceof Error)) return new UsageError('failed', error);
  const isUnavailable = UNAVAILABLE.has(error.name) || NOT_ENABLED.test(error.message);
  if (isUnavailable) return new UsageError('unavailable', error);
  return new UsageError(DENIED.has(error.name) ? 'access_denied' : 'failed', error);
}
