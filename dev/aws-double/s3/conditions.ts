import type { Behaviour } from '../store/behaviour.ts';
import { readEtag, type ObjectVersion } from '../store/version.ts';
import { AwsError } from '../wire/errors.ts';
import type { WireRequest } from '../wire/request.ts';
import type { Call } from './call.ts';

function failed(condition: string): AwsError {
  return new AwsError('PreconditionFailed', { details: { Condition: condition } });
}

function namesEtag(header: string, version: ObjectVersion): boolean {
  return header
    .split(',')
    .map((item) => item.trim().replace(/^"(.*)"$/, '$1'))
    .some((item) => item === '*' || item === readEtag(version));
}

/**
 * The conditions of GET and HEAD. `If-Match` outweighs `If-Unmodified-Since`, `If-None-Match`
 * outweighs `If-Modified-Since`. Source: GetObject, Amazon S3 API Reference.
 *
 * @throws AwsError `PreconditionFailed`, `NotModified`
 */
export function checkReadConditions({ headers }: WireRequest, version: ObjectVersion): void {
  const ifMatch = headers.get('if-match');
  const ifNoneMatch = headers.get('if-none-match');
  // HTTP dates have a resolution of one second; without a header no comparison with NaN holds.
  const modifiedMs = Math.floor(version.lastModifiedMs / 1000) * 1000;
  const isAfter = modifiedMs > Date.parse(headers.get('if-unmodified-since') ?? '');
  const isNotAfter = modifiedMs <= Date.parse(headers.get('if-modified-since') ?? '');
  if (ifMatch === undefined && isAfter) throw failed('If-Unmodified-Since');
  if (ifMatch !== undefined && !namesEtag(ifMatch, version)) throw failed('If-Match');
  if (ifNoneMatch === undefined ? isNotAfter : namesEtag(ifNoneMatch, version)) {
    throw new AwsError('NotModified', {
      headers: {
        etag: `"${readEtag(version)}"`,
        'last-modified': new Date(version.lastModifiedMs).toUTCString(),
      },
    });
  }
}

/** Whether the store heeds a condition. @throws AwsError `NotImplemented` if it refuses it */
export function isHonoured(
  conditions: Behaviour['conditionalPut' | 'conditionalDelete'],
  header: string,
): boolean {
  if (conditions !== 'refused') return conditions === 'honoured';
  throw new AwsError('NotImplemented', { details: { Header: header } });
}

/**
 * The conditions of PUT and of completing an upload.
 *
 * @throws AwsError `PreconditionFailed`, `NoSuchKey`, `NotImplemented`
 */
export function checkWriteConditions({ request, bucket, key, behaviour }: Call): void {
  const { headers } = request;
  const present = ['If-None-Match', 'If-Match'].find((name) => headers.has(name.toLowerCase()));
  if (present === undefined || !isHonoured(behaviour.conditionalPut, present)) return;
  const current = bucket.current(key);
  const ifNoneMatch = headers.get('if-none-match') ?? '*';
  const ifMatch = headers.get('if-match');
  if (ifNoneMatch !== '*') {
    throw new AwsError('NotImplemented', { details: { Header: 'If-None-Match' } });
  }
  if (headers.has('if-none-match') && current !== undefined) throw failed('If-None-Match');
  if (ifMatch !== undefined) checkIfMatch(ifMatch, current);
}

/** A store on files has no room for a key beside one below it. @throws AwsError `InvalidRequest` */
export function requireRoom({ bucket, key, behaviour }: Call): void {
  if (behaviour.keyAndFolder === 'both') return;
  const isConflict = (other: string) => key.startsWith(`${other}/`) || other.startsWith(`${key}/`);
  if (bucket.keys().some((other) => isConflict(other) && bucket.current(other)))
    throw new AwsError('InvalidRequest', { message: 'A parent of it is an object' });
}

/** `If-Match` of a write or a delete. @throws AwsError `PreconditionFailed`, `NoSuchKey` */
export function checkIfMatch(ifMatch: string, current: ObjectVersion | undefined): void {
  if (current === undefined) throw new AwsError('NoSuchKey');
  if (!namesEtag(ifMatch, current)) throw failed('If-Match');
}

/** The conditions of `CopyObject` on its source. @throws AwsError `PreconditionFailed` */
export function checkCopyConditions({ headers }: WireRequest, source: ObjectVersion): void {
  const ifMatch = headers.get('x-amz-copy-source-if-match') ?? '*';
  const ifNoneMatch = headers.get('x-amz-copy-source-if-none-match') ?? '';
  if (!namesEtag(ifMatch, source)) throw failed('x-amz-copy-source-If-Match');
  if (namesEtag(ifNoneMatch, source)) throw failed('x-amz-copy-source-If-None-Match');
}

/** A byte range of an object: `start` included, `end` excluded. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Reads a `Range` header. Null: none, or one that S3 ignores (several ranges, another unit).
 *
 * @throws AwsError `InvalidRange`
 */
export function readRange(header: string | undefined, sizeBytes: number): ByteRange | null {
  const [, first = '', last = ''] = /^bytes=([0-9]*)-([0-9]*)$/.exec(header ?? '') ?? [];
  if (first + last === '') return null;
  if (first !== '' && last !== '' && Number(first) > Number(last)) return null;
  const isSuffix = first === '';
  const start = isSuffix ? Math.max(0, sizeBytes - Number(last)) : Number(first);
  const end = isSuffix || last === '' ? sizeBytes : Math.min(sizeBytes, Number(last) + 1);
  if (start < end) return { start, end };
  throw new AwsError('InvalidRange', {
    details: { RangeRequested: header ?? '', ActualObjectSize: String(sizeBytes) },
    headers: { 'content-range': `bytes */${sizeBytes}` },
  });
}
