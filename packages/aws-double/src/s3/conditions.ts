import { etagOf, type ObjectVersion } from '../store/version.ts';
import { AwsError } from '../wire/errors.ts';
import type { WireRequest } from '../wire/request.ts';

function failed(condition: string): AwsError {
  return new AwsError(
    'PreconditionFailed',
    'At least one of the pre-conditions you specified did not hold',
    { details: { Condition: condition } },
  );
}

function names(header: string, etag: string): boolean {
  return header
    .split(',')
    .map((item) => item.trim().replace(/^"(.*)"$/, '$1'))
    .some((item) => item === '*' || item === etag);
}

/** HTTP dates have a resolution of one second. */
function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}

/**
 * The conditions of GET and HEAD. `If-Match` outweighs `If-Unmodified-Since`, `If-None-Match`
 * outweighs `If-Modified-Since`. Source: GetObject, Amazon S3 API Reference.
 *
 * @throws AwsError `PreconditionFailed`, `NotModified`
 */
export function checkReadConditions(request: WireRequest, version: ObjectVersion): void {
  const { headers } = request;
  const etag = etagOf(version);
  const ifMatch = headers.get('if-match');
  const ifNoneMatch = headers.get('if-none-match');
  const unmodified = Date.parse(headers.get('if-unmodified-since') ?? '');
  const modified = Date.parse(headers.get('if-modified-since') ?? '');
  if (ifMatch !== undefined) {
    if (!names(ifMatch, etag)) throw failed('If-Match');
  } else if (seconds(version.lastModifiedMs) > seconds(unmodified)) {
    throw failed('If-Unmodified-Since');
  }
  const notModified =
    ifNoneMatch === undefined
      ? seconds(version.lastModifiedMs) <= seconds(modified)
      : names(ifNoneMatch, etag);
  if (notModified) {
    throw new AwsError('NotModified', 'Not Modified', {
      headers: {
        etag: `"${etag}"`,
        'last-modified': new Date(version.lastModifiedMs).toUTCString(),
      },
    });
  }
}

/**
 * The conditions of PUT and of completing an upload.
 *
 * @throws AwsError `PreconditionFailed`, `NoSuchKey`, `NotImplemented`
 */
export function checkWriteConditions(
  request: WireRequest,
  current: ObjectVersion | undefined,
): void {
  const ifNoneMatch = request.headers.get('if-none-match');
  const ifMatch = request.headers.get('if-match');
  if (ifNoneMatch !== undefined) {
    if (ifNoneMatch !== '*') {
      throw new AwsError(
        'NotImplemented',
        'A header you provided implies functionality that is not implemented',
        {
          details: { Header: 'If-None-Match' },
        },
      );
    }
    if (current !== undefined) throw failed('If-None-Match');
  }
  if (ifMatch === undefined) return;
  if (current === undefined) {
    throw new AwsError('NoSuchKey', 'The specified key does not exist.');
  }
  if (!names(ifMatch, etagOf(current))) throw failed('If-Match');
}

/** The conditions of `CopyObject` on its source. @throws AwsError `PreconditionFailed` */
export function checkCopyConditions(request: WireRequest, source: ObjectVersion): void {
  const ifMatch = request.headers.get('x-amz-copy-source-if-match');
  const ifNoneMatch = request.headers.get('x-amz-copy-source-if-none-match');
  if (ifMatch !== undefined && !names(ifMatch, etagOf(source))) {
    throw failed('x-amz-copy-source-If-Match');
  }
  if (ifNoneMatch !== undefined && names(ifNoneMatch, etagOf(source))) {
    throw failed('x-amz-copy-source-If-None-Match');
  }
}

/** A byte range of an object: `start` included, `end` excluded. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Reads a `Range` header. Null: none, or one that S3 ignores (several ranges, another unit).
 *
 * @throws AwsError `InvalidRange`
 */
export function readRange(header: string | undefined, sizeBytes: number): ByteRange | null {
  const match = /^bytes=([0-9]*)-([0-9]*)$/.exec(header ?? '');
  if (match === null || header === 'bytes=-') return null;
  const [, first = '', last = ''] = match;
  const range =
    first === ''
      ? { start: Math.max(0, sizeBytes - Number(last)), end: sizeBytes }
      : {
          start: Number(first),
          end: last === '' ? sizeBytes : Math.min(sizeBytes, Number(last) + 1),
        };
  if (first !== '' && last !== '' && Number(first) > Number(last)) return null;
  if (range.start >= range.end) {
    throw new AwsError('InvalidRange', 'The requested range is not satisfiable', {
      details: { RangeRequested: header ?? '', ActualObjectSize: String(sizeBytes) },
      headers: { 'content-range': `bytes */${sizeBytes}` },
    });
  }
  return range;
}
