import { evaluateAccess } from '../identity/access.ts';
import type { ConditionContext } from '../identity/condition.ts';
import type { Directory, Principal, RoleSpec, SessionCredential } from '../identity/directory.ts';
import {
  evaluatePolicies,
  namesPrincipalItself,
  readPolicy,
  type PolicyDocument,
} from '../identity/policy.ts';
import { AwsError } from '../wire/errors.ts';

/** A form, as the query protocol sends it. */
export type Form = ReadonlyMap<string, string>;

/** What an `AssumeRole` asks for, within the grammar. */
interface AssumeRoleInput {
  readonly roleArn: string;
  readonly sessionName: string;
  readonly externalId: string | null;
  readonly durationSeconds: number;
  readonly sessionPolicy: PolicyDocument | null;
}

const DEFAULT_DURATION_SECONDS = 3600;
const MIN_DURATION_SECONDS = 900;
const MAX_DURATION_SECONDS = 43_200;
const CHAINED_DURATION_SECONDS = 3600;
const MAX_POLICY_CHARACTERS = 2048;

/**
 * Opens a session of a role for a caller.
 *
 * @throws AwsError `ValidationError`, `MalformedPolicyDocument`, `AccessDenied`
 */
export function assumeRole(
  form: Form,
  caller: Principal,
  directory: Directory,
  nowMs: number,
): SessionCredential {
  const input = readInput(form);
  const role = directory.role(input.roleArn);
  if (role === undefined || !canAssume(role, input, caller)) {
    throw new AwsError(
      'AccessDenied',
      `User: ${caller.arn} is not authorized to perform: sts:AssumeRole on resource: ${input.roleArn}`,
    );
  }
  checkDuration(input, role, caller);
  return directory.openSession({
    role,
    sessionName: input.sessionName,
    sessionPolicy: input.sessionPolicy,
    expiresAtMs: nowMs + input.durationSeconds * 1000,
  });
}

/**
 * Both sides must agree: the role's trust policy, and the caller's own policies, unless the trust
 * names a caller of the same account directly.
 * Source: "Methods to assume a role", IAM User Guide.
 */
function canAssume(role: RoleSpec, input: AssumeRoleInput, caller: Principal): boolean {
  if (caller.revoked()) return false;
  const context: ConditionContext = new Map([
    ['aws:principalarn', caller.policyArn],
    ['aws:principalaccount', caller.accountId],
    ['sts:rolesessionname', input.sessionName],
    ...(input.externalId === null ? [] : ([['sts:externalid', input.externalId]] as const)),
  ]);
  const trusts = new Set(
    [caller.policyArn, caller.arn].map((arn) =>
      evaluatePolicies([role.trustPolicy], {
        action: 'sts:AssumeRole',
        resource: null,
        principal: { arn, accountId: caller.accountId },
        context,
      }),
    ),
  );
  if (trusts.has('deny') || !trusts.has('allow')) return false;
  const roleAccount = input.roleArn.split(':')[4] ?? '';
  const isNamedDirectly =
    roleAccount === caller.accountId && namesPrincipalItself(role.trustPolicy, caller.policyArn);
  const request = { principal: caller, action: 'sts:AssumeRole', resource: input.roleArn };
  return (
    isNamedDirectly ||
    evaluateAccess({ ...request, ownerAccountId: null, resourcePolicy: null, context })
  );
}

function checkDuration(input: AssumeRoleInput, role: RoleSpec, caller: Principal): void {
  if (caller.kind === 'session' && input.durationSeconds > CHAINED_DURATION_SECONDS) {
    throw new AwsError(
      'ValidationError',
      'The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role chaining.',
    );
  }
  if (input.durationSeconds > (role.maxSessionSeconds ?? DEFAULT_DURATION_SECONDS)) {
    throw new AwsError(
      'ValidationError',
      'The requested DurationSeconds exceeds the MaxSessionDuration set for this role.',
    );
  }
}

function readInput(form: Form): AssumeRoleInput {
  const roleArn = required(form, 'RoleArn', 'roleArn', /^[\s\S]{20,2048}$/);
  if (!/^arn:aws:iam::[0-9]{12}:role\/[\w+=,.@/-]+$/.test(roleArn)) {
    throw new AwsError('ValidationError', `${roleArn} is invalid`);
  }
  return {
    roleArn,
    sessionName: required(form, 'RoleSessionName', 'roleSessionName', /^[\w+=,.@-]{2,64}$/),
    externalId: form.has('ExternalId')
      ? required(form, 'ExternalId', 'externalId', /^[\w+=,.@:/-]{2,1224}$/)
      : null,
    durationSeconds: readDuration(form.get('DurationSeconds')),
    sessionPolicy: readSessionPolicy(form.get('Policy')),
  };
}

function required(form: Form, field: string, name: string, grammar: RegExp): string {
  const value = form.get(field);
  if (value === undefined) throw invalid('null', name, 'Member must not be null');
  if (grammar.test(value)) return value;
  throw invalid(
    `'${value}'`,
    name,
    `Member must satisfy regular expression pattern: ${grammar.source.slice(1, -1)}`,
  );
}

function readDuration(text: string | undefined): number {
  if (text === undefined) return DEFAULT_DURATION_SECONDS;
  const seconds = Number(text);
  if (!Number.isInteger(seconds) || seconds < MIN_DURATION_SECONDS) {
    const rule = `Member must have value greater than or equal to ${MIN_DURATION_SECONDS}`;
    throw invalid(`'${text}'`, 'durationSeconds', rule);
  }
  if (seconds > MAX_DURATION_SECONDS) {
    const rule = `Member must have value less than or equal to ${MAX_DURATION_SECONDS}`;
    throw invalid(`'${text}'`, 'durationSeconds', rule);
  }
  return seconds;
}

function readSessionPolicy(text: string | undefined): PolicyDocument | null {
  if (text === undefined) return null;
  if (text.length > MAX_POLICY_CHARACTERS) {
    const rule = `Member must have length less than or equal to ${MAX_POLICY_CHARACTERS}`;
    throw invalid("'...'", 'policy', rule);
  }
  const policy = readPolicy(text);
  if (policy === null)
    throw new AwsError('MalformedPolicyDocument', 'This policy contains invalid Json');
  return policy;
}

function invalid(value: string, name: string, rule: string): AwsError {
  return new AwsError(
    'ValidationError',
    `1 validation error detected: Value ${value} at '${name}' failed to satisfy constraint: ${rule}`,
  );
}
