import {
  conditionsHold,
  checkConditions,
  type ConditionBlock,
  type ConditionContext,
} from './condition.ts';
import { wildcard } from './wildcard.ts';

type OneOrMany = string | readonly string[];

/** A statement of a policy, as IAM writes it. */
interface PolicyStatement {
  readonly Sid?: string;
  readonly Effect: 'Allow' | 'Deny';
  readonly Principal?: '*' | { readonly AWS?: OneOrMany; readonly Service?: OneOrMany };
  readonly Action?: OneOrMany;
  readonly NotAction?: OneOrMany;
  readonly Resource?: OneOrMany;
  readonly NotResource?: OneOrMany;
  readonly Condition?: ConditionBlock;
}

/** A policy document: of a user, a role, a session, a bucket, or a role's trust. */
export interface PolicyDocument {
  readonly Version?: string;
  readonly Id?: string;
  readonly Statement: PolicyStatement | readonly PolicyStatement[];
}

/** The principal, for documents that name principals. */
interface PolicyPrincipal {
  /** The ARN that a policy names: of a user, or of the role behind a session. */
  readonly arn: string;
  readonly accountId: string;
}

/** A request that policies are evaluated against. */
export interface PolicyRequest {
  /** Such as `s3:GetObject`. */
  readonly action: string;
  /** The resource's ARN; null where the document is a trust policy, which names none. */
  readonly resource: string | null;
  /** Null for identity policies, which name no principal. */
  readonly principal: PolicyPrincipal | null;
  readonly context: ConditionContext;
}

/** `none`: no statement applies, which denies unless another document allows. */
export type PolicyDecision = 'allow' | 'deny' | 'none';

/** A policy that allows everything: what a user without policies of its own has here. */
export const ALLOW_ALL: PolicyDocument = {
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }],
};

/** Evaluates documents: an explicit Deny in any of them wins, then an Allow in any of them. */
export function evaluatePolicies(
  documents: readonly PolicyDocument[],
  question: PolicyRequest,
): PolicyDecision {
  let decision: PolicyDecision = 'none';
  for (const document of documents) {
    for (const statement of statements(document)) {
      if (!applies(statement, question)) continue;
      if (statement.Effect === 'Deny') return 'deny';
      decision = 'allow';
    }
  }
  return decision;
}

function applies(statement: PolicyStatement, question: PolicyRequest): boolean {
  return (
    principalMatches(statement, question.principal) &&
    listMatches(statement.Action, statement.NotAction, question.action.toLowerCase(), true) &&
    (question.resource === null ||
      listMatches(statement.Resource, statement.NotResource, question.resource, false)) &&
    conditionsHold(statement.Condition ?? {}, question.context)
  );
}

function principalMatches(statement: PolicyStatement, principal: PolicyPrincipal | null): boolean {
  if (principal === null) return true;
  const named = statement.Principal;
  if (named === undefined) return false;
  if (named === '*') return true;
  return many(named.AWS).some(
    (name) =>
      name === '*' ||
      name === principal.arn ||
      name === principal.accountId ||
      name === `arn:aws:iam::${principal.accountId}:root`,
  );
}

/** Says whether a trust policy names the principal itself, not only its account. */
export function namesPrincipalItself(document: PolicyDocument, arn: string): boolean {
  return statements(document).some(
    ({ Effect, Principal }) =>
      Effect === 'Allow' &&
      Principal !== undefined &&
      Principal !== '*' &&
      many(Principal.AWS).includes(arn),
  );
}

function listMatches(
  only: OneOrMany | undefined,
  allBut: OneOrMany | undefined,
  value: string,
  ignoreCase: boolean,
): boolean {
  const matches = (pattern: string): boolean =>
    wildcard(ignoreCase ? pattern.toLowerCase() : pattern, value);
  if (allBut !== undefined) return !many(allBut).some(matches);
  return many(only).some(matches);
}

function statements(document: PolicyDocument): readonly PolicyStatement[] {
  return isList(document.Statement) ? document.Statement : [document.Statement];
}

function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}

function many(value: OneOrMany | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}

/** Parses and checks a document; null where IAM would call it malformed. */
export function readPolicy(source: string | object): PolicyDocument | null {
  try {
    const document: unknown = typeof source === 'string' ? JSON.parse(source) : source;
    return isPolicyDocument(document) ? document : null;
  } catch {
    return null;
  }
}

function isPolicyDocument(value: unknown): value is PolicyDocument {
  if (typeof value !== 'object' || value === null || !('Statement' in value)) return false;
  const list: unknown[] = Array.isArray(value.Statement) ? value.Statement : [value.Statement];
  return list.length > 0 && list.every(isStatement);
}

function isStatement(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as Record<string, unknown>;
  const names = ['Action', 'NotAction', 'Resource', 'NotResource'];
  return (
    (fields['Effect'] === 'Allow' || fields['Effect'] === 'Deny') &&
    (fields['Action'] !== undefined || fields['NotAction'] !== undefined) &&
    names.every((name) => fields[name] === undefined || isOneOrMany(fields[name])) &&
    checkConditions(fields['Condition'])
  );
}

function isOneOrMany(value: unknown): boolean {
  if (typeof value === 'string') return true;
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
