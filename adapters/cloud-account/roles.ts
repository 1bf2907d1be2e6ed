import { AssumeRoleCommand, STSServiceException, type Credentials } from '@aws-sdk/client-sts';
import { NO_DEADLINE, type Deadline } from '../deadline.ts';
import { StoreError } from '../object-store/errors.ts';
import { sessionPolicy } from './permissions.ts';
import { createStsCall, type StsOptions } from './sts-call.ts';

/** A customer's role, and the external id that its trust policy requires. */
export interface CustomerRole {
  readonly roleArn: string;
  readonly externalId?: string;
}

/** The credentials of an assumed role, until the session expires, or of a user, without a token. */
export interface SessionCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface RoleSession {
  readonly credentials: SessionCredentials;
  readonly expiresAt: Date;
}

/**
 * Assumes a customer's role, narrowed to the reads of a scan.
 *
 * @throws RoleRefusedError if AWS refuses; StoreError if it fails or does not respond
 */
export type AssumeRole = (role: CustomerRole) => Promise<RoleSession>;

/** AWS refuses the role to this service, by its trust policy or the service's policies. */
export class RoleRefusedError extends Error {
  override readonly name = 'RoleRefusedError';
}

/** The longest session that every role allows, also by role chaining. */
const SESSION_SECONDS = 3600;
/** Shown in the customer's CloudTrail. */
const SESSION_NAME = 'storage-routing-scan';
/** Errors of STS about the role: also an ARN of another partition, which STS calls invalid. */
const OF_THE_ROLE = new Set(['AccessDenied', 'ValidationError']);

const PRINTABLE = /^[!-~]+$/;

export function createAssumeRole(sts: StsOptions, deadline: Deadline = NO_DEADLINE): AssumeRole {
  const call = createStsCall(sts, deadline);
  return async ({ roleArn, externalId }) => {
    const command = new AssumeRoleCommand({
      RoleArn: roleArn,
      RoleSessionName: SESSION_NAME,
      DurationSeconds: SESSION_SECONDS,
      Policy: sessionPolicy(),
      ...(externalId === undefined ? {} : { ExternalId: externalId }),
    });
    try {
      const { Credentials: given } = await call((client, options) => client.send(command, options));
      return toSession(given);
    } catch (error) {
      throw concernsRole(error) ? new RoleRefusedError('refused', { cause: error.cause }) : error;
    }
  };
}

/** @throws StoreError if the credentials are missing, or cannot be sent in a header */
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

function concernsRole(error: unknown): error is StoreError {
  return (
    error instanceof StoreError &&
    error.cause instanceof STSServiceException &&
    OF_THE_ROLE.has(error.cause.name)
  );
}
