/**
 * Every error code that the double answers, with the HTTP status that AWS gives it.
 * Source: "Error responses" in the Amazon S3 API Reference and "Common Errors" of AWS STS.
 */
const STATUS_BY_CODE = {
  AccessDenied: 403,
  AccessForbidden: 403,
  AuthorizationHeaderMalformed: 400,
  AuthorizationQueryParametersError: 400,
  BadDigest: 400,
  BadRequest: 400,
  BucketAlreadyExists: 409,
  BucketAlreadyOwnedByYou: 409,
  BucketNotEmpty: 409,
  EntityTooLarge: 400,
  EntityTooSmall: 400,
  ExpiredToken: 400,
  IllegalLocationConstraintException: 400,
  IllegalVersioningConfigurationException: 400,
  IncompleteBody: 400,
  InternalError: 500,
  InvalidAccessKeyId: 403,
  InvalidAction: 400,
  InvalidArgument: 400,
  InvalidBucketName: 400,
  InvalidClientTokenId: 403,
  InvalidDigest: 400,
  InvalidObjectState: 403,
  InvalidPart: 400,
  InvalidPartOrder: 400,
  InvalidRange: 416,
  InvalidRequest: 400,
  InvalidStorageClass: 400,
  InvalidTag: 400,
  InvalidToken: 400,
  InvalidURI: 400,
  KeyTooLongError: 400,
  MalformedPolicy: 400,
  MalformedPolicyDocument: 400,
  MalformedXML: 400,
  MetadataTooLarge: 400,
  MethodNotAllowed: 405,
  MissingAuthenticationToken: 403,
  MissingContentLength: 411,
  NoSuchBucket: 404,
  NoSuchBucketPolicy: 404,
  NoSuchCORSConfiguration: 404,
  NoSuchKey: 404,
  NoSuchLifecycleConfiguration: 404,
  NoSuchObjectLockConfiguration: 404,
  NoSuchPublicAccessBlockConfiguration: 404,
  NoSuchTagSet: 404,
  NoSuchUpload: 404,
  NoSuchVersion: 404,
  NoSuchWebsiteConfiguration: 404,
  NotImplemented: 501,
  NotModified: 304,
  ObjectLockConfigurationNotFoundError: 404,
  OwnershipControlsNotFoundError: 404,
  PermanentRedirect: 301,
  PreconditionFailed: 412,
  ReplicationConfigurationNotFoundError: 404,
  RequestTimeTooSkewed: 403,
  ServerSideEncryptionConfigurationNotFoundError: 404,
  SignatureDoesNotMatch: 403,
  SlowDown: 503,
  ValidationError: 400,
  XAmzContentSHA256Mismatch: 400,
} as const;

/** An error code of AWS. */
export type AwsErrorCode = keyof typeof STATUS_BY_CODE;

/** What an {@link AwsError} carries beside its code and message. */
export interface AwsErrorExtra {
  /** Further elements of the error document, in order. */
  readonly details?: Readonly<Record<string, string>>;
  /** Further response headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Where a service answers the same code with another status (STS answers `ExpiredToken` with 403). */
  readonly status?: number;
}

/** The only error that handlers throw deliberately. */
export class AwsError extends Error {
  readonly code: AwsErrorCode;
  readonly status: number;
  readonly details: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: AwsErrorCode, message: string, extra: AwsErrorExtra = {}) {
    super(message);
    this.name = 'AwsError';
    this.code = code;
    this.status = extra.status ?? STATUS_BY_CODE[code];
    this.details = extra.details ?? {};
    this.headers = extra.headers ?? {};
  }
}

/** An error answer as it is; any other error as `InternalError`. */
export function toAwsError(error: unknown): AwsError {
  if (error instanceof AwsError) return error;
  return new AwsError('InternalError', `Internal error of the double: ${String(error)}`);
}
