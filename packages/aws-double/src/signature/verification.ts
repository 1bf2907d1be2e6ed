import type { WireRequest } from '../wire/request.ts';
import { canonicalRequest, sameSignature, sign, signingKey, stringToSign } from './canonical.ts';
import { parseSignature, type ParsedSignature } from './parsed-signature.ts';

/** A signing key in the identity directory. */
export interface SigningCredential {
  readonly secretAccessKey: string;
  /** Null for permanent keys. */
  readonly token: string | null;
  /** Null for permanent keys. */
  readonly expiresAtMs: number | null;
}

/** The inputs of {@link verifySignature} beside the request. */
export interface VerificationContext<C extends SigningCredential> {
  readonly service: 's3' | 'sts';
  readonly nowMs: number;
  find(accessKeyId: string): C | undefined;
  /** The payload's hash as the service takes it into the canonical request. */
  payloadHash(parsed: ParsedSignature): string;
}

/** Why verification failed. Each service maps these to its own error codes. */
export type VerificationFailure =
  | { readonly reason: 'anonymous' }
  | { readonly reason: 'malformed'; readonly place: 'header' | 'query'; readonly message: string }
  | { readonly reason: 'wrong_service'; readonly parsed: ParsedSignature }
  | { readonly reason: 'unknown_key'; readonly parsed: ParsedSignature }
  | { readonly reason: 'token_invalid'; readonly parsed: ParsedSignature }
  | { readonly reason: 'token_expired'; readonly parsed: ParsedSignature }
  | { readonly reason: 'skewed'; readonly parsed: ParsedSignature }
  | { readonly reason: 'not_yet_valid'; readonly parsed: ParsedSignature }
  | {
      readonly reason: 'url_expired';
      readonly parsed: ParsedSignature;
      readonly expiredAtMs: number;
    }
  | { readonly reason: 'header_not_signed'; readonly names: readonly string[] }
  | {
      readonly reason: 'mismatch';
      readonly parsed: ParsedSignature;
      readonly stringToSign: string;
      readonly canonicalRequest: string;
    };

/** A verified signature with the key that verifies the chunks of a streamed body, or a failure. */
export type VerificationResult<C extends SigningCredential> =
  | {
      readonly ok: true;
      readonly credential: C;
      readonly parsed: ParsedSignature;
      readonly key: Buffer;
      readonly payloadHash: string;
    }
  | { readonly ok: false; readonly failure: VerificationFailure };

/** How far the clocks of client and server may differ. Source: S3, `RequestTimeTooSkewed`. */
export const MAX_SKEW_MS = 15 * 60 * 1000;

/**
 * Verifies the signature of a request. The first matching row decides:
 *
 * | found                                             | reason              |
 * |---------------------------------------------------|---------------------|
 * | no parsed at all                                   | `anonymous`         |
 * | a parsed that cannot be read                       | `malformed`         |
 * | a scope of another service                        | `wrong_service`     |
 * | an unknown key, or a session's key without token  | `unknown_key`       |
 * | a token that is not the key's                     | `token_invalid`     |
 * | header: more than 15 minutes off                  | `skewed`            |
 * | URL: signed over 15 minutes ahead                 | `not_yet_valid`     |
 * | URL: date + expiry passed                         | `url_expired`       |
 * | session over                                      | `token_expired`     |
 * | `host` or a present `x-amz-*` header not signed   | `header_not_signed` |
 * | a signed header is missing, or another signature  | `mismatch`          |
 */
export function verifySignature<C extends SigningCredential>(
  request: WireRequest,
  context: VerificationContext<C>,
): VerificationResult<C> {
  const read = parseSignature(request);
  if (read.kind === 'unsigned') return fail({ reason: 'anonymous' });
  if (read.kind === 'malformed') {
    return fail({ reason: 'malformed', place: read.place, message: read.message });
  }
  const { parsed } = read;
  if (parsed.service !== context.service) return fail({ reason: 'wrong_service', parsed });
  const credential = context.find(parsed.accessKeyId);
  if (credential === undefined) return fail({ reason: 'unknown_key', parsed });
  const failure =
    checkToken(parsed, credential) ??
    checkTime(parsed, context.nowMs) ??
    checkSession(parsed, credential, context.nowMs) ??
    checkSignedHeaders(request, parsed);
  if (failure !== null) return fail(failure);
  return compareSignature(request, context, parsed, credential);
}

function compareSignature<C extends SigningCredential>(
  request: WireRequest,
  context: VerificationContext<C>,
  parsed: ParsedSignature,
  credential: C,
): VerificationResult<C> {
  const payloadHash = context.payloadHash(parsed);
  const canonical = canonicalRequest({
    method: request.method,
    rawPath: request.rawPath,
    query: request.query,
    headers: request.headers,
    signedHeaders: parsed.signedHeaders,
    payloadHash,
  });
  const text = stringToSign(parsed.timestamp, parsed.scope, canonical);
  const key = signingKey(credential.secretAccessKey, parsed.date, parsed.region, parsed.service);
  const complete = parsed.signedHeaders.every((name) => request.headers.has(name));
  if (!sameSignature(sign(key, text), parsed.signature) || !complete) {
    const failure = { parsed, stringToSign: text, canonicalRequest: canonical };
    return fail({ reason: 'mismatch', ...failure });
  }
  return { ok: true, credential, parsed, key, payloadHash };
}

function fail(failure: VerificationFailure): {
  readonly ok: false;
  readonly failure: VerificationFailure;
} {
  return { ok: false, failure };
}

function checkToken(
  parsed: ParsedSignature,
  credential: SigningCredential,
): VerificationFailure | null {
  if (credential.token === null && parsed.token === null) return null;
  // AWS knows a session's key only together with its token.
  if (parsed.token === null) return { reason: 'unknown_key', parsed };
  if (credential.token !== null && sameSignature(credential.token, parsed.token)) return null;
  return { reason: 'token_invalid', parsed };
}

function checkTime(parsed: ParsedSignature, nowMs: number): VerificationFailure | null {
  if (parsed.expiresSeconds === null) {
    return Math.abs(nowMs - parsed.signedAtMs) > MAX_SKEW_MS ? { reason: 'skewed', parsed } : null;
  }
  if (parsed.signedAtMs - nowMs > MAX_SKEW_MS) return { reason: 'not_yet_valid', parsed };
  const expiredAtMs = parsed.signedAtMs + parsed.expiresSeconds * 1000;
  return nowMs > expiredAtMs ? { reason: 'url_expired', parsed, expiredAtMs } : null;
}

function checkSession(
  parsed: ParsedSignature,
  credential: SigningCredential,
  nowMs: number,
): VerificationFailure | null {
  if (credential.expiresAtMs === null || nowMs < credential.expiresAtMs) return null;
  return { reason: 'token_expired', parsed };
}

function checkSignedHeaders(
  request: WireRequest,
  parsed: ParsedSignature,
): VerificationFailure | null {
  const signed = new Set(parsed.signedHeaders);
  const names = [...request.headers.keys()].filter(
    (name) => (name === 'host' || name.startsWith('x-amz-')) && !signed.has(name),
  );
  if (!signed.has('host') && !names.includes('host')) names.push('host');
  return names.length === 0 ? null : { reason: 'header_not_signed', names };
}
