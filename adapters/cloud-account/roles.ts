import {
  AssumeRoleCommand,
  STSClient,
  STSServiceException,
  type Credentials,
} from '@aws-sdk/client-sts';
import { NO_DEADLINE, type Deadline } from '../deadline.ts';
import { StoreError } from '../object-store/errors.ts';
import type { SessionCredentials } from './credentials.ts';
import { sessionPolicy } from './permissions.ts';
import { createStsHandler } from './sts-handler.ts';

/** A customer's role, and the external id that its trust policy demands. */
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
 * @throws RoleRefusedError where AWS refuses; StoreError where it fails or does not respond
 */
export type AssumeRole = (role: CustomerRole) => Promise<RoleSession>;

/** AWS refuses the role to this service, by the role's trust policy or the service's own policies. */
export class RoleRefusedError extends Error {
  override readonly name = 'RoleRefusedError';
}

export interface StsOptions {
  /** Configured by the operator in place of AWS's own. */
  readonly endpoint: string | undefined;
  /** The region of the STS endpoint; sessions are valid in every region. */
  readonly region: string;
  readonly timeoutMs: number;
}

/** The longest session that every role allows, also by role chaining. */
const SESSION_SECONDS = 3600;
/** Shown in the customer's CloudTrail. */
const SESSION_NAME = 'storage-routing-scan';
const ATTEMPTS = 2;
/** Errors of STS that concern the role: also the ARN of another partition, which STS calls invalid. */
const OF_THE_ROLE = new Set(['AccessDenied', 'ValidationError']);
/** Errors of STS that concern the service's own identity. */
const OWN_IDENTITY = new Set(['InvalidClientTokenId', 'SignatureDoesNotMatch', 'ExpiredToken']);

const PRINTABLE = /^[!-~]+$/;

/** The service's own credentials come from the SDK's default chain. */
export function createAssumeRole(
  { endpoint, region, timeoutMs }: StsOptions,
  deadline: Deadline = NO_DEADLINE,
): AssumeRole {
  let client: STSClient | undefined;
  const open = () =>
    (client ??= new STSClient({
      region,
      maxAttempts: ATTEMPTS,
      requestHandler: createStsHandler(),
      ...(endpoint === undefined ? {} : { endpoint }),
    }));

  return async ({ roleArn, externalId }) => {
    const ms = Math.min(timeoutMs, deadline.remainingMs());
    if (ms <= 0) throw new StoreError('timed_out');
    const signal = AbortSignal.timeout(ms);
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
      return toSession(given);
    } catch (error) {
      throw toRefusal(error, signal.aborted);
    }
  };
}

/** @throws StoreError where the credentials are missing, or cannot be sent in a header */
function toSession(given: Credentials | undefined): RoleSession {
  const { AccessKeyId = '', SecretAccessKey = '', SessionToken = '', Expiration } = given ?? {};
  if (![AccessKeyId, SecretAccessKey, SessionToken].every((text) => PRINTABLE.test(text)))
    throw new StoreError('failed', new Error('a response without credentials'));
  return {
    credentials: {
      accessKeyId: AccessKeyId,
      secretAccessKey: SecretAccessKey,
      sessionToken: SessionToken,
    },
    expiresAt: Expiration ?? new Date(0),
  };
}

function toRefusal(error: unknown, timedOut: boolean): Error {
  if (error instanceof StoreError) return error;
  if (timedOut) return new StoreError('timed_out', error);
  if (!(error instanceof STSServiceException)) return new StoreError('unreachable', error);
  if (OF_THE_ROLE.has(error.name)) return new RoleRefusedError('refused', { cause: error });
  if (OWN_IDENTITY.has(error.name)) return new StoreError('access_denied', error);
  return new StoreError(/Throttl|TooMany/.test(error.name) ? 'throttled' : 'failed', error);
}
