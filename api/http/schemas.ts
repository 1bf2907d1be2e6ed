import { Type, type TSchema } from 'typebox';
import { PROVIDER_ID } from '../../domain/providers/catalogue.ts';

/** Schemas that several subjects share: requests are validated by them, answers described. */

const UUID = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$';
export const closed = { additionalProperties: false } as const;
export const oneOf = <T extends string>(names: readonly T[]) =>
  Type.Unsafe<T>(Type.String({ enum: [...names] }));
export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** No control character and no lone surrogate, in a form that generators of test data understand. */
export const WITHOUT_CONTROLS = '^[^\\u0000-\\u001F\\u007F-\\u009F\\uD800-\\uDFFF]*$';

export const Id = Type.String({ pattern: UUID, description: 'a UUID' });
export const Objects = Type.Integer({ minimum: 0 });
export const Bytes = Type.Integer({ minimum: 0 });
export const Problem = nullable(Type.Object({ code: Type.String(), message: Type.String() }));

export const Time = Type.String({
  description: 'RFC 3339, UTC, milliseconds',
  examples: ['2026-11-20T12:00:00.000Z'],
});
export const Usd = Type.Number({ description: 'USD with at most 6 decimals' });
/** The id of a store: the catalogue knows which ones there are. */
export const Provider = Type.String({ pattern: PROVIDER_ID.source });
/** Of a request. */
export const KnownProvider = Type.String({
  pattern: PROVIDER_ID.source,
  description: 'the id of a store of `GET /v1/providers/catalogue`',
});

/** The query parameters of a list in pages. */
export const page = {
  limit: Type.Integer({ minimum: 1, maximum: 50, default: 10 }),
  offset: Type.Integer({ minimum: 0, maximum: 10_000, default: 0 }),
} as const;

/** The fields of a page in addition to its items. */
export const pageView = {
  total: Type.Integer({ description: 'of the whole list' }),
  limit: Type.Integer(),
  offset: Type.Integer(),
} as const;

export const Empty = Type.Object({}, closed);

const Dependency = oneOf(['up', 'down']);
export const HealthView = Type.Object({
  status: oneOf(['ok', 'degraded']),
  version: Type.String(),
  architecture: Type.String(),
  dependencies: Type.Object({ mongodb: Dependency, temporal: Dependency }),
  /** `skewed`: within the last hour a store refused a signature of this process for its time. */
  clock: oneOf(['ok', 'skewed']),
});

export const ErrorView = Type.Object({
  error: Type.String({ description: 'for a person' }),
  code: Type.String({ description: 'for a machine' }),
  details: Type.Optional(Type.Array(Type.Object({ path: Type.String(), message: Type.String() }))),
});

export const NoContent = Type.Null();
/** A text whose media type the route names. */
export const Text = Type.String();
/** A document that another specification describes. */
export const Document = Type.Object({});
