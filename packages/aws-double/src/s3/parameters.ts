import { AwsError } from '../wire/errors.ts';
import type { Query } from '../wire/query.ts';
import type { WireRequest } from '../wire/request.ts';

const MAX_KEYS = 1000;
const MAX_INT = 2 ** 31 - 1;

/** `max-keys` and its like: capped at 1,000. @throws AwsError `InvalidArgument` */
export function readMost(query: Query, name: string): number {
  const text = query.get(name);
  if (text === undefined || text === '') return MAX_KEYS;
  const number = Number(text);
  if (/^[0-9]+$/.test(text) && number <= MAX_INT) return Math.min(number, MAX_KEYS);
  throw new AwsError('InvalidArgument', `Provided ${name} not an integer or within integer range`, {
    details: { ArgumentName: name, ArgumentValue: text },
  });
}

/** Encodes keys in a response. */
export type EncodeKey = (key: string) => string;

/**
 * With `encoding-type=url` keys are form-encoded: a space as `+`, the slash unchanged.
 * Source: ListObjectsV2, "EncodingType", Amazon S3 API Reference; the form is that of java.net.URLEncoder.
 *
 * @throws AwsError `InvalidArgument` for another encoding
 */
export function readEncoding(query: Query): EncodeKey {
  const type = query.get('encoding-type');
  if (type === undefined || type === '') return (key) => key;
  if (type !== 'url') {
    throw new AwsError('InvalidArgument', 'Invalid Encoding Method specified in Request', {
      details: { ArgumentName: 'encoding-type', ArgumentValue: type },
    });
  }
  return createFormEncoder();
}

const PLAIN = /^[A-Za-z0-9\-._*]*$/;

/** Neighbours share their folder, which is encoded once for all of them. */
function createFormEncoder(): EncodeKey {
  let folder = '';
  let encodedFolder = '';
  return (key) => {
    const nameStart = key.lastIndexOf('/') + 1;
    if (nameStart !== folder.length || !key.startsWith(folder)) {
      folder = key.slice(0, nameStart);
      encodedFolder = encodeForm(folder);
    }
    const name = key.slice(nameStart);
    return encodedFolder + (PLAIN.test(name) ? name : encodeForm(name));
  };
}

const LONE_SURROGATE = /\p{Cs}/u;
/** Characters that encodeURIComponent keeps and this encoding does not. */
const KEPT_BY_ENCODE_URI = /[!~'()]/g;

function encodeForm(key: string): string {
  // Half a surrogate pair has no UTF-8; it goes out as U+FFFD, as every encoder writes it.
  return encodeURIComponent(LONE_SURROGATE.test(key) ? Buffer.from(key).toString() : key)
    .replaceAll('%2F', '/')
    .replaceAll('%20', '+')
    .replace(
      KEPT_BY_ENCODE_URI,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    );
}

/** An `x-amz-*` header; a presigned URL may carry it in its query instead. */
export function amzHeader(request: WireRequest, name: string): string | undefined {
  return request.headers.get(name) ?? request.query.getAnyCase(name);
}
