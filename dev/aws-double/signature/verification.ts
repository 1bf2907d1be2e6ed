import { AwsError } from '../wire/errors.ts';
import type { AwsService, WireRequest } from '../wire/request.ts';
import { malformed, parseSignature, type ParsedSignature } from './parse.ts';
import { canonicalRequest, sameSignature, sign, signingKey, stringToSign } from './sigv4.ts';

/** A signing key in the identity directory. */
export interface SigningCredential {
  readonly secretAccessKey: string;
  /** Null for permanent keys. */
  readonly token: string | null;
  /** Null for permanent keys. */
  readonly expiresAtMs: number | null;
}

/** The inputs of {@link verifySignature} besides the request. */
interface VerificationContext<C extends SigningCredential> {
  readonly service: AwsService;
  readonly nowMs: number;
  /** Default: no. */
  readonly takesEmptyRegion?: boolean;
  find(accessKeyId: string): C | undefined;
  /** The payload's hash as the service takes it into the canonical request. */
  payloadHash(parsed: ParsedSignature): string;
}

/** A verified signature. */
interface VerifiedSignature<C extends SigningCredential> {
  readonly credential: C;
  readonly parsed: ParsedSignature;
  readonly payloadHash: string;
}

/** How far the clocks of client and server may differ. Source: S3, `RequestTimeTooSkewed`. */
const MAX_SKEW_MS = 15 * 60 * 1000;

/**
 * Verifies the signature of a request. The first matching row decides, in S3's error codes:
 *
 * | found                                             | error                                 |
 * |---------------------------------------------------|---------------------------------------|
 * | no signature                                      | `AccessDenied`                        |
 * | an unreadable one, or a scope of another service  | `Authorization…Malformed`             |
 * | an unknown key, or a session's key without token  | `InvalidAccessKeyId`                  |
 * | a token that is not the key's                     | `InvalidToken`                        |
 * | header: more than 15 minutes off                  | `RequestTimeTooSkewed`                |
 * | URL: signed over 15 minutes ahead, or expired     | `AccessDenied`                        |
 * | session over                                      | `ExpiredToken`                        |
 * | `host` or a present `x-amz-*` header not signed   | `AccessDenied`, `HeadersNotSigned`    |
 * | a signed header is missing, or another signature  | `SignatureDoesNotMatch`               |
 *
 * @throws AwsError
 */
export function verifySignature<C extends SigningCredential>(
  request: WireRequest,
  context: VerificationContext<C>,
): VerifiedSignature<C> {
  const parsed = parseSignature(request, context.takesEmptyRegion);
  if (parsed === null) throw new AwsError('AccessDenied');
  if (parsed.service !== context.service) {
    const { place, service } = parsed;
    const message = `incorrect service "${service}". This endpoint belongs to "${context.service}".`;
    throw malformed(place, message);
  }
  const credential = context.find(parsed.accessKeyId);
  // AWS knows a session's key only together with its token.
  if (credential === undefined || (credential.token !== null && parsed.token === null)) {
    throw new AwsError('InvalidAccessKeyId', { details: { AWSAccessKeyId: parsed.accessKeyId } });
  }
  if (parsed.token !== null && !sameSignature(credential.token ?? '', parsed.token)) {
    throw new AwsError('InvalidToken');
  }
  checkTime(parsed, context.nowMs);
  if (credential.expiresAtMs !== null && context.nowMs >= credential.expiresAtMs) {
    throw new AwsError('ExpiredToken');
  }
  checkSignedHeaders(request, parsed);
  const payloadHash = context.payloadHash(parsed);
  const canonical = canonicalRequest(request, parsed.signedHeaders, payloadHash);
  const text = stringToSign(parsed.timestamp, parsed.scope, canonical);
  const key = signingKey(credential.secretAccessKey, parsed.scope);
  const isComplete = parsed.signedHeaders.every((name) => request.headers.has(name));
  if (isComplete && sameSignature(sign(key, text), parsed.signature)) {
    return { credential, parsed, payloadHash };
  }
  throw new AwsError('SignatureDoesNotMatch', {
    details: {
      AWSAccessKeyId: parsed.accessKeyId,
      StringToSign: text,
      SignatureProvided: parsed.signature,
      CanonicalRequest: canonical,
    },
  });
}

function checkTime({ signedAtMs, expiresSeconds }: ParsedSignature, nowMs: number): void {
  const details = { ServerTime: new Date(nowMs).toISOString() };
  if (expiresSeconds === null) {
    if (Math.abs(nowMs - signedAtMs) <= MAX_SKEW_MS) return;
    throw new AwsError('RequestTimeTooSkewed', { details });
  }
  if (signedAtMs - nowMs > MAX_SKEW_MS) {
    throw new AwsError('AccessDenied', { message: 'Request is not yet valid', details });
  }
  if (nowMs <= signedAtMs + expiresSeconds * 1000) return;
  throw new AwsError('AccessDenied', { message: 'Request has expired', details });
}

function checkSignedHeaders(request: WireRequest, { signedHeaders }: ParsedSignature): void {
  const required = [...request.headers.keys()].filter((name) => name.startsWith('x-amz-'));
  const unsigned = ['host', ...required].filter((name) => !signedHeaders.includes(name));
  if (unsigned.length === 0) return;
  throw new AwsError('AccessDenied', {
    message: 'There were headers present in the request which were not signed',
    details: { HeadersNotSigned: unsigned.join(', ') },
  });
}
