/** Why a request to a store failed, in kinds that a caller can act on. */
export type StoreFailure =
  | 'access_denied'
  | 'bucket_missing'
  | 'wrong_region'
  | 'clock_skewed'
  | 'throttled'
  | 'timed_out'
  | 'unreachable'
  | 'missing'
  | 'changed'
  | 'archived'
  | 'rejected'
  | 'unsorted'
  | 'failed';

const MESSAGES: Readonly<Record<StoreFailure, string>> = {
  access_denied: 'it refused the credentials, or they do not permit this',
  bucket_missing: 'there is no such bucket',
  wrong_region: 'the bucket is in another region than configured',
  clock_skewed: 'it refused the time of the request, so the clock of this service is wrong',
  throttled: 'it asks for fewer requests at the moment',
  timed_out: 'it did not answer in time',
  unreachable: 'it cannot be reached',
  missing: 'there is no such object',
  changed: 'the object is not the one that was meant',
  archived: 'the object is archived and must be restored first',
  rejected: 'it does not take this as it is',
  unsorted:
    'it does not list its objects in the order of their UTF-8 names, or does not go on in it',
  failed: 'it answered with an error',
};

const TRANSIENT: ReadonlySet<StoreFailure> = new Set([
  'clock_skewed',
  'throttled',
  'timed_out',
  'unreachable',
]);

/** A response that is an error. */
export interface StoreRefusal {
  readonly status: number;
  /** The `Code` of its error document. */
  readonly code: string | undefined;
}

/** A store refused a request or did not respond. The message contains no text of the store. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly failure: StoreFailure;
  /** Whether the same request may succeed later. */
  readonly isTransient: boolean;
  /** The response of the store; undefined if there was none. */
  readonly refusal: StoreRefusal | undefined;

  constructor(
    failure: StoreFailure,
    cause?: unknown,
    isTransient = TRANSIENT.has(failure),
    refusal?: StoreRefusal,
  ) {
    super(MESSAGES[failure], { cause });
    this.failure = failure;
    this.isTransient = isTransient;
    this.refusal = refusal;
  }
}

const BY_CODE: Readonly<Record<string, StoreFailure>> = {
  NoSuchBucket: 'bucket_missing',
  InvalidAccessKeyId: 'access_denied',
  ExpiredToken: 'access_denied',
  InvalidToken: 'access_denied',
  /** The InvalidAccessKeyId of versitygw, with status 404. */
  XAdminUserNotFound: 'access_denied',
  PermanentRedirect: 'wrong_region',
  TemporaryRedirect: 'wrong_region',
  AuthorizationHeaderMalformed: 'wrong_region',
  /** The code of R2, which takes no AWS region but us-east-1. */
  InvalidRegionName: 'wrong_region',
  IllegalLocationConstraintException: 'wrong_region',
  RequestTimeTooSkewed: 'clock_skewed',
  RequestExpired: 'clock_skewed',
  SlowDown: 'throttled',
  TooManyRequests: 'throttled',
  RequestTimeout: 'timed_out',
  NoSuchKey: 'missing',
  NoSuchVersion: 'missing',
  PreconditionFailed: 'changed',
  InvalidObjectState: 'archived',
  BadDigest: 'rejected',
  IncompleteBody: 'rejected',
  EntityTooLarge: 'rejected',
  EntityTooSmall: 'rejected',
  InvalidArgument: 'rejected',
  InvalidDigest: 'rejected',
  InvalidPart: 'rejected',
  InvalidPartOrder: 'rejected',
  InvalidRequest: 'rejected',
  InvalidURI: 'rejected',
  KeyTooLongError: 'rejected',
  MetadataTooLarge: 'rejected',
  NotImplemented: 'rejected',
  UnexpectedContent: 'rejected',
};

/** Bytes that are damaged or lost, and conflicts with other writers: a repeat may succeed. */
const TRANSIENT_CODES: ReadonlySet<string | undefined> = new Set([
  'BadDigest',
  'IncompleteBody',
  'NoSuchUpload',
  'OperationAborted',
  'ConditionalRequestConflict',
]);

/**
 * Classifies a refusal by its status and the code of its error document, if any
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html).
 */
export function classifyRefusal(status: number, code: string | undefined): StoreError {
  const cause = new Error(`HTTP ${status}${code === undefined ? '' : ` ${code}`}`);
  const failure = BY_CODE[code ?? ''] ?? failureFor(status);
  const isTransient =
    TRANSIENT.has(failure) ||
    TRANSIENT_CODES.has(code) ||
    isUnexplained412(status, code) ||
    (status >= 500 && failure !== 'rejected');
  return new StoreError(failure, cause, isTransient, { status, code });
}

/** A refused condition has the code `PreconditionFailed`, see `BucketConnection`. */
function isUnexplained412(status: number, code: string | undefined): boolean {
  return status === 412 && code === undefined;
}

function failureFor(status: number): StoreFailure {
  switch (status) {
    case 301:
    case 307:
      return 'wrong_region';
    case 401:
    case 403:
      return 'access_denied';
    case 408:
      return 'timed_out';
    case 429:
    case 503:
      return 'throttled';
    default:
      return 'failed';
  }
}

/** The credentials themselves are refused, whatever they ask for. */
const REFUSED_CREDENTIALS: ReadonlySet<string | undefined> = new Set([
  'ExpiredToken',
  'InvalidAccessKeyId',
  'InvalidSecurity',
  'InvalidToken',
  'SignatureDoesNotMatch',
  'Unauthorized',
  'XAdminUserNotFound',
]);

/** Whether a code says that the credentials are refused; a 403 alone may have many reasons. */
export function isOfCredentials(code: string | undefined): boolean {
  return REFUSED_CREDENTIALS.has(code);
}

/** Whether a code says that the time of a signature is not the store's. */
export function isOfTime(code: string | undefined): boolean {
  return BY_CODE[code ?? ''] === 'clock_skewed';
}

/** Whether the store does not have this operation at all. */
export function isUnsupported(error: unknown): boolean {
  if (!(error instanceof StoreError) || !error.refusal) return false;
  const { status, code } = error.refusal;
  return status === 501 || status === 405 || code === 'NotImplemented';
}

/** Whether the caller may not make a request, or the store does not have it. */
export function isWithout(error: unknown): boolean {
  return error instanceof StoreError && (error.failure === 'access_denied' || isUnsupported(error));
}

/** The `Code` of an S3 error document. */
export function readErrorCode(document: string): string | undefined {
  return /<Code>([A-Za-z0-9.]+)<\/Code>/.exec(document)?.[1];
}

/** Whether the store refused with this code of its own. */
export function isRefusal(error: unknown, code: string): boolean {
  return error instanceof StoreError && error.refusal?.code === code;
}
