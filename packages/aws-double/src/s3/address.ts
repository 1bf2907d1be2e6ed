import { AwsError } from '../wire/errors.ts';
import { decodeUtf8, percentDecode } from '../wire/query.ts';
import type { WireRequest } from '../wire/request.ts';

/** The bucket and object that a request addresses. */
export interface Address {
  /** Null for the service itself. */
  readonly bucket: string | null;
  /** Opaque: the path after the bucket's slash, decoded once and never normalised. */
  readonly key: string | null;
  /** The region in the host name; null without one (`127.0.0.1`). */
  readonly hostRegion: string | null;
}

const MAX_KEY_BYTES = 1024;

// `bucket.s3.<region>.amazonaws.com`, `bucket.s3.amazonaws.com`, and the same with `localhost`.
const NAMED_HOST =
  /^(?:(.+)\.)?s3(?:[.-]([a-z]{2}(?:-[a-z]+)+-[0-9]))?\.(?:amazonaws\.com|localhost)$/;
const LOCAL_HOST = /^(.+)\.localhost$/;

/**
 * Reads path-style and virtual-hosted addresses.
 *
 * @throws AwsError `InvalidURI`, `KeyTooLongError`
 */
export function readAddress(request: WireRequest): Address {
  const host = (request.headers.get('host') ?? '').replace(/:[0-9]+$/, '').toLowerCase();
  const named = NAMED_HOST.exec(host);
  const virtualBucket = named === null ? LOCAL_HOST.exec(host)?.[1] : named[1];
  const hostRegion = named?.[2] ?? null;
  const path = request.rawPath.slice(1);
  if (virtualBucket !== undefined) {
    return { bucket: virtualBucket, key: readKey(path), hostRegion };
  }
  const slash = path.indexOf('/');
  const bucket = decode(slash < 0 ? path : path.slice(0, slash));
  const key = slash < 0 ? null : readKey(path.slice(slash + 1));
  return { bucket: bucket === '' ? null : bucket, key, hostRegion };
}

function decode(raw: string): string {
  const text = decodeUtf8(percentDecode(raw));
  if (text === null) throw new AwsError('InvalidURI', "Couldn't parse the specified URI.");
  return text;
}

function readKey(raw: string): string | null {
  const key = decode(raw);
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) {
    throw new AwsError('KeyTooLongError', 'Your key is too long', {
      details: { MaxSizeAllowed: String(MAX_KEY_BYTES), Size: String(Buffer.byteLength(key)) },
    });
  }
  return key === '' ? null : key;
}
