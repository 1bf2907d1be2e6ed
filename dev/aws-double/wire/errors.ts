const BAD_AUTHORIZATION = 'The authorization of the request is malformed';

/**
 * Every error code that the double answers, with the status and the message that AWS gives it.
 * Source: "Error responses" in the Amazon S3 API Reference and "Common Errors" of AWS STS.
 */
const ERRORS = {
  AccessDenied: [403, 'Access Denied'],
  AccessDeniedException: [400, 'You are not authorized to perform this action'],
  AccessForbidden: [403, 'CORSResponse: This CORS request is not allowed.'],
  AuthorizationHeaderMalformed: [400, BAD_AUTHORIZATION],
  AuthorizationQueryParametersError: [400, BAD_AUTHORIZATION],
  BadDigest: [400, 'The digest you specified did not match what we received.'],
  BadRequest: [400, 'Bad Request'],
  BucketAlreadyExists: [409, 'The requested bucket name is not available.'],
  BucketAlreadyOwnedByYou: [409, 'You already own the bucket of this name.'],
  BucketNotEmpty: [409, 'The bucket you tried to delete is not empty'],
  EntityTooLarge: [400, 'Your proposed upload exceeds the maximum allowed size'],
  EntityTooSmall: [400, 'Your proposed upload is smaller than the minimum allowed size'],
  DataUnavailableException: [400, 'Data is not available. Please try to adjust the time period.'],
  ExpiredToken: [400, 'The provided token has expired.'],
  IllegalLocationConstraintException: [
    400,
    'The location constraint is incompatible with the endpoint.',
  ],
  IllegalVersioningConfigurationException: [400, 'The Versioning element must be specified'],
  IncompleteBody: [400, 'The request body terminated unexpectedly'],
  InternalError: [500, 'We encountered an internal error. Please try again.'],
  InvalidAccessKeyId: [403, 'The AWS Access Key Id you provided does not exist in our records.'],
  InvalidAction: [400, 'Could not find the operation'],
  InvalidArgument: [400, 'Invalid Argument'],
  InvalidBucketName: [400, 'The specified bucket is not valid.'],
  InvalidClientTokenId: [403, 'The security token included in the request is invalid.'],
  InvalidDigest: [400, 'The Content-MD5 you specified was invalid.'],
  InvalidObjectState: [403, "The operation is not valid for the object's storage class"],
  InvalidPart: [400, 'One or more of the specified parts could not be found.'],
  InvalidPartOrder: [400, 'The list of parts was not in ascending order.'],
  InvalidRange: [416, 'The requested range is not satisfiable'],
  InvalidRegionName: [400, 'The region name is not valid.'],
  InvalidRequest: [400, 'Invalid Request'],
  InvalidNextTokenException: [400, 'The pagination token is invalid'],
  InvalidStorageClass: [400, 'The storage class you specified is not valid'],
  InvalidTag: [400, 'The tags you provided are not valid'],
  InvalidToken: [400, 'The provided token is malformed or otherwise invalid.'],
  InvalidURI: [400, "Couldn't parse the specified URI."],
  KeyTooLongError: [400, 'Your key is too long'],
  MalformedPolicy: [400, 'Policies must be valid JSON'],
  MalformedPolicyDocument: [400, 'This policy contains invalid Json'],
  MalformedXML: [400, 'The XML you provided was not well-formed or did not validate.'],
  MetadataTooLarge: [400, 'Your metadata headers exceed the maximum allowed metadata size'],
  MethodNotAllowed: [405, 'The specified method is not allowed against this resource.'],
  MissingAuthenticationToken: [403, 'Request is missing Authentication Token'],
  MissingContentLength: [411, 'You must provide the Content-Length HTTP header.'],
  NoSuchBucket: [404, 'The specified bucket does not exist'],
  NoSuchBucketPolicy: [404, 'The bucket policy does not exist'],
  NoSuchCORSConfiguration: [404, 'The CORS configuration does not exist'],
  NoSuchConfiguration: [404, 'The specified configuration does not exist.'],
  NoSuchKey: [404, 'The specified key does not exist.'],
  NoSuchLifecycleConfiguration: [404, 'The lifecycle configuration does not exist'],
  NoSuchPublicAccessBlockConfiguration: [404, 'The configuration was not found'],
  NoSuchTagSet: [404, 'The TagSet does not exist'],
  NoSuchUpload: [404, 'The specified multipart upload does not exist.'],
  NoSuchVersion: [404, 'The specified version does not exist.'],
  NoSuchWebsiteConfiguration: [404, 'The specified bucket does not have a website configuration'],
  NotImplemented: [501, 'The request implies functionality that is not implemented'],
  NotModified: [304, 'Not Modified'],
  ObjectLockConfigurationNotFoundError: [404, 'The Object Lock configuration does not exist'],
  OwnershipControlsNotFoundError: [404, 'The bucket ownership controls were not found'],
  PermanentRedirect: [301, 'The bucket must be addressed using the specified endpoint.'],
  PreconditionFailed: [412, 'At least one of the pre-conditions you specified did not hold'],
  ReplicationConfigurationNotFoundError: [404, 'The replication configuration was not found'],
  RequestTimeTooSkewed: [403, 'The difference between request and current time is too large.'],
  ServerSideEncryptionConfigurationNotFoundError: [404, 'The configuration was not found'],
  SignatureDoesNotMatch: [
    403,
    'The request signature we calculated does not match the one you provided.',
  ],
  SlowDown: [503, 'Please reduce your request rate.'],
  ThrottlingException: [400, 'Rate exceeded'],
  UnknownOperationException: [400, 'The operation is not known'],
  UnrecognizedClientException: [400, 'The security token included in the request is invalid.'],
  ValidationException: [400, 'The request is not valid'],
  ValidationError: [400, 'The request is not valid'],
  XAmzContentSHA256Mismatch: [400, "The provided 'x-amz-content-sha256' does not match the body."],
} as const satisfies Readonly<Record<string, readonly [status: number, message: string]>>;

/** An error code of AWS. */
export type AwsErrorCode = keyof typeof ERRORS;

/** What an {@link AwsError} says beyond its code. */
interface AwsErrorExtra {
  /** In place of the code's message. */
  readonly message?: string;
  /** Further elements of the error document, in order. */
  readonly details?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** In place of the code's status: STS answers `ExpiredToken` with 403. */
  readonly status?: number;
}

/** The only error that handlers throw deliberately. */
export class AwsError extends Error {
  readonly code: AwsErrorCode;
  readonly status: number;
  readonly details: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: AwsErrorCode, extra: AwsErrorExtra = {}) {
    super(extra.message ?? ERRORS[code][1]);
    this.name = 'AwsError';
    this.code = code;
    this.status = extra.status ?? ERRORS[code][0];
    this.details = extra.details ?? {};
    this.headers = extra.headers ?? {};
  }
}

/** An error answer as it is; any other error as `InternalError`. */
export function toAwsError(error: unknown): AwsError {
  if (error instanceof AwsError) return error;
  return new AwsError('InternalError', {
    message: `Internal error of the double: ${String(error)}`,
  });
}
