import type { TSchema } from 'typebox';
import type { Route } from './route.ts';

/** An example call of the OpenAPI description: request and answers. */
export interface Example {
  /** Values of the path's and the query's parameters. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  /** By status; a string is a document of the route's media type. */
  readonly replies: Readonly<Record<string, unknown>>;
}

export function exampleOf(
  route: Pick<Route, 'params' | 'query' | 'body' | 'replies' | 'media'>,
): Example {
  const { params, query, body, replies, media } = route;
  const valuesOf = (schema: TSchema | undefined) => schema && (compose(schema) as object);
  return {
    parameters: { ...valuesOf(params), ...valuesOf(query) },
    body: body && compose(body),
    replies: Object.fromEntries(
      Object.entries(replies).map(([status, schema]) => [
        status,
        media === 'application/x-ndjson' ? composeLines(schema) : compose(schema),
      ]),
    ),
  };
}

interface Described {
  readonly type?: string;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly TSchema[];
  readonly items?: TSchema;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
}

/**
 * The schema's own example, or one that is composed of the examples of its parts. A part without an
 * example is left out if it is optional, null if it may be null, and empty if it is an array.
 * Undefined if a required part has no example.
 */
function compose(schema: TSchema): unknown {
  const described: Described = schema;
  const { examples, default: preset, const: constant, enum: names, anyOf, items } = described;
  if (examples) return examples[0];
  const given = preset ?? constant ?? names?.[0];
  if (given !== undefined) return given;
  if (anyOf) return anyOf.map(compose).find((each) => each !== undefined);
  switch (described.type) {
    case 'object':
      return composeObject(described);
    case 'array': {
      const item = items && compose(items);
      return item === undefined ? [] : [item];
    }
    case 'null':
      return null;
    default:
      return undefined;
  }
}

function composeObject({ properties = {}, required = [] }: Described): object | undefined {
  const fields = Object.entries(properties)
    .filter(([name, field]) => required.includes(name) || 'examples' in field)
    .map(([name, field]) => [name, compose(field)] as const);
  return fields.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(fields);
}

/** A line of each kind. */
function composeLines(schema: TSchema): string {
  const { anyOf = [schema] }: Described = schema;
  return anyOf.map((line) => `${JSON.stringify(compose(line))}\n`).join('');
}
