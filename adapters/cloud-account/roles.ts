import { AssumeRoleCommand, STSClient, STSServiceException } from '@aws-sdk/client-sts';
import { StoreError } from '../object-store/errors.ts';
import type { SessionCredentials } from './credentials.ts';
import { sessionPolicy } from './permissions.ts';

/** The role of a customer, and what its trust policy asks of whoever assumes it. */
export interface CustomerRole {
  readonly roleArn: string;
  readonly externalId?: string;
}

export interface RoleSession {
  readonly credentials: SessionCredentials;
  readonly expiresAt: Date;
}

/**
 * Assumes a customer's role, narrowed to the reads of a scan.
 *
 * @throws RoleRefusedError where AWS says no; StoreError where it does not say anything of use.
 */
export type AssumeRole = (role: CustomerRole) => Promise<RoleSession>;

/** AWS does not let this service into the role: its trust policy, or our own identity's policies. */
export class RoleRefusedError extends Error {
  override readonly name = 'RoleRefusedError';
}

export interface StsOptions {
  /** The operator's, in place of AWS's own. */
  readonly endpoint: string | undefined;
  /** Whose STS is asked; sessions hold in every region. */
  readonly region: string;
  readonly timeoutMs: number;
}

/** The longest that every role allows, however it was reached. */
const SESSION_SECONDS = 3600;
/** Shown in the customer's CloudTrail. */
const SESSION_NAME = 'storage-routing-scan';
const ATTEMPTS = 2;
/** How STS says that it is our own identity which is not good enough. */
const OWN_IDENTITY = new Set(['InvalidClientTokenId', 'SignatureDoesNotMatch', 'ExpiredToken']);

/** The service's own identity comes from the SDK's default chain. */
export function createAssumeRole({ endpoint, region, timeoutMs }: StsOptions): AssumeRole {
  let client: STSClient | undefined;
  const open = () =>
    (client ??= new STSClient({
      region,
      maxAttempts: ATTEMPTS,
      ...(endpoint === undefined ? {} : { endpoint }),
    }));

  return async ({ roleArn, externalId }) => {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const { Credentials: given } = await open().send(
        new AssumeRoleCommand({
          RoleArn: roleArn,
          RoleSessionName: SESSION_NAME,
          DurationSeconds: SESSION_SECONDS,
          Policy: sessionPolicy(),
          ...(externalId === undefined ? {} : { ExternalId: externalId }),
        }),
        { abortSignal: signal },
      );
      if (!given?.AccessKeyId || !given.SecretAccessKey || !given.SessionToken)
        throw new StoreError('failed', new Error('an answer without credentials'));
      return {
        credentials: {
          accessKeyId: given.AccessKeyId,
          secretAccessKey: given.SecretAccessKey,
          sessionToken: given.SessionToken,
        },
        expiresAt: given.Expiration ?? new Date(0),
      };
    } catch (error) {
      throw toRefusal(error, signal.aborted);
    }
  };
}

function toRefusal(error: unknown, timedOut: boolean): Error {
  if (error instanceof StoreError) return error;
  if (timedOut) return new StoreError('timed_out', error);
  if (!(error instanceof STSServiceException)) return new StoreError('unreachable', error);
  if (error.name === 'AccessDenied') return new RoleRefusedError('refused', { cause: error });
  if (OWN_IDENTITY.has(error.name)) return new StoreError('access_denied', error);
  return new StoreError(/Throttl|TooMany/.test(error.name) ? 'throttled' : 'failed', error);
}
