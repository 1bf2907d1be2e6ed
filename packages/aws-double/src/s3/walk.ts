import type { Bucket } from '../store/bucket.ts';
import { compareUtf8 } from '../store/order.ts';
import type { ObjectVersion } from '../store/version.ts';

/** An item of a listing: a key with its versions, or a common prefix. */
export type ListedItem =
  | { readonly kind: 'key'; readonly key: string; readonly versions: readonly ObjectVersion[] }
  | { readonly kind: 'group'; readonly prefix: string };

/** Where a listing resumes. */
export type ListStart =
  | { readonly kind: 'beginning' }
  /** After that key. */
  | { readonly kind: 'after'; readonly key: string }
  /** At that key. */
  | { readonly kind: 'at'; readonly key: string }
  /** After all keys with that prefix. */
  | { readonly kind: 'past'; readonly prefix: string };

/** The filter of a listing. */
export interface ListFilter {
  readonly prefix: string;
  /** Empty: none. */
  readonly delimiter: string;
  readonly start: ListStart;
  /** Keys whose versions do not match are not listed. */
  visible(versions: readonly ObjectVersion[]): boolean;
}

/** Walks a bucket in UTF-8 order. The cost is proportional to the items yielded. */
export function* walkBucket(bucket: Bucket, filter: ListFilter): Generator<ListedItem> {
  const { prefix, delimiter } = filter;
  const cursor = bucket.cursor();
  cursor.seek(startTest(filter.start));
  if (prefix !== '') cursor.seek((key) => compareUtf8(key, prefix) >= 0);
  for (let key = cursor.key(); key?.startsWith(prefix) === true; key = cursor.key()) {
    const versions = cursor.versions();
    const group = filter.visible(versions) ? groupOf(key, prefix, delimiter) : null;
    if (group !== null) {
      yield { kind: 'group', prefix: group };
      cursor.seek(afterPrefix(group));
      continue;
    }
    if (filter.visible(versions)) yield { kind: 'key', key, versions };
    cursor.next();
  }
}

/** The common prefix of a key; null if the key is listed itself. */
export function groupOf(key: string, prefix: string, delimiter: string): string | null {
  if (delimiter === '') return null;
  const at = key.indexOf(delimiter, prefix.length);
  return at < 0 ? null : key.slice(0, at + delimiter.length);
}

function startTest(start: ListStart): (key: string) => boolean {
  switch (start.kind) {
    case 'after':
      return (key) => compareUtf8(key, start.key) > 0;
    case 'at':
      return (key) => compareUtf8(key, start.key) >= 0;
    case 'past':
      return afterPrefix(start.prefix);
    case 'beginning':
    default:
      return () => true;
  }
}

function afterPrefix(prefix: string): (key: string) => boolean {
  return (key) => !key.startsWith(prefix) && compareUtf8(key, prefix) > 0;
}
