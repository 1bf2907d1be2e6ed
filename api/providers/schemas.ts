import { Type } from 'typebox';
import { CHECK_NAMES } from '../../operations/providers/store-check.ts';
import { JURISDICTIONS, PROVIDER_KINDS } from '../../domain/providers/catalogue.ts';
import { Bytes, closed, nullable, oneOf, Provider, Time, KnownProvider } from '../http/schemas.ts';

/** S3's rules for bucket names. The name becomes part of a host name or path. */
const BUCKET = '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$';
/** An account id becomes one label of a host name. */
const HOST_LABEL = '^[0-9A-Za-z](?:[0-9A-Za-z-]{0,61}[0-9A-Za-z])?$';
/** Printable ASCII without spaces: the characters of every provider's keys. */
const CREDENTIAL = {
  pattern: '^[!-~]+$',
  description: 'printable ASCII characters without spaces',
} as const;

export const ProviderParam = Type.Object({ provider: KnownProvider }, closed);

export const BucketName = Type.String({
  minLength: 3,
  maxLength: 63,
  pattern: BUCKET,
  description:
    'lower-case letters, digits, dots and hyphens, with a letter or a digit at both ends',
});

export const ProviderRequest = Type.Object(
  {
    provider: KnownProvider,
    accessKeyId: Type.String({ minLength: 1, maxLength: 256, ...CREDENTIAL }),
    secretAccessKey: Type.String({ minLength: 1, maxLength: 512, ...CREDENTIAL }),
    bucketName: BucketName,
    region: Type.String({ minLength: 1, maxLength: 63 }),
    accountId: Type.Optional(
      Type.String({
        pattern: HOST_LABEL,
        description: 'the account id at the provider: letters, digits and hyphens',
      }),
    ),
    jurisdiction: Type.Optional(oneOf(JURISDICTIONS)),
    place: Type.Optional(
      Type.Literal('former', {
        description: 'the keys are new ones of a former place, which the other fields name',
      }),
    ),
  },
  closed,
);

const PLACE = {
  bucketName: Type.String(),
  region: Type.String(),
  accountId: Type.Optional(Type.String()),
  jurisdiction: Type.Optional(oneOf(JURISDICTIONS)),
  accessKeyIdMasked: Type.String(),
} as const;

const PROVIDER = {
  provider: Provider,
  ...PLACE,
  createdAt: Time,
  updatedAt: Time,
} as const;

export const ProviderView = Type.Object(PROVIDER);

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
  formerPlaces: Type.Array(
    Type.Object({
      ...PLACE,
      files: Type.Integer({ description: 'active and pending ones' }),
      bytes: Bytes,
      since: Time,
    }),
    {
      description:
        'places that were replaced, and that files, connections or migrations still need',
    },
  ),
});

export const ProviderList = Type.Object({ items: Type.Array(ListedProviderView) });

export const ProviderCatalogue = Type.Object({
  items: Type.Array(
    Type.Object({
      provider: Provider,
      title: Type.String({ description: 'for a person' }),
      kind: oneOf(PROVIDER_KINDS),
      regionPattern: Type.String({ description: 'a regular expression that a region matches' }),
      regionExample: Type.String(),
      needsAccountId: Type.Boolean({ description: 'whether `accountId` is required, or refused' }),
      jurisdictions: Type.Array(Type.String(), {
        description: 'the values of `jurisdiction`; empty if the store has none',
      }),
      limits: Type.Object({ singlePutBytes: Bytes, objectBytes: Bytes, parts: Type.Integer() }),
      documentation: nullable(
        Type.String({ description: 'the page of the provider about its keys' }),
      ),
    }),
  ),
});

/** An origin as browsers send it, without a path. Plain HTTP only for localhost. */
const ORIGIN =
  '^(?:https://[0-9A-Za-z](?:[0-9A-Za-z.-]{0,251}[0-9A-Za-z])?|http://localhost)(?::[0-9]{1,5})?$';

export const ProviderTestRequest = Type.Object(
  {
    provider: KnownProvider,
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
  provider: Provider,
  ok: Type.Boolean(),
  checks: Type.Array(
    Type.Object({
      name: oneOf(CHECK_NAMES),
      ok: Type.Boolean(),
      latencyMs: Type.Number(),
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
