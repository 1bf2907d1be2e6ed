import type { TSchema } from 'typebox';
import type { Validate } from './validation.ts';

/** A canonical integer: no plus sign, no leading zero, no exponent, no space. */
const INTEGER = /^(?:0|-?[1-9]\d*)$/;

interface QuerySchema {
  readonly properties?: Readonly<Record<string, { type?: string; default?: unknown }>>;
}

/**
 * The query parameters of a request, typed by their schema, with defaults. A repeated parameter is a
 * list, which no schema accepts.
 *
 * @throws AppError `invalid_request` with each unknown or invalid parameter.
 */
export function readQuery(
  schema: TSchema,
  sent: Readonly<Record<string, string | string[] | undefined>>,
  validate: Validate,
): unknown {
  const { properties = {} } = schema as QuerySchema;
  const defaults = Object.entries(properties).flatMap(([name, property]) =>
    property.default === undefined ? [] : [[name, property.default] as const],
  );
  const typed = Object.entries(sent).map(([name, value]) => {
    const type = Object.hasOwn(properties, name) ? properties[name]?.type : undefined;
    const isInteger = type === 'integer' && typeof value === 'string' && INTEGER.test(value);
    return [name, isInteger ? Number(value) : value] as const;
  });
  // Not by assignment: a parameter may be named `__proto__`.
  const query: unknown = Object.fromEntries([...defaults, ...typed]);
  validate(schema, query);
  return query;
}
