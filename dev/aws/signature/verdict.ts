import type { WireRequest } from '../wire/request.ts';
import { canonicalRequest, sameSignature, sign, signingKey, stringToSign } from './canonical.ts';
import { readClaim, type Claim } from './claim.ts';

/** A key that could have signed, as the directory of identities knows it. */
export interface SigningCredential {
  readonly secretAccessKey: string;
  /** Null for permanent keys. */
  readonly token: string | null;
  /** Null for permanent keys. */
  readonly expiresAtMs: number | null;
}

/** What {@link judgeSignature} needs to know of the world. */
export interface SignatureCourt<C extends SigningCredential> {
  readonly service: 's3' | 'sts';
  readonly nowMs: number;
  find(accessKeyId: string): C | undefined;
  /** The payload's hash as the service takes it into the canonical request. */
  payloadHash(claim: Claim): string;
}

/** Why a request is refused. Each service has its own words for these. */
export type Refusal =
  | { readonly reason: 'anonymous' }
  | { readonly reason: 'malformed'; readonly place: 'header' | 'query'; readonly message: string }
  | { readonly reason: 'wrong_service'; readonly claim: Claim }
  | { readonly reason: 'unknown_key'; readonly claim: Claim }
  | { readonly reason: 'token_invalid'; readonly claim: Claim }
  | { readonly reason: 'token_expired'; readonly claim: Claim }
  | { readonly reason: 'skewed'; readonly claim: Claim }
  | { readonly reason: 'not_yet_valid'; readonly claim: Claim }
  | { readonly reason: 'url_expired'; readonly claim: Claim; readonly expiredAtMs: number }
  | { readonly reason: 'header_not_signed'; readonly names: readonly string[] }
  | {
      readonly reason: 'mismatch';
      readonly claim: Claim;
      readonly stringToSign: string;
      readonly canonicalRequest: string;
    };

/** A believed signature with what the chunks of a streamed body are verified by, or a refusal. */
export type SignatureVerdict<C extends SigningCredential> =
  | {
      readonly ok: true;
      readonly credential: C;
      readonly claim: Claim;
      readonly key: Buffer;
      readonly payloadHash: string;
    }
  | { readonly ok: false; readonly refusal: Refusal };

/** How far the clocks of client and server may differ. Source: S3, `RequestTimeTooSkewed`. */
export const MAX_SKEW_MS = 15 * 60 * 1000;

/**
 * Decides whether the request was signed by whom it claims. In order, the first that applies:
 *
 * | found                                             | reason              |
 * |---------------------------------------------------|---------------------|
 * | no claim at all                                   | `anonymous`         |
 * | a claim that cannot be read                       | `malformed`         |
 * | a scope of another service                        | `wrong_service`     |
 * | a key nobody has, or a session's key, no token    | `unknown_key`       |
 * | a token that is not the key's                     | `token_invalid`     |
 * | header: more than 15 minutes off                  | `skewed`            |
 * | URL: signed over 15 minutes ahead                 | `not_yet_valid`     |
 * | URL: date + expiry passed                         | `url_expired`       |
 * | session over                                      | `token_expired`     |
 * | `host` or a present `x-amz-*` header not signed   | `header_not_signed` |
 * | a signed header is missing, or another signature  | `mismatch`          |
 */
export function judgeSignature<C extends SigningCredential>(
  request: WireRequest,
  court: SignatureCourt<C>,
): SignatureVerdict<C> {
  const read = readClaim(request);
  if (read.kind === 'none') return refuse({ reason: 'anonymous' });
  if (read.kind === 'malformed') {
    return refuse({ reason: 'malformed', place: read.place, message: read.message });
  }
  const { claim } = read;
  if (claim.service !== court.service) return refuse({ reason: 'wrong_service', claim });
  const credential = court.find(claim.accessKeyId);
  if (credential === undefined) return refuse({ reason: 'unknown_key', claim });
  const early =
    judgeToken(claim, credential) ??
    judgeTime(claim, court.nowMs) ??
    judgeSession(claim, credential, court.nowMs) ??
    judgeSignedHeaders(request, claim);
  if (early !== null) return refuse(early);
  return compareSignature(request, court, claim, credential);
}

function compareSignature<C extends SigningCredential>(
  request: WireRequest,
  court: SignatureCourt<C>,
  claim: Claim,
  credential: C,
): SignatureVerdict<C> {
  const payloadHash = court.payloadHash(claim);
  const canonical = canonicalRequest({
    method: request.method,
    rawPath: request.rawPath,
    query: request.query,
    headers: request.headers,
    signedHeaders: claim.signedHeaders,
    payloadHash,
  });
  const text = stringToSign(claim.timestamp, claim.scope, canonical);
  const key = signingKey(credential.secretAccessKey, claim.date, claim.region, claim.service);
  const complete = claim.signedHeaders.every((name) => request.headers.has(name));
  if (!sameSignature(sign(key, text), claim.signature) || !complete) {
    const refusal = { claim, stringToSign: text, canonicalRequest: canonical };
    return refuse({ reason: 'mismatch', ...refusal });
  }
  return { ok: true, credential, claim, key, payloadHash };
}

function refuse(refusal: Refusal): { readonly ok: false; readonly refusal: Refusal } {
  return { ok: false, refusal };
}

function judgeToken(claim: Claim, credential: SigningCredential): Refusal | null {
  if (credential.token === null && claim.token === null) return null;
  // AWS knows a session's key only together with its token.
  if (claim.token === null) return { reason: 'unknown_key', claim };
  if (credential.token !== null && sameSignature(credential.token, claim.token)) return null;
  return { reason: 'token_invalid', claim };
}

function judgeTime(claim: Claim, nowMs: number): Refusal | null {
  if (claim.expiresSeconds === null) {
    return Math.abs(nowMs - claim.signedAtMs) > MAX_SKEW_MS ? { reason: 'skewed', claim } : null;
  }
  if (claim.signedAtMs - nowMs > MAX_SKEW_MS) return { reason: 'not_yet_valid', claim };
  const expiredAtMs = claim.signedAtMs + claim.expiresSeconds * 1000;
  return nowMs > expiredAtMs ? { reason: 'url_expired', claim, expiredAtMs } : null;
}

function judgeSession(claim: Claim, credential: SigningCredential, nowMs: number): Refusal | null {
  if (credential.expiresAtMs === null || nowMs < credential.expiresAtMs) return null;
  return { reason: 'token_expired', claim };
}

function judgeSignedHeaders(request: WireRequest, claim: Claim): Refusal | null {
  const signed = new Set(claim.signedHeaders);
  const names = [...request.headers.keys()].filter(
    (name) => (name === 'host' || name.startsWith('x-amz-')) && !signed.has(name),
  );
  if (!signed.has('host') && !names.includes('host')) names.push('host');
  return names.length === 0 ? null : { reason: 'header_not_signed', names };
}
