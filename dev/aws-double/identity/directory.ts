import { randomBytes } from 'node:crypto';

import type { SigningCredential } from '../signature/verification.ts';
import {
  ALLOW_ALL,
  type ConditionContext,
  evaluatePolicies,
  type PolicyDocument,
  readPolicy,
} from './policy.ts';

/** A permanent user with one access key. Without `policies` it may do everything in its account. */
export interface UserSpec {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly accountId?: string;
  readonly userName?: string;
  readonly policies?: readonly PolicyDocument[];
}

/** A role: its trust policy and its permissions. Without `policies` it may do nothing. */
export interface RoleSpec {
  /** `arn:aws:iam::<12 digits>:role/<path and name>`. */
  readonly roleArn: string;
  readonly trustPolicy: PolicyDocument;
  readonly policies?: readonly PolicyDocument[];
}

/** The principal of a verified signature. */
export interface Principal {
  /** As `GetCallerIdentity` answers it. */
  readonly arn: string;
  /** As policies name it: for a session, the role's ARN. */
  readonly policyArn: string;
  readonly accountId: string;
  readonly userId: string;
  /** Its policies as they stand now, so that taking one away works at once. */
  policies(): readonly PolicyDocument[];
  readonly sessionPolicy: PolicyDocument | null;
  /** A revoked session is denied everything. */
  isRevoked: boolean;
}

/** A key of a user or of a session. */
interface Credential extends SigningCredential {
  readonly principal: Principal;
}

/** A session's credential. */
interface SessionCredential extends Credential {
  readonly accessKeyId: string;
  readonly token: string;
  expiresAtMs: number;
}

/** What a session is made of. */
interface SessionSpec {
  readonly roleArn: string;
  readonly sessionName: string;
  readonly sessionPolicy: PolicyDocument | null;
  readonly expiresAtMs: number;
}

/** Which sessions a control call means: all of them, or a role's. */
export interface SessionFilter {
  readonly roleArn?: string;
}

/** The account of users and buckets that name none. */
export const DEFAULT_ACCOUNT_ID = '111122223333';

/** The identities of the double. */
export type Directory = ReturnType<typeof createDirectory>;

/** Creates an empty directory. */
export function createDirectory() {
  const users = new Map<string, Credential>();
  const roles = new Map<string, RoleSpec>();
  const sessions = new Map<string, SessionCredential>();

  function change({ roleArn }: SessionFilter, apply: (session: SessionCredential) => void): number {
    const found = [...sessions.values()].filter(
      ({ principal }) => (roleArn ?? principal.policyArn) === principal.policyArn,
    );
    for (const session of found) apply(session);
    return found.length;
  }
  return {
    putUser: (spec: UserSpec) => void users.set(spec.accessKeyId, createUser(spec)),
    removeUser: (accessKeyId: string) => void users.delete(accessKeyId),
    putRole(spec: RoleSpec): void {
      checkPolicies(spec.trustPolicy, ...(spec.policies ?? []));
      roles.set(spec.roleArn, spec);
    },
    removeRole: (roleArn: string) => void roles.delete(roleArn),
    role: (roleArn: string) => roles.get(roleArn),
    find: (accessKeyId: string): Credential | undefined =>
      users.get(accessKeyId) ?? sessions.get(accessKeyId),
    openSession(spec: SessionSpec): SessionCredential {
      const session = createSession(spec, () => roles.get(spec.roleArn)?.policies ?? []);
      sessions.set(session.accessKeyId, session);
      return session;
    },
    /** Sessions answer `ExpiredToken` from now on. Returns how many. */
    expireSessions: (filter: SessionFilter = {}) =>
      change(filter, (session) => {
        session.expiresAtMs = 0;
      }),
    /** Sessions answer `AccessDenied` from now on. Returns how many. */
    revokeSessions: (filter: SessionFilter = {}) =>
      change(filter, ({ principal }) => {
        principal.isRevoked = true;
      }),
  };
}

function checkPolicies(...documents: readonly PolicyDocument[]): void {
  for (const document of documents) {
    if (readPolicy(document) === null) throw new TypeError('a policy document is malformed');
  }
}

function createUser(spec: UserSpec): Credential {
  const { accessKeyId, secretAccessKey, accountId = DEFAULT_ACCOUNT_ID } = spec;
  const { policies = [ALLOW_ALL] } = spec;
  const arn = `arn:aws:iam::${accountId}:user/${spec.userName ?? accessKeyId}`;
  checkPolicies(...policies);
  const principal: Principal = {
    arn,
    policyArn: arn,
    accountId,
    userId: `AIDA${accessKeyId.slice(-16)}`,
    policies: () => policies,
    sessionPolicy: null,
    isRevoked: false,
  };
  return { secretAccessKey, token: null, expiresAtMs: null, principal };
}

function createSession(
  { roleArn, sessionName, sessionPolicy, expiresAtMs }: SessionSpec,
  policies: Principal['policies'],
): SessionCredential {
  const accountId = roleArn.split(':')[4] ?? '';
  const roleName = roleArn.slice(roleArn.lastIndexOf('/') + 1);
  const principal: Principal = {
    arn: `arn:aws:sts::${accountId}:assumed-role/${roleName}/${sessionName}`,
    policyArn: roleArn,
    accountId,
    userId: `${randomId('AROA')}:${sessionName}`,
    policies,
    sessionPolicy,
    isRevoked: false,
  };
  return {
    accessKeyId: randomId('ASIA'),
    secretAccessKey: randomBytes(30).toString('base64'),
    token: randomBytes(240).toString('base64'),
    expiresAtMs,
    principal,
  };
}

function randomId(prefix: string): string {
  return prefix + randomBytes(8).toString('hex').toUpperCase();
}

/** An action that a principal requests on a resource. */
interface AccessRequest {
  readonly principal: Principal;
  readonly action: string;
  /** ARN; `*` if the action has no resource. */
  readonly resource: string;
  /** The account that owns the resource; null if it has no owner but the caller. */
  readonly ownerAccountId: string | null;
  /** The policy on the resource itself. */
  readonly resourcePolicy: PolicyDocument | null;
  readonly context: ConditionContext;
}

/**
 * Decides as IAM does ("Policy evaluation logic", IAM User Guide), the first that applies:
 *
 * | case                                                         | answer |
 * |--------------------------------------------------------------|--------|
 * | the session was revoked                                      | no     |
 * | a Deny in the identity's, session's or resource's policy     | no     |
 * | there is a session policy and it does not allow              | no     |
 * | own account: identity's or resource's policy allows          | yes    |
 * | another account: both of them allow                          | yes    |
 * | anything else                                                | no     |
 */
export function isAccessAllowed(request: AccessRequest): boolean {
  const { principal, action, resource, context, ownerAccountId } = request;
  const { policyArn: arn, accountId, sessionPolicy } = principal;
  if (principal.isRevoked) return false;
  const asked = { action, resource, principal: null, context };
  const identity = evaluatePolicies(principal.policies(), asked);
  const session = sessionPolicy === null ? 'allow' : evaluatePolicies([sessionPolicy], asked);
  const onResource = evaluatePolicies(
    request.resourcePolicy === null ? [] : [request.resourcePolicy],
    { ...asked, principal: { arn, accountId } },
  );
  if (identity === 'deny' || session !== 'allow' || onResource === 'deny') return false;
  const isOwn = ownerAccountId === null || ownerAccountId === accountId;
  return isOwn
    ? identity === 'allow' || onResource === 'allow'
    : identity === 'allow' && onResource === 'allow';
}
