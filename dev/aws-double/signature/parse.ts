import { AwsError } from '../wire/errors.ts';
import type { WireRequest } from '../wire/request.ts';

/** The signature fields of a request, not yet verified. */
export interface ParsedSignature {
  readonly place: 'header' | 'query';
  readonly accessKeyId: string;
  readonly region: string;
  readonly service: string;
  /** `date/region/service/aws4_request`. */
  readonly scope: string;
  /** `YYYYMMDDTHHMMSSZ`. */
  readonly timestamp: string;
  readonly signedAtMs: number;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  /** Seconds, presigned URLs only. */
  readonly expiresSeconds: number | null;
  readonly token: string | null;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';
const MAX_EXPIRES_SECONDS = 604_800;

/** The error of a malformed authorization, by where it was given. */
export function malformed(place: ParsedSignature['place'], message: string): AwsError {
  const code =
    place === 'query' ? 'AuthorizationQueryParametersError' : 'AuthorizationHeaderMalformed';
  return new AwsError(code, { message });
}

/**
 * Reads the signature from the `Authorization` header or from the query of a presigned URL; null for
 * an anonymous request.
 *
 * @param takesEmptyRegion whether the scope may name no region
 * @throws AwsError `AuthorizationHeaderMalformed`, `AuthorizationQueryParametersError`
 */
export function parseSignature(
  { headers, query }: WireRequest,
  takesEmptyRegion = false,
): ParsedSignature | null {
  const authorization = headers.get('authorization');
  const place = authorization === undefined ? 'query' : 'header';
  if (place === 'query' && query.get('X-Amz-Signature') === undefined) return null;
  const field = (name: string): string =>
    (place === 'query'
      ? query.get(`X-Amz-${name}`)
      : new RegExp(`[ ,]${name}=([^, ]*)`).exec(authorization ?? '')?.[1]) ?? '';
  const algorithm = place === 'query' ? field('Algorithm') : authorization?.split(' ', 1)[0];
  if (algorithm !== ALGORITHM) throw malformed(place, `only ${ALGORITHM} is supported`);
  const credential = field('Credential');
  const scoped = /^([^/]+)\/(([^/]+)\/([^/]*)\/([^/]+)\/aws4_request)$/.exec(credential);
  if (scoped === null || (scoped[4] === '' && !takesEmptyRegion)) {
    const form = '<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request';
    throw malformed(place, `the Credential is mal-formed; expecting "${form}".`);
  }
  const [, accessKeyId = '', scope = '', date = '', region = '', service = ''] = scoped;
  const timestamp = place === 'query' ? field('Date') : (headers.get('x-amz-date') ?? '');
  const signedAtMs = parseTimestamp(timestamp);
  if (signedAtMs === null || !timestamp.startsWith(date)) {
    throw malformed(place, 'X-Amz-Date must be "yyyyMMddTHHmmssZ" and of the Credential\'s date');
  }
  const expiresSeconds = place === 'query' ? Number(field('Expires') || Number.NaN) : null;
  const isExpiry = Number(expiresSeconds) >= 1 && Number(expiresSeconds) <= MAX_EXPIRES_SECONDS;
  if (expiresSeconds !== null && !isExpiry) {
    throw malformed(place, 'X-Amz-Expires must be a number of seconds from 1 to a week');
  }
  const signedHeaders = field('SignedHeaders').toLowerCase().split(';');
  const token =
    place === 'query' ? query.get('X-Amz-Security-Token') : headers.get('x-amz-security-token');
  return {
    place,
    accessKeyId,
    region,
    service,
    scope,
    timestamp,
    signedAtMs,
    signedHeaders,
    signature: field('Signature'),
    expiresSeconds,
    token: token ?? null,
  };
}

/** Milliseconds of `YYYYMMDDTHHMMSSZ`; null for another form. */
function parseTimestamp(text: string): number | null {
  const iso = text.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5');
  const ms = text.length === iso.length - 4 ? Date.parse(iso) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}
