import { Type } from 'typebox';
import { CHECK_NAMES } from '../../operations/providers/store-check.ts';
import { JURISDICTIONS, PROVIDER_KINDS } from '../../domain/providers/catalogue.ts';
import {
  Bytes,
  closed,
  example,
  KnownProvider,
  nullable,
  oneOf,
  Provider,
  Time,
} from '../http/schemas.ts';

/** S3's rules for bucket names. The name becomes part of a host name or path. */
const BUCKET = '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$';
/** An account id becomes one label of a host name. */
const HOST_LABEL = '^[0-9A-Za-z](?:[0-9A-Za-z-]{0,61}[0-9A-Za-z])?$';
/** Printable ASCII without spaces: the characters of every provider's keys. */
const CREDENTIAL = {
  pattern: '^[!-~]+$',
  description: 'printable ASCII characters without spaces',
} as const;

/** The example of a store. */
const STORE = {
  bucketName: 'acme-hot',
  region: 'auto',
  accountId: '0f1e2d3c4b5a69788796a5b4c3d2e1f0',
  jurisdiction: 'eu',
} as const;

export const ProviderParam = Type.Object({ provider: example(KnownProvider, 'b2') }, closed);

export const BucketName = Type.String({
  minLength: 3,
  maxLength: 63,
  pattern: BUCKET,
  description:
    'lower-case letters, digits, dots and hyphens, with a letter or a digit at both ends',
});

export const ProviderRequest = Type.Object(
  {
    provider: example(KnownProvider, 'r2'),
    accessKeyId: example(
      Type.String({ minLength: 1, maxLength: 256, ...CREDENTIAL }),
      '1a2b3c4d5e6f7a8b9c0d1e2f3a4b9f3c',
    ),
    secretAccessKey: example(
      Type.String({ minLength: 1, maxLength: 512, ...CREDENTIAL }),
      '<write-only>',
    ),
    bucketName: example(BucketName, STORE.bucketName),
    region: example(Type.String({ minLength: 1, maxLength: 63 }), STORE.region),
    accountId: Type.Optional(
      example(
        Type.String({
          pattern: HOST_LABEL,
          description: 'the account id at the provider: letters, digits and hyphens',
        }),
        STORE.accountId,
      ),
    ),
    jurisdiction: Type.Optional(example(oneOf(JURISDICTIONS), STORE.jurisdiction)),
    place: Type.Optional(
      Type.Literal('former', {
        description: 'the keys are new ones of a former place, which the other fields name',
      }),
    ),
  },
  closed,
);

const PLACE = {
  bucketName: example(Type.String(), STORE.bucketName),
  region: example(Type.String(), STORE.region),
  accountId: Type.Optional(example(Type.String(), STORE.accountId)),
  jurisdiction: Type.Optional(example(oneOf(JURISDICTIONS), STORE.jurisdiction)),
  accessKeyIdMasked: example(Type.String(), '1a2b…9f3c'),
} as const;

const PROVIDER = {
  provider: example(Provider, 'r2'),
  ...PLACE,
  createdAt: Time,
  updatedAt: Time,
} as const;

export const ProviderView = Type.Object(PROVIDER);

export const FormerPlaceView = example(
  Type.Object({
    ...PLACE,
    files: Type.Integer({ description: 'active and pending ones' }),
    bytes: Bytes,
    since: Time,
  }),
  {
    bucketName: 'acme-hot-2025',
    region: 'auto',
    accountId: '9a8b7c6d5e4f30211203f4e5d6c7b8a9',
    accessKeyIdMasked: '7c6d…4f30',
    files: 120,
    bytes: 7_340_032_000,
    since: '2026-11-20T11:50:00.000Z',
  },
);

export const ListedProviderView = Type.Object({
  ...PROVIDER,
  paused: nullable(
    Type.Object(
      { since: Time, code: Type.String({ description: 'what the store said last' }) },
      {
        description:
          'set while the store refuses the work on files to these credentials: one attempt an hour is made, and a call of yours still tries',
      },
    ),
  ),
  formerPlaces: Type.Array(FormerPlaceView, {
    description: 'places that were replaced, and that files, connections or migrations still need',
  }),
});

export const ProviderList = Type.Object({ items: Type.Array(ListedProviderView) });

export const CatalogueEntry = Type.Object({
  provider: example(Provider, 'r2'),
  title: example(Type.String({ description: 'for a person' }), 'Cloudflare R2'),
  kind: example(oneOf(PROVIDER_KINDS), 'edge'),
  regionPattern: example(
    Type.String({ description: 'a regular expression that a region matches' }),
    '^auto$',
  ),
  regionExample: example(Type.String(), 'auto'),
  needsAccountId: example(
    Type.Boolean({ description: 'whether `accountId` is required, or refused' }),
    true,
  ),
  jurisdictions: example(
    Type.Array(Type.String(), {
      description: 'the values of `jurisdiction`; empty if the store has none',
    }),
    ['eu', 'fedramp'],
  ),
  limits: Type.Object({
    singlePutBytes: example(Bytes, 5_363_466_240),
    objectBytes: example(Bytes, 5_492_189_429_760),
    parts: example(Type.Integer(), 10_000),
  }),
  documentation: nullable(
    example(
      Type.String({ description: 'the page of the provider about its keys' }),
      'https://developers.cloudflare.com/r2/api/tokens/',
    ),
  ),
});

export const ProviderCatalogue = Type.Object({
  items: Type.Array(CatalogueEntry),
});

/** An origin as browsers send it, without a path. Plain HTTP only for localhost. */
const ORIGIN =
  '^(?:https://[0-9A-Za-z](?:[0-9A-Za-z.-]{0,251}[0-9A-Za-z])?|http://localhost)(?::[0-9]{1,5})?$';

export const ProviderTestRequest = Type.Object(
  {
    provider: example(KnownProvider, 'r2'),
    origin: Type.Optional(
      Type.String({
        pattern: ORIGIN,
        description: 'an origin without a path: https, or http://localhost with a port',
        examples: ['https://app.example.com'],
      }),
    ),
  },
  closed,
);

export const ProviderTestView = Type.Object({
  provider: example(Provider, 'r2'),
  ok: example(Type.Boolean(), true),
  checks: Type.Array(
    Type.Object({
      name: oneOf(CHECK_NAMES),
      ok: example(Type.Boolean(), true),
      latencyMs: example(Type.Number(), 41.2),
      supported: Type.Optional(
        Type.Boolean({ description: 'of what some stores lack: whether this one has it' }),
      ),
      error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
      corsRule: Type.Optional(
        Type.Array(Type.Object({}), {
          description: 'of a failed check of CORS: the rules in the format of the store',
        }),
      ),
    }),
  ),
});
