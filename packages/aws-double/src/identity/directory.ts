import { randomBytes } from 'node:crypto';

import type { SigningCredential } from '../signature/verification.ts';
import { ALLOW_ALL, readPolicy, type PolicyDocument } from './policy.ts';

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
  /** Default 3600. */
  readonly maxSessionSeconds?: number;
}

/** The principal of a verified signature. */
export interface Principal {
  readonly kind: 'user' | 'session';
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
  revoked(): boolean;
}

/** A key of a user or of a session. */
export interface Credential extends SigningCredential {
  readonly accessKeyId: string;
  readonly principal: Principal;
}

/** What a session is made of. */
interface SessionSpec {
  readonly role: RoleSpec;
  readonly sessionName: string;
  readonly sessionPolicy: PolicyDocument | null;
  readonly expiresAtMs: number;
}

/** Which sessions a control call means: all of them, a role's, or one. */
export interface SessionFilter {
  readonly roleArn?: string;
  readonly accessKeyId?: string;
}

/** A session's credential: its token is never null. */
export interface SessionCredential extends Credential {
  readonly token: string;
  readonly expiresAtMs: number;
}

/** The identities of the double. */
export interface Directory {
  putUser(spec: UserSpec): void;
  removeUser(accessKeyId: string): void;
  putRole(spec: RoleSpec): void;
  removeRole(roleArn: string): void;
  role(roleArn: string): RoleSpec | undefined;
  find(accessKeyId: string): Credential | undefined;
  openSession(spec: SessionSpec): SessionCredential;
  /** Sessions answer `ExpiredToken` from now on. Returns how many. */
  expireSessions(filter: SessionFilter): number;
  /** Sessions answer `AccessDenied` from now on. Returns how many. */
  revokeSessions(filter: SessionFilter): number;
}

/** The account of users and buckets that name none. */
export const DEFAULT_ACCOUNT_ID = '111122223333';

interface Session {
  readonly roleArn: string;
  credential: SessionCredential;
  revoked: boolean;
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function randomId(prefix: string): string {
  return prefix + Array.from(randomBytes(16), (byte) => BASE32[byte & 31]).join('');
}

/** Creates an empty directory. */
export function createDirectory(): Directory {
  const users = new Map<string, Credential>();
  const roles = new Map<string, RoleSpec>();
  const sessions = new Map<string, Session>();

  function matching({ roleArn, accessKeyId }: SessionFilter): Session[] {
    return [...sessions.values()].filter(
      (session) =>
        (roleArn === undefined || session.roleArn === roleArn) &&
        (accessKeyId === undefined || session.credential.accessKeyId === accessKeyId),
    );
  }

  return {
    putUser: (spec) => void users.set(spec.accessKeyId, createUser(spec)),
    removeUser: (accessKeyId) => void users.delete(accessKeyId),
    putRole(spec) {
      checkPolicies([spec.trustPolicy, ...(spec.policies ?? [])]);
      roles.set(spec.roleArn, spec);
    },
    removeRole: (roleArn) => void roles.delete(roleArn),
    role: (roleArn) => roles.get(roleArn),
    find: (accessKeyId) => users.get(accessKeyId) ?? sessions.get(accessKeyId)?.credential,
    openSession(spec) {
      const credential = createSession(
        spec,
        () => roles.get(spec.role.roleArn)?.policies ?? [],
        () => sessions.get(credential.accessKeyId)?.revoked ?? true,
      );
      const { accessKeyId } = credential;
      sessions.set(accessKeyId, { roleArn: spec.role.roleArn, credential, revoked: false });
      return credential;
    },
    expireSessions(filter) {
      const found = matching(filter);
      for (const session of found) session.credential = { ...session.credential, expiresAtMs: 0 };
      return found.length;
    },
    revokeSessions(filter) {
      const found = matching(filter);
      for (const session of found) session.revoked = true;
      return found.length;
    },
  };
}

function checkPolicies(documents: readonly PolicyDocument[]): void {
  for (const document of documents) {
    if (readPolicy(document) === null) throw new TypeError('a policy document is malformed');
  }
}

function createUser(spec: UserSpec): Credential {
  const accountId = spec.accountId ?? DEFAULT_ACCOUNT_ID;
  const arn = `arn:aws:iam::${accountId}:user/${spec.userName ?? spec.accessKeyId}`;
  const policies = spec.policies ?? [ALLOW_ALL];
  checkPolicies(policies);
  const principal: Principal = {
    kind: 'user',
    arn,
    policyArn: arn,
    accountId,
    userId: `AIDA${spec.accessKeyId.slice(-16)}`,
    policies: () => policies,
    sessionPolicy: null,
    revoked: () => false,
  };
  const { accessKeyId, secretAccessKey } = spec;
  return { accessKeyId, secretAccessKey, token: null, expiresAtMs: null, principal };
}

function createSession(
  spec: SessionSpec,
  policies: () => readonly PolicyDocument[],
  revoked: () => boolean,
): SessionCredential {
  const { roleArn } = spec.role;
  const accountId = roleArn.split(':')[4] ?? '';
  const roleName = roleArn.slice(roleArn.lastIndexOf('/') + 1);
  const principal: Principal = {
    kind: 'session',
    arn: `arn:aws:sts::${accountId}:assumed-role/${roleName}/${spec.sessionName}`,
    policyArn: roleArn,
    accountId,
    userId: `${randomId('AROA')}:${spec.sessionName}`,
    policies,
    sessionPolicy: spec.sessionPolicy,
    revoked,
  };
  return {
    accessKeyId: randomId('ASIA'),
    secretAccessKey: randomBytes(30).toString('base64'),
    token: randomBytes(240).toString('base64'),
    expiresAtMs: spec.expiresAtMs,
    principal,
  };
}
