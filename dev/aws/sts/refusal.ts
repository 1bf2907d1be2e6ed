import type { Refusal } from '../signature/verdict.ts';
import { AwsError } from '../wire/errors.ts';
import { unreachable } from '../wire/unreachable.ts';

/** Says in STS's words why a signature was refused. */
export function stsRefusal(refusal: Refusal): AwsError {
  switch (refusal.reason) {
    case 'anonymous':
      return new AwsError('MissingAuthenticationToken', 'Request is missing Authentication Token');
    case 'malformed':
      return new AwsError('SignatureDoesNotMatch', refusal.message);
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
        `Signature expired or not yet current: ${refusal.claim.timestamp}`,
      );
    case 'header_not_signed':
      return new AwsError(
        'SignatureDoesNotMatch',
        `'${refusal.names.join("', '")}' must be a 'SignedHeader' in the AWS Credential.`,
      );
    case 'mismatch':
      return new AwsError(
        'SignatureDoesNotMatch',
        'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.',
      );
    default:
      return unreachable(refusal);
  }
}
