import type { MetadataLimits } from '../providers/catalogue.ts';
import { NOT_CARRIED, type NotCarried } from './object-ledger.ts';

/** The headers of a copy: those of the source that the target takes, and the object's origin. */

const METADATA = 'x-amz-meta-';
const REDIRECT = 'x-amz-website-redirect-location';

/** The origin of a copy, the most important first: only the migration's id is ever read back. */
const ORIGIN = ['migration-id', 'src-etag', 'src-last-modified'] as const;
type OriginName = (typeof ORIGIN)[number];

/** Its name where the object has an entry of that name. */
const secondName = (name: OriginName) => `storage-routing-${name}`;
const SECOND_NAMES: ReadonlySet<string> = new Set(
  ORIGIN.map((name) => `${METADATA}${secondName(name)}`),
);

type Headers = Readonly<Record<string, string>>;

/** Headers of an object, and what else of it a copy does not have. */
interface Carried {
  readonly headers: Headers;
  readonly notCarried: readonly NotCarried[];
}

/**
 * What a target takes of an object. Entries of the metadata beyond its limits are left out, in the
 * order of their names, and so is the origin that an earlier move has written under its second
 * names.
 */
export function carriedBy(
  target: MetadataLimits,
  source: Carried,
): { readonly headers: Record<string, string>; readonly notCarried: readonly NotCarried[] } {
  const lost = new Set(source.notCarried);
  let headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(source.headers).sort(byName)) {
    const extended = { ...headers, [name]: value };
    if (SECOND_NAMES.has(name)) continue;
    if (name === REDIRECT && !target.redirect) lost.add('redirect');
    else if (name.startsWith(METADATA) && !fits(target, extended)) lost.add('metadata');
    else headers = extended;
  }
  return { headers, notCarried: NOT_CARRIED.filter((what) => lost.has(what)) };
}

/**
 * Headers that a target takes, and the origin of their object as far as it fits: the ledger has it
 * in any case. An entry of the owner that has one of its names stays.
 *
 * @param source its `headers` as `carriedBy` returns them
 */
export function withOrigin(
  target: MetadataLimits,
  source: {
    readonly headers: Headers;
    readonly etag: string;
    /** As `toISOString()` writes it. */
    readonly lastModified: string;
  },
  migrationId: string,
): Record<string, string> {
  const origin: Readonly<Record<OriginName, string>> = {
    'migration-id': migrationId,
    'src-etag': source.etag,
    'src-last-modified': source.lastModified,
  };
  let headers = { ...source.headers };
  for (const name of ORIGIN) {
    const isTaken = source.headers[`${METADATA}${name}`] !== undefined;
    const header = `${METADATA}${isTaken ? secondName(name) : name}`;
    const extended = { ...headers, [header]: origin[name] };
    // MinIO counts the prefix of each name too.
    if (fits(target, extended, METADATA.length)) headers = extended;
  }
  return headers;
}

/** The id of the migration that an object names as its writer, for readers. */
export function namedWriter(headers: Headers): string | undefined {
  const name = 'migration-id';
  return headers[`${METADATA}${secondName(name)}`] ?? headers[`${METADATA}${name}`];
}

/** S3 counts the bytes of names and values. Headers are latin1: one character per byte. */
function fits({ bytes, entries }: MetadataLimits, headers: Headers, prefixBytes = 0): boolean {
  const metadata = Object.entries(headers).filter(([name]) => name.startsWith(METADATA));
  const size = metadata.reduce(
    (sum, [name, value]) => sum + name.length - METADATA.length + prefixBytes + value.length,
    0,
  );
  return size <= bytes && metadata.length <= entries;
}

function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : 1;
}
