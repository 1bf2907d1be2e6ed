import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';
import { AppError, type ErrorDetail } from '../../domain/common/errors.ts';

/** More would not help a person, and an answer must not be larger than its request. */
const MAX_DETAILS = 20;

/** @throws AppError `invalid_request` with the first problems of the value. */
export type Validate = (schema: TSchema, value: unknown) => void;

/** Validates by JSON Schema. A schema is compiled at its first use. */
export function createValidate(): Validate {
  const ajv = new Ajv2020({ allErrors: true, strict: true, strictTypes: false, verbose: true });
  const compiled = new WeakMap<TSchema, ValidateFunction>();

  return (schema, value) => {
    const chosen = chooseAlternative(schema, value);
    const check = compiled.get(chosen) ?? ajv.compile(chosen);
    compiled.set(chosen, check);
    if (check(value)) return;
    throw new AppError('invalid_request', undefined, {
      details: (check.errors ?? []).slice(0, MAX_DETAILS).map(toDetail),
    });
  };
}

/**
 * The alternative of a union whose problems are named: the one whose first required field the value
 * has, or the first.
 */
function chooseAlternative(schema: TSchema, value: unknown): TSchema {
  const { anyOf } = schema as { anyOf?: readonly (TSchema & { required?: readonly string[] })[] };
  if (!anyOf) return schema;
  const given = anyOf.find(
    ({ required: [first = ''] = [] }) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, first),
  );
  return given ?? anyOf[0] ?? schema;
}

function toDetail(error: ErrorObject): ErrorDetail {
  const { instancePath, params, keyword } = error;
  switch (keyword) {
    case 'required':
      return {
        path: `${instancePath}/${pointer(params['missingProperty'])}`,
        message: 'is required',
      };
    case 'additionalProperties':
      return {
        path: `${instancePath}/${pointer(params['additionalProperty'])}`,
        message: 'is not a known field',
      };
    case 'enum':
      return {
        path: instancePath,
        message: `must be one of ${(params['allowedValues'] as string[]).join(', ')}`,
      };
    case 'type':
      return { path: instancePath, message: `must be ${withArticle(String(params['type']))}` };
    case 'pattern':
      return { path: instancePath, message: formMessage(error.parentSchema?.['description']) };
    default:
      return { path: instancePath, message: error.message ?? 'is not valid' };
  }
}

/** The description of a schema with a pattern says which form is allowed. */
function formMessage(form: unknown): string {
  return typeof form === 'string' ? `must be ${form}` : 'has a form that is not allowed here';
}

/** RFC 6901 section 3. */
function pointer(name: unknown): string {
  return String(name).replaceAll('~', '~0').replaceAll('/', '~1');
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}

/** A canonical integer: no plus sign, no leading zero, no exponent, no space. */
const INTEGER = /^(?:0|-?[1-9]\d*)$/;

interface QuerySchema {
  readonly properties?: Readonly<Record<string, { type?: string; default?: unknown }>>;
}

/**
 * The query parameters of a request, typed by their schema, with defaults. A repeated parameter is
 * a list, which no schema accepts.
 *
 * @throws AppError `invalid_request` with each unknown or invalid parameter
 */
export function readQuery(schema: TSchema, sent: string, validate: Validate): unknown {
  const { properties = {} } = schema as QuerySchema;
  const defaults = Object.entries(properties).flatMap(([name, property]) =>
    property.default === undefined ? [] : [[name, property.default] as const],
  );
  const typed = parse(sent).map(([name, value]) => {
    const type = Object.hasOwn(properties, name) ? properties[name]?.type : undefined;
    const isInteger = type === 'integer' && typeof value === 'string' && INTEGER.test(value);
    return [name, isInteger ? Number(value) : value] as const;
  });
  // Not by assignment: a parameter may be named `__proto__`.
  const query: unknown = Object.fromEntries([...defaults, ...typed]);
  validate(schema, query);
  return query;
}

function parse(sent: string): [name: string, value: string | string[]][] {
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(sent))
    values.set(name, [...(values.get(name) ?? []), value]);
  return [...values].map(([name, [first = '', ...repeated]]) => [
    name,
    repeated.length === 0 ? first : [first, ...repeated],
  ]);
}
