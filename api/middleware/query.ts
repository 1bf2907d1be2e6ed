import type { TSchema } from 'typebox';
import { AppError } from '../../domain/errors.ts';
import type { Validate } from './validation.ts';

/** A canonical integer: no plus sign, no leading zero, no exponent, no space. */
const INTEGER = /^(?:0|-?[1-9]\d*)$/;

interface QuerySchema {
  readonly properties?: Readonly<Record<string, { type?: string; default?: unknown }>>;
}

/** The longest query of any route has some 200 characters. */
const MAX_QUERY_LENGTH = 2_048;

/**
 * The query parameters of a request, typed by their schema, with defaults. A repeated parameter is a
 * list, which no schema accepts.
 *
 * @throws AppError `invalid_request` with each unknown or invalid parameter, or for a query that is too
 * long to be one of ours.
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
  if (sent.length > MAX_QUERY_LENGTH)
    throw new AppError('invalid_request', `The query is over ${MAX_QUERY_LENGTH} characters long.`);
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(sent))
    values.set(name, [...(values.get(name) ?? []), value]);
  return [...values].map(([name, [first = '', ...others]]) => [
    name,
    others.length === 0 ? first : [first, ...others],
  ]);
}
