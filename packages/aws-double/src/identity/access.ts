import type { ConditionContext } from './condition.ts';
import type { Principal } from './directory.ts';
import { evaluatePolicies, type PolicyDocument } from './policy.ts';

/** An action that a principal requests on a resource. */
export interface AccessRequest {
  readonly principal: Principal;
  readonly action: string;
  /** ARN; `*` where the action has no resource. */
  readonly resource: string;
  /** The account that owns the resource; null where it has no owner but the caller. */
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
export function evaluateAccess(request: AccessRequest): boolean {
  const { principal, action, resource, context } = request;
  if (principal.revoked()) return false;
  const question = { action, resource, principal: null, context };
  const identity = evaluatePolicies(principal.policies(), question);
  const session =
    principal.sessionPolicy === null
      ? 'allow'
      : evaluatePolicies([principal.sessionPolicy], question);
  const onResource =
    request.resourcePolicy === null
      ? 'none'
      : evaluatePolicies([request.resourcePolicy], {
          ...question,
          principal: { arn: principal.policyArn, accountId: principal.accountId },
        });
  if (identity === 'deny' || session !== 'allow' || onResource === 'deny') return false;
  const own = request.ownerAccountId === null || request.ownerAccountId === principal.accountId;
  if (own) return identity === 'allow' || onResource === 'allow';
  return identity === 'allow' && onResource === 'allow';
}
