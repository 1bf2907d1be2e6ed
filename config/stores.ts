import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { Type } from 'typebox';
import {
  CORS_FORMATS,
  LIFECYCLES,
  JURISDICTIONS,
  PROVIDER_ID,
  wholePattern,
  PROVIDER_KINDS,
  type StoreData,
} from '../domain/providers/catalogue.ts';
import type { StoreSheet } from '../domain/providers/store-sheet.ts';

/** The form of the catalogue's entries: `data/stores.json`, and an operator's `STORES_FILE`. */

const closed = { additionalProperties: false } as const;
const oneOf = (names: readonly string[]) => Type.String({ enum: [...names] });
const Text = Type.String({ minLength: 1, maxLength: 1024 });
const Usd = Type.Number({ minimum: 0, maximum: 1e6 });
const Bytes = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const Bands = Type.Array(
  Type.Object(
    {
      uptoGb: Type.Union([Type.Number({ exclusiveMinimum: 0 }), Type.Null()]),
      usd: Usd,
    },
    closed,
  ),
  { minItems: 1 },
);

const figures = {
  storagePerGbMonth: Type.Union([Usd, Bands]),
  putPerRequest: Usd,
  getPerRequest: Usd,
  retrievalPerGb: Usd,
  minDays: Type.Integer({ minimum: 0, maximum: 3650 }),
  minBillableBytes: Type.Integer({ minimum: 0, maximum: 2 ** 30 }),
} as const;

const Egress = Type.Object(
  {
    free: Type.Optional(Type.Literal(true)),
    freeMultiple: Type.Optional(Type.Number({ minimum: 0, maximum: 1e6 })),
    overagePerGb: Type.Optional(Type.Union([Usd, Type.Null()])),
    bands: Type.Optional(Bands),
    note: Type.Optional(Text),
  },
  closed,
);

const Sheet = Type.Object(
  {
    ...figures,
    bytesPerGb: Type.Integer({ minimum: 1_000_000, maximum: 1e12 }),
    storageNote: Type.Optional(Text),
    listPerRequest: Usd,
    egress: Egress,
    floorUsdPerMonth: Usd,
    classes: Type.Optional(
      Type.Record(
        Type.String({ pattern: '^[A-Z][A-Z0-9_]{0,63}$' }),
        Type.Partial(Type.Object(figures, closed)),
        closed,
      ),
    ),
  },
  closed,
);

const Store = Type.Object(
  {
    provider: Type.String({ pattern: PROVIDER_ID.source }),
    title: Type.String({ minLength: 1, maxLength: 64 }),
    kind: oneOf(PROVIDER_KINDS),
    host: Text,
    jurisdictionHost: Type.Optional(Text),
    jurisdictions: Type.Optional(Type.Array(oneOf(JURISDICTIONS))),
    regionPattern: Text,
    regionExample: Type.Optional(Text),
    defaultRegion: Type.Optional(Text),
    accountIdPattern: Type.Optional(Text),
    pathStyle: Type.Boolean(),
    limits: Type.Object(
      {
        singlePutBytes: Bytes,
        objectBytes: Bytes,
        parts: Type.Integer({ minimum: 1, maximum: 10_000 }),
        partBytes: Type.Optional(Type.Object({ smallest: Bytes, largest: Bytes }, closed)),
      },
      closed,
    ),
    metadata: Type.Optional(
      Type.Object(
        {
          bytes: Type.Optional(Bytes),
          entries: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000 })),
          redirect: Type.Optional(Type.Boolean()),
        },
        closed,
      ),
    ),
    corsFormat: Type.Optional(oneOf(Object.keys(CORS_FORMATS))),
    lifecycle: Type.Optional(oneOf(LIFECYCLES)),
    links: Type.Optional(
      Type.Object(
        { documentation: Type.Optional(Type.String({ pattern: '^https://[^ ]+$' })) },
        closed,
      ),
    ),
    sheet: Type.Optional(Sheet),
    source: Type.Optional(Text),
    confidence: Type.Optional(oneOf(['high', 'medium', 'low'])),
  },
  closed,
);

/** The entries of a file, and every problem with them, each with its entry and field. */
export interface ReadStores {
  readonly stores: readonly StoreData[];
  readonly problems: readonly string[];
}

/**
 * Reads entries of the catalogue.
 *
 * @param earlier those that come before them: their ids are taken
 */
export function readStores(data: unknown, earlier: readonly StoreData[]): ReadStores {
  if (!Array.isArray(data)) return { stores: [], problems: ['must be a JSON array of stores'] };
  const check = new Ajv2020({ allErrors: true, allowUnionTypes: true }).compile(Store);
  const taken = new Set(earlier.map(({ provider }) => provider));
  const problems = data.flatMap((entry: unknown, at) => {
    const { provider } = (entry ?? {}) as { provider?: unknown };
    const name = typeof provider === 'string' ? `${at + 1} (${provider})` : `${at + 1}`;
    if (!check(entry))
      return describeErrors(check.errors ?? []).map((each) => `store ${name}: ${each}`);
    const store = entry as StoreData;
    const wrong = [
      ...problemsOf(store, earlier.length > 0),
      ...unless(!taken.has(store.provider), '/provider is taken by another store'),
    ];
    taken.add(store.provider);
    return wrong.map((each) => `store ${name}: ${each}`);
  });
  return { stores: problems.length === 0 ? (data as StoreData[]) : [], problems };
}

function describeErrors(errors: readonly ErrorObject[]): readonly string[] {
  const described = errors.map(({ instancePath, keyword, params, message = 'is not valid' }) =>
    keyword === 'additionalProperties'
      ? `${instancePath}/${String(params['additionalProperty'])} is not a known field`
      : keyword === 'required'
        ? `${instancePath}/${String(params['missingProperty'])} is required`
        : keyword === 'enum'
          ? `${instancePath} must be one of ${(params['allowedValues'] as string[]).join(', ')}`
          : `${instancePath || '/'} ${message}`,
  );
  return [...new Set(described)];
}

/** What the schema cannot express. */
function problemsOf(store: StoreData, needsSheet: boolean): string[] {
  const { host, jurisdictionHost, jurisdictions = [], limits, sheet } = store;
  const { singlePutBytes, objectBytes, partBytes } = limits;
  return [
    ...hostProblems('/host', host, PLACEHOLDERS),
    ...(jurisdictionHost === undefined
      ? []
      : hostProblems('/jurisdictionHost', jurisdictionHost, [...PLACEHOLDERS, 'jurisdiction'])),
    ...patternProblems('/regionPattern', store.regionPattern),
    ...patternProblems('/accountIdPattern', store.accountIdPattern ?? ''),
    ...unless(
      !host.includes(ACCOUNT_ID) || store.accountIdPattern !== undefined,
      `/accountIdPattern is required, because /host has ${ACCOUNT_ID}`,
    ),
    ...unless(
      !jurisdictionHost?.includes(ACCOUNT_ID) || host.includes(ACCOUNT_ID),
      `/host must have ${ACCOUNT_ID}, because /jurisdictionHost has it`,
    ),
    ...unless(
      jurisdictions.length === 0 || jurisdictionHost?.includes('{jurisdiction}'),
      '/jurisdictionHost must have {jurisdiction}, because there are jurisdictions',
    ),
    ...unless(singlePutBytes <= objectBytes, '/limits/singlePutBytes must be at most objectBytes'),
    ...unless(
      !partBytes || partBytes.smallest <= partBytes.largest,
      '/limits/partBytes/smallest must be at most largest',
    ),
    ...unless(!needsSheet || sheet, '/sheet is required'),
    ...(sheet ? sheetProblems(sheet) : []),
  ];
}

function unless(fits: unknown, problem: string): string[] {
  return fits ? [] : [problem];
}

function sheetProblems({ egress, storagePerGbMonth }: StoreSheet): string[] {
  const { free, freeMultiple, overagePerGb, bands } = egress as Record<string, unknown>;
  const forms = [free, freeMultiple, bands].filter((form) => form !== undefined);
  return [
    ...unless(
      forms.length === 1 && (freeMultiple === undefined) === (overagePerGb === undefined),
      '/sheet/egress must be free, have freeMultiple with overagePerGb (a price or null), or have bands',
    ),
    ...bandProblems('/sheet/storagePerGbMonth', storagePerGbMonth),
    ...bandProblems('/sheet/egress/bands', bands),
  ];
}

/** What a host template may have in place of letters. */
const PLACEHOLDERS = ['region', 'accountId'];
const ACCOUNT_ID = '{accountId}';

/** A label of a host name, in which a placeholder stands for letters. */
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/** The last two labels, and a host without placeholders, are the operator's own. */
function hostProblems(path: string, host: string, placeholders: readonly string[]): string[] {
  const [name = '', port, ...extra] = host.split(':');
  const labels = name.split('.');
  const filled = labels.map((label) =>
    label.replaceAll(/\{(\w+)\}/g, (whole, placeholder: string) =>
      placeholders.includes(placeholder) ? 'x' : whole,
    ),
  );
  const isHost = filled.every((label) => LABEL.test(label)) && name.length <= 253;
  const isPort = port === undefined || (/^[1-9]\d{0,4}$/.test(port) && Number(port) <= 65_535);
  return [
    ...unless(
      isHost && isPort && extra.length === 0,
      `${path} must be a host name with an optional port, without scheme and path; it may have ${placeholders.map((each) => `{${each}}`).join(', ')}`,
    ),
    ...unless(
      !labels.slice(-2).some((label) => label.includes('{')),
      `${path} must have no placeholder in its last two labels`,
    ),
  ];
}

function patternProblems(path: string, pattern: string): string[] {
  try {
    wholePattern(pattern);
    return [];
  } catch {
    return [`${path} must be a regular expression`];
  }
}

/** Bounds rise, and only the last band has none. */
function bandProblems(path: string, bands: unknown): string[] {
  if (!Array.isArray(bands)) return [];
  const bounds = (bands as { uptoGb: number | null }[]).map(({ uptoGb }) => uptoGb ?? Infinity);
  const rises = bounds.every((bound, at) => at === 0 || bound > (bounds[at - 1] ?? 0));
  return unless(rises, `${path} must have rising bounds`);
}
