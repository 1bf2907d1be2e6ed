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

/** A request that policies are evaluated against. */
export interface PolicyRequest {
  /** Such as `s3:GetObject`. */
  readonly action: string;
  /** The resource's ARN; null for a trust policy, which names none. */
  readonly resource: string | null;
  /** The user, or the role behind a session; null for identity policies, which name no principal. */
  readonly principal: { readonly arn: string; readonly accountId: string } | null;
  readonly context: ConditionContext;
}

/** A policy that allows everything: what a user without policies of its own has here. */
export const ALLOW_ALL: PolicyDocument = {
  Statement: { Effect: 'Allow', Action: '*', Resource: '*' },
};

/**
 * Evaluates documents: an explicit Deny in any of them wins, then an Allow in any of them.
 *
 * @returns `none` if no statement applies, which denies unless another document allows
 */
export function evaluatePolicies(
  documents: readonly PolicyDocument[],
  request: PolicyRequest,
): 'allow' | 'deny' | 'none' {
  const effects = new Set(
    documents
      .flatMap(({ Statement }) => Statement)
      .filter((statement) => applies(statement, request))
      .map(({ Effect }) => Effect),
  );
  if (effects.has('Deny')) return 'deny';
  return effects.has('Allow') ? 'allow' : 'none';
}

function applies(statement: PolicyStatement, request: PolicyRequest): boolean {
  const { Action, NotAction, Resource, NotResource, Condition = {} } = statement;
  const isAction = (pattern: string): boolean =>
    isMatch(pattern.toLowerCase(), request.action.toLowerCase());
  const isResource = (pattern: string): boolean => isMatch(pattern, request.resource ?? '');
  return (
    (request.principal === null || isPrincipal(statement, request.principal)) &&
    matches(Action, NotAction, isAction) &&
    (request.resource === null || matches(Resource, NotResource, isResource)) &&
    conditionsHold(Condition, request.context)
  );
}

function matches(
  only: OneOrMany | undefined,
  allBut: OneOrMany | undefined,
  test: (pattern: string) => boolean,
): boolean {
  return allBut === undefined ? [only ?? []].flat().some(test) : ![allBut].flat().some(test);
}

function isPrincipal(
  { Principal }: PolicyStatement,
  { arn, accountId }: NonNullable<PolicyRequest['principal']>,
): boolean {
  const names = Principal === '*' ? '*' : (Principal?.AWS ?? []);
  return [names]
    .flat()
    .some((name) => ['*', arn, accountId, `arn:aws:iam::${accountId}:root`].includes(name));
}

/** Parses and checks a document; null if IAM would call it malformed. */
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
  const statements: unknown[] = [value.Statement].flat();
  return statements.length > 0 && statements.every(isStatement);
}

function isStatement(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as Record<string, unknown>;
  const lists = ['Action', 'NotAction', 'Resource', 'NotResource'].map((name) => fields[name]);
  return (
    ['Allow', 'Deny'].includes(String(fields['Effect'])) &&
    (fields['Action'] ?? fields['NotAction']) !== undefined &&
    lists.flat().every((item) => item === undefined || typeof item === 'string') &&
    isConditionBlock(fields['Condition'])
  );
}

/** The values a request brings, by condition key in lower case (`sts:externalid`, `s3:prefix`). */
export type ConditionContext = ReadonlyMap<string, string>;

type Scalar = string | boolean | number;

/** `{ operator: { key: value or values } }`. All operators and keys must hold, any value suffices. */
export type ConditionBlock = Readonly<
  Record<string, Readonly<Record<string, Scalar | readonly Scalar[]>>>
>;

type Test = (actual: string, expected: string) => boolean;

const isEqual: Test = (actual, expected) => actual === expected;
const isEqualInAnyCase: Test = (a, b) => a.toLowerCase() === b.toLowerCase();
const isLike: Test = (actual, expected) => isMatch(expected, actual);

// `Not` before the test's name negates it: that also holds if the key is absent.
// Source: "IAM JSON policy elements: Condition operators", IAM User Guide.
const TESTS: Readonly<Record<string, Test>> = {
  StringEquals: isEqual,
  StringEqualsIgnoreCase: isEqualInAnyCase,
  StringLike: isLike,
  ArnEquals: isLike,
  ArnLike: isLike,
  Bool: isEqualInAnyCase,
  NumericEquals: (a, b) => Number(a) === Number(b),
  NumericLessThanEquals: (a, b) => Number(a) <= Number(b),
  NumericGreaterThanEquals: (a, b) => Number(a) >= Number(b),
};

/** IAM's wildcards: `*` any run of characters, `?` exactly one. */
export function isMatch(pattern: string, value: string): boolean {
  if (!/[*?]/.test(pattern)) return pattern === value;
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's').test(value);
}

/** Says whether a request fulfils the whole block. */
function conditionsHold(block: ConditionBlock, context: ConditionContext): boolean {
  return Object.entries(block).every(([operator, keys]) =>
    Object.entries(keys).every(([key, expected]) =>
      conditionHolds(operator, context.get(key.toLowerCase()), [expected].flat().map(String)),
    ),
  );
}

function conditionHolds(
  operator: string,
  actual: string | undefined,
  expected: readonly string[],
): boolean {
  if (operator === 'Null') return expected.includes(String(actual === undefined));
  const { test, isNegated, ifExists } = readOperator(operator);
  if (test === undefined) return false;
  if (actual === undefined) return isNegated || ifExists;
  return expected.some((value) => test(actual, value)) !== isNegated;
}

function readOperator(operator: string) {
  const [, type = '', not, rest = '', ifExists] =
    /^(String|Arn|Numeric|Bool)(Not)?(.*?)(IfExists)?$/.exec(operator) ?? [];
  return {
    test: TESTS[type + rest],
    isNegated: not !== undefined,
    ifExists: ifExists !== undefined,
  };
}

/** Says whether a block (or its absence) is one that {@link conditionsHold} understands. */
function isConditionBlock(block: unknown): boolean {
  if (block === undefined) return true;
  if (typeof block !== 'object' || block === null || Array.isArray(block)) return false;
  return Object.entries(block).every(
    ([operator, keys]) =>
      (operator === 'Null' || readOperator(operator).test !== undefined) &&
      typeof keys === 'object' &&
      keys !== null,
  );
}
