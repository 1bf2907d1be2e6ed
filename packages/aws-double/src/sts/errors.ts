import type { VerificationFailure } from '../signature/verification.ts';
import { AwsError } from '../wire/errors.ts';
import { unreachable } from '../wire/unreachable.ts';

/** Maps a verification failure to STS's error. */
export function toStsError(failure: VerificationFailure): AwsError {
  switch (failure.reason) {
    case 'anonymous':
      return new AwsError('MissingAuthenticationToken', 'Request is missing Authentication Token');
    case 'malformed':
      return new AwsError('SignatureDoesNotMatch', failure.message);
    case 'wrong_service':
      return new AwsError(
        'SignatureDoesNotMatch',
        "Credential should be scoped to correct service: 'sts'.",
      );
    case 'unknown_key':
    case 'token_invalid':
      return new AwsError(
        'InvalidClientTokenId',
        'The security token included in the request is invalid.',
      );
    case 'token_expired':
      // 403 here, 400 in S3.
      return new AwsError('ExpiredToken', 'The security token included in the request is expired', {
        status: 403,
      });
    case 'skewed':
    case 'not_yet_valid':
    case 'url_expired':
      return new AwsError(
        'SignatureDoesNotMatch',
        `Signature expired or not yet current: ${failure.parsed.timestamp}`,
      );
    case 'header_not_signed':
      return new AwsError(
        'SignatureDoesNotMatch',
        `'${failure.names.join("', '")}' must be a 'SignedHeader' in the AWS Credential.`,
      );
    case 'mismatch':
      return new AwsError(
        'SignatureDoesNotMatch',
        'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.',
      );
    default:
      return unreachable(failure);
  }
}
