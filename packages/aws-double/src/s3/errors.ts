import { MAX_SKEW_MS, type VerificationFailure } from '../signature/verification.ts';
import { AwsError } from '../wire/errors.ts';
import { unreachable } from '../wire/unreachable.ts';

/** Maps a verification failure to S3's error. */
export function toS3Error(failure: VerificationFailure, nowMs: number): AwsError {
  switch (failure.reason) {
    case 'anonymous':
      return new AwsError('AccessDenied', 'Access Denied');
    case 'malformed':
      return failure.place === 'query'
        ? new AwsError('AuthorizationQueryParametersError', failure.message)
        : new AwsError('AuthorizationHeaderMalformed', failure.message);
    case 'wrong_service':
      return new AwsError(
        failure.parsed.place === 'query'
          ? 'AuthorizationQueryParametersError'
          : 'AuthorizationHeaderMalformed',
        `incorrect service "${failure.parsed.service}". This endpoint belongs to "s3".`,
      );
    case 'unknown_key':
      return new AwsError(
        'InvalidAccessKeyId',
        'The AWS Access Key Id you provided does not exist in our records.',
        { details: { AWSAccessKeyId: failure.parsed.accessKeyId } },
      );
    case 'token_invalid':
      return new AwsError('InvalidToken', 'The provided token is malformed or otherwise invalid.');
    case 'token_expired':
      return new AwsError('ExpiredToken', 'The provided token has expired.');
    case 'skewed':
      return new AwsError(
        'RequestTimeTooSkewed',
        'The difference between the request time and the current time is too large.',
        {
          details: {
            RequestTime: failure.parsed.timestamp,
            ServerTime: new Date(nowMs).toISOString(),
            MaxAllowedSkewMilliseconds: String(MAX_SKEW_MS),
          },
        },
      );
    case 'not_yet_valid':
      return new AwsError('AccessDenied', 'Request is not yet valid');
    case 'url_expired':
      return new AwsError('AccessDenied', 'Request has expired', {
        details: {
          'X-Amz-Expires': String(failure.parsed.expiresSeconds),
          Expires: new Date(failure.expiredAtMs).toISOString(),
          ServerTime: new Date(nowMs).toISOString(),
        },
      });
    case 'header_not_signed':
      return new AwsError(
        'AccessDenied',
        'There were headers present in the request which were not signed',
        { details: { HeadersNotSigned: failure.names.join(', ') } },
      );
    case 'mismatch':
      return new AwsError(
        'SignatureDoesNotMatch',
        'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
        {
          details: {
            AWSAccessKeyId: failure.parsed.accessKeyId,
            StringToSign: failure.stringToSign,
            SignatureProvided: failure.parsed.signature,
            CanonicalRequest: failure.canonicalRequest,
          },
        },
      );
    default:
      return unreachable(failure);
  }
}

/** Wrong signing region: S3 names the right one, and clients sign again with it. */
export function wrongRegion(place: 'header' | 'query', given: string, right: string): AwsError {
  const code =
    place === 'query' ? 'AuthorizationQueryParametersError' : 'AuthorizationHeaderMalformed';
  const what =
    place === 'query'
      ? 'Error parsing the X-Amz-Credential parameter'
      : 'The authorization header is malformed';
  return new AwsError(code, `${what}; the region '${given}' is wrong; expecting '${right}'`, {
    details: { Region: right },
    headers: { 'x-amz-bucket-region': right },
  });
}

/** The bucket is in another region than the endpoint. */
export function permanentRedirect(bucket: string, region: string): AwsError {
  return new AwsError(
    'PermanentRedirect',
    'The bucket you are attempting to access must be addressed using the specified endpoint. Please send all future requests to this endpoint.',
    {
      details: { Endpoint: `${bucket}.s3.${region}.amazonaws.com`, Bucket: bucket },
      headers: { 'x-amz-bucket-region': region },
    },
  );
}
