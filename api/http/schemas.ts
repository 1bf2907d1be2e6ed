import { Type, type Static, type TSchema } from 'typebox';
import { PROVIDER_ID } from '../../domain/providers/catalogue.ts';

/** Schemas that several subjects share: requests are validated by them, answers described. */

const UUID = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$';
export const closed = { additionalProperties: false } as const;
export const oneOf = <T extends string>(names: readonly T[]) =>
  Type.Unsafe<T>(Type.String({ enum: [...names] }));
export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/**
 * No control character and no lone surrogate, in a form that generators of test data understand.
 */
export const WITHOUT_CONTROLS = '^[^\\u0000-\\u001F\\u007F-\\u009F\\uD800-\\uDFFF]*$';

/** A schema with an example. */
export const example = <T extends TSchema>(schema: T, value: Static<T>): T => ({
  ...schema,
  examples: [value],
});

export const Id = Type.String({ pattern: UUID, description: 'a UUID' });
export const FILE_ID = '5f1d2c9a-3a6e-4b2f-9a55-0c6f5b0e7d11';
/** The ids of each subject. */
export const ids = {
  file: example(Id, FILE_ID),
  connection: example(Id, '8c7b6a59-4d3e-4f2a-8b1c-2d3e4f5a6b7c'),
  scan: example(Id, '0d4f8f5e-9a1b-4c2d-8e3f-6a7b8c9d0e1f'),
  recommendation: example(Id, '3b9d1a77-5c2e-4a8f-9d60-7e1f2a3b4c5d'),
  migration: example(Id, 'c2f4e6a8-1b3d-4e5f-8a9b-0c1d2e3f4a5b'),
  relocation: example(Id, '7e5d4c3b-2a19-4f8e-9d7c-6b5a4f3e2d1c'),
  drill: example(Id, '2f8d6b4a-0c1e-4d3f-a5b7-9e8c7d6f5a4b'),
  webhook: example(Id, '4d1f0c7e-8a52-4b3f-9a6e-1c2d3e4f5a6b'),
  event: example(Id, '9b7c2f10-6d4e-4f8a-b1c3-7e5d4c3b2a19'),
} as const;
export const HourUtc = example(Type.Integer({ minimum: 0, maximum: 23 }), 3);
export const Objects = Type.Integer({ minimum: 0, examples: [2000] });
export const Bytes = Type.Integer({ minimum: 0, examples: [450_887_680_000] });
export const Problem = nullable(Type.Object({ code: Type.String(), message: Type.String() }));

export const Time = Type.String({
  description: 'RFC 3339, UTC, milliseconds',
  examples: ['2026-11-20T12:00:00.000Z'],
});
export const Usd = Type.Number({ description: 'USD with at most 6 decimals' });
/** The id of a store: the catalogue knows which ones there are. */
export const Provider = Type.String({ pattern: PROVIDER_ID.source });
/** The store that a request names. */
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
  total: example(Type.Integer({ description: 'items in the whole list' }), 1),
  limit: example(Type.Integer(), 10),
  offset: example(Type.Integer(), 0),
} as const;

export const Empty = Type.Object({}, closed);

const Dependency = oneOf(['up', 'down']);
export const HealthView = Type.Object({
  status: oneOf(['ok', 'degraded']),
  version: example(Type.String(), '0.1'),
  architecture: example(Type.String(), '2.0'),
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
