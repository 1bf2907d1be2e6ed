import type { WireRequest } from '../wire/request.ts';

/** The signature fields of a request, not yet verified. */
export interface ParsedSignature {
  readonly place: 'header' | 'query';
  readonly accessKeyId: string;
  /** `YYYYMMDD` of the scope. */
  readonly date: string;
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

/** A parsed, nothing at all (an anonymous request), or one that cannot be read. */
export type SignatureParse =
  | { readonly kind: 'signed'; readonly parsed: ParsedSignature }
  | { readonly kind: 'unsigned' }
  | { readonly kind: 'malformed'; readonly place: 'header' | 'query'; readonly message: string };

const ALGORITHM = 'AWS4-HMAC-SHA256';
const MAX_EXPIRES_SECONDS = 604_800;

/** Reads the parsed from the `Authorization` header or from the query of a presigned URL. */
export function parseSignature(request: WireRequest): SignatureParse {
  const authorization = request.headers.get('authorization');
  if (authorization !== undefined) return parseHeaderSignature(request, authorization);
  if (request.query.has('X-Amz-Algorithm') || request.query.has('X-Amz-Signature')) {
    return parseQuerySignature(request);
  }
  return { kind: 'unsigned' };
}

function parseHeaderSignature(request: WireRequest, authorization: string): SignatureParse {
  if (!authorization.startsWith(`${ALGORITHM} `)) {
    return malformed('header', 'The authorization mechanism you have provided is not supported.');
  }
  const fields = new Map<string, string>();
  for (const part of authorization.slice(ALGORITHM.length).split(',')) {
    const cut = part.indexOf('=');
    if (cut > 0) fields.set(part.slice(0, cut).trim(), part.slice(cut + 1).trim());
  }
  return buildSignature('header', {
    credential: fields.get('Credential'),
    signedHeaders: fields.get('SignedHeaders'),
    signature: fields.get('Signature'),
    timestamp:
      request.headers.get('x-amz-date') ?? httpDateToTimestamp(request.headers.get('date')),
    expires: undefined,
    token: request.headers.get('x-amz-security-token'),
  });
}

function parseQuerySignature(request: WireRequest): SignatureParse {
  const { query } = request;
  if (query.get('X-Amz-Algorithm') !== ALGORITHM) {
    return malformed('query', 'X-Amz-Algorithm only supports "AWS4-HMAC-SHA256"');
  }
  return buildSignature('query', {
    credential: query.get('X-Amz-Credential'),
    signedHeaders: query.get('X-Amz-SignedHeaders'),
    signature: query.get('X-Amz-Signature'),
    timestamp: query.get('X-Amz-Date'),
    expires: query.get('X-Amz-Expires') ?? '',
    token: query.get('X-Amz-Security-Token'),
  });
}

interface RawSignature {
  readonly credential: string | undefined;
  readonly signedHeaders: string | undefined;
  readonly signature: string | undefined;
  readonly timestamp: string | undefined;
  readonly expires: string | undefined;
  readonly token: string | undefined;
}

function buildSignature(place: 'header' | 'query', raw: RawSignature): SignatureParse {
  const { signedHeaders, signature, timestamp = '' } = raw;
  if (raw.credential === undefined || signedHeaders === undefined || signature === undefined) {
    return malformed(place, 'Credential, SignedHeaders and Signature are all required.');
  }
  const scope = readScope(raw.credential);
  if (scope === null) {
    return malformed(
      place,
      'the Credential is mal-formed; expecting "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".',
    );
  }
  const signedAtMs = parseTimestamp(timestamp);
  if (signedAtMs === null) {
    return malformed(place, `X-Amz-Date must be in the ISO8601 Long Format "yyyyMMdd'T'HHmmss'Z'"`);
  }
  if (!timestamp.startsWith(scope.date)) {
    return malformed(
      place,
      `Invalid credential date "${scope.date}". This date is not the same as X-Amz-Date.`,
    );
  }
  const expires = readExpires(raw.expires);
  if (typeof expires === 'string') return malformed(place, expires);
  const parsed: ParsedSignature = {
    place,
    ...scope,
    timestamp,
    signedAtMs,
    signedHeaders: signedHeaders.split(';').map((name) => name.toLowerCase()),
    signature,
    expiresSeconds: expires,
    token: raw.token ?? null,
  };
  return { kind: 'signed', parsed };
}

type Scope = Pick<ParsedSignature, 'accessKeyId' | 'date' | 'region' | 'service' | 'scope'>;

function readScope(credential: string): Scope | null {
  // Neither access keys nor regions contain a slash: exactly five parts.
  const [accessKeyId, date, region, service, terminator, ...rest] = credential.split('/');
  if (!accessKeyId || !date || !region || !service || rest.length > 0) return null;
  if (terminator !== 'aws4_request') return null;
  return { accessKeyId, date, region, service, scope: `${date}/${region}/${service}/aws4_request` };
}

function readExpires(text: string | undefined): number | null | string {
  if (text === undefined) return null;
  if (!/^[0-9]+$/.test(text)) return 'X-Amz-Expires should be a number';
  const seconds = Number(text);
  if (seconds < 1) return 'X-Amz-Expires must be non-negative';
  if (seconds > MAX_EXPIRES_SECONDS) {
    return 'X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than 604800 seconds';
  }
  return seconds;
}

function malformed(place: 'header' | 'query', message: string): SignatureParse {
  return { kind: 'malformed', place, message };
}

/** Milliseconds of `YYYYMMDDTHHMMSSZ`; null where it is none. */
export function parseTimestamp(text: string): number | null {
  const match = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/.exec(text);
  if (match === null) return null;
  const [, year, month, day, hour, minute, second] = match;
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(ms) ? null : ms;
}

/** Milliseconds as `YYYYMMDDTHHMMSSZ`. */
export function formatTimestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
}

function httpDateToTimestamp(date: string | undefined): string | undefined {
  const ms = Date.parse(date ?? '');
  return Number.isNaN(ms) ? undefined : formatTimestamp(ms);
}
