import { wildcard } from './wildcard.ts';

/** The values a request brings, by condition key in lower case (`sts:externalid`, `s3:prefix`). */
export type ConditionContext = ReadonlyMap<string, string>;

type Expected = string | boolean | number | readonly (string | boolean | number)[];

/** `{ operator: { key: value or values } }`. All operators and keys must hold, any value suffices. */
export type ConditionBlock = Readonly<Record<string, Readonly<Record<string, Expected>>>>;

type Test = (actual: string, expected: string) => boolean;

const equal: Test = (actual, expected) => actual === expected;
const like: Test = (actual, expected) => wildcard(expected, actual);
const equalAnyCase: Test = (actual, expected) => actual.toLowerCase() === expected.toLowerCase();

// A negated operator also holds where the key is absent.
// Source: "IAM JSON policy elements: Condition operators", IAM User Guide.
const OPERATORS: Readonly<Record<string, { readonly test: Test; readonly negated: boolean }>> = {
  StringEquals: { test: equal, negated: false },
  StringNotEquals: { test: equal, negated: true },
  StringEqualsIgnoreCase: { test: equalAnyCase, negated: false },
  StringNotEqualsIgnoreCase: { test: equalAnyCase, negated: true },
  StringLike: { test: like, negated: false },
  StringNotLike: { test: like, negated: true },
  ArnEquals: { test: like, negated: false },
  ArnLike: { test: like, negated: false },
  ArnNotEquals: { test: like, negated: true },
  ArnNotLike: { test: like, negated: true },
  Bool: { test: equalAnyCase, negated: false },
  NumericEquals: { test: (a, b) => Number(a) === Number(b), negated: false },
  NumericLessThanEquals: { test: (a, b) => Number(a) <= Number(b), negated: false },
  NumericGreaterThanEquals: { test: (a, b) => Number(a) >= Number(b), negated: false },
};

const IF_EXISTS = /IfExists$/;

/** Says whether a request fulfils the whole block. */
export function conditionsHold(block: ConditionBlock, context: ConditionContext): boolean {
  return Object.entries(block).every(([operator, keys]) =>
    Object.entries(keys).every(([key, expected]) =>
      conditionHolds(operator, context.get(key.toLowerCase()), list(expected)),
    ),
  );
}

function conditionHolds(
  operator: string,
  actual: string | undefined,
  expected: readonly string[],
): boolean {
  if (operator === 'Null') return expected.includes(String(actual === undefined));
  const rule = OPERATORS[operator.replace(IF_EXISTS, '')];
  if (rule === undefined) return false;
  if (actual === undefined) return rule.negated || IF_EXISTS.test(operator);
  return expected.some((value) => rule.test(actual, value)) !== rule.negated;
}

function list(expected: Expected): readonly string[] {
  return Array.isArray(expected) ? expected.map(String) : [String(expected)];
}

/** Says whether a block (or its absence) is one that {@link conditionsHold} understands. */
export function checkConditions(block: unknown): boolean {
  if (block === undefined) return true;
  if (typeof block !== 'object' || block === null || Array.isArray(block)) return false;
  return Object.entries(block).every(
    ([operator, keys]) =>
      (operator === 'Null' || Object.hasOwn(OPERATORS, operator.replace(IF_EXISTS, ''))) &&
      typeof keys === 'object' &&
      keys !== null,
  );
}
