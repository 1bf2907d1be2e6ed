import { STSClient, STSServiceException, type STSClientConfig } from '@aws-sdk/client-sts';
import { fetchBounded } from '../bounded-fetch.ts';
import { NO_DEADLINE, raceTimeout, type Deadline } from '../deadline.ts';
import { StoreError } from '../object-store/errors.ts';

export interface StsOptions {
  /** Configured by the operator in place of AWS's own. */
  readonly endpoint: string | undefined;
  /** The region of the STS endpoint; sessions are valid in every region. */
  readonly region: string;
  readonly timeoutMs: number;
  /** Whose identity it is; by default what the SDK's default chain finds. */
  readonly credentials?: NonNullable<STSClientConfig['credentials']>;
}

/**
 * Calls STS as the service itself.
 *
 * @throws StoreError; its cause is AWS's error
 */
export type StsCall = <T>(
  send: (client: STSClient, options: { readonly abortSignal: AbortSignal }) => Promise<T>,
) => Promise<T>;

/** AWS does not accept the credentials of the service, or the service has none. */
export class OwnCredentialsError extends StoreError {
  constructor(cause: Error) {
    super('access_denied', cause);
  }
}

const ATTEMPTS = 2;
/** Errors of STS about the service's own identity or permissions, and the SDK's for none. */
const OF_OWN_CREDENTIALS = new Set([
  'AccessDenied',
  'ExpiredToken',
  'InvalidClientTokenId',
  'SignatureDoesNotMatch',
  'CredentialsProviderError',
]);

export function createStsCall(
  { endpoint, region, timeoutMs, credentials }: StsOptions,
  deadline: Deadline = NO_DEADLINE,
): StsCall {
  let client: STSClient | undefined;
  const open = () =>
    (client ??= new STSClient({
      region,
      maxAttempts: ATTEMPTS,
      requestHandler: createBoundedHandler(),
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(credentials === undefined ? {} : { credentials }),
    }));

  return async (send) => {
    const ms = Math.min(timeoutMs, deadline.remainingMs());
    if (ms <= 0) throw new StoreError('timed_out');
    const abortSignal = AbortSignal.timeout(ms);
    try {
      // The signal ends requests to STS, not the search for credentials before them.
      return await raceTimeout(
        ms,
        send(open(), { abortSignal }),
        () => new StoreError('timed_out'),
      );
    } catch (error) {
      throw toStoreError(error, abortSignal.aborted);
    }
  };
}

function toStoreError(error: unknown, timedOut: boolean): StoreError {
  if (error instanceof StoreError) return error;
  if (timedOut) return new StoreError('timed_out', error);
  if (error instanceof Error && OF_OWN_CREDENTIALS.has(error.name))
    return new OwnCredentialsError(error);
  if (!(error instanceof STSServiceException)) return new StoreError('unreachable', error);
  return new StoreError(/Throttl|TooMany/.test(error.name) ? 'throttled' : 'failed', error);
}

type SdkHandler = STSClient['config']['requestHandler'];

/** Sends the SDK's requests. The SDK's own handler reads a response of any length into memory. */
export function createBoundedHandler(maxBytes?: number): SdkHandler {
  const handler: Pick<SdkHandler, 'handle'> = {
    async handle({ method, protocol, hostname, port, path, headers, body }, options = {}) {
      // fetch sets these two itself, to the same values.
      const { host: _host, 'content-length': _length, ...others } = headers;
      const origin = `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}`;
      const { abortSignal } = options as { abortSignal?: AbortSignal };
      const response = await fetchBounded(
        origin + path,
        { method, headers: others, body: body as string, signal: abortSignal ?? null },
        maxBytes,
      );
      return {
        response: {
          statusCode: response.status,
          headers: Object.fromEntries(response.headers),
          body: Buffer.from(await response.arrayBuffer()),
        },
      };
    },
  };
  return handler as SdkHandler;
}
