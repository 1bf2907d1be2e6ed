import type { TSchema } from 'typebox';
import type { Validate } from './validation.ts';

/** The one way to write an integer: no sign but a minus, no leading zero, no exponent, no space. */
const INTEGER = /^(?:0|-?[1-9]\d*)$/;

interface QuerySchema {
  readonly properties?: Readonly<Record<string, { type?: string; default?: unknown }>>;
}

/**
 * The query parameters of a request as their schema types them, with the defaults of those that were
 * left out. A parameter that is named twice is a list, and fits no schema here.
 *
 * @throws AppError `invalid_request`, naming each that is unknown or does not fit.
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
  // Not by assignment: a parameter may be called `__proto__`.
  const query: unknown = Object.fromEntries([...defaults, ...typed]);
  validate(schema, query);
  return query;
}
