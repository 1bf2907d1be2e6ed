/**
 * Every error that a caller can receive, in one table: the code, its HTTP status, and the message
 * used if the thrower gives none.
 *
 * The codes and statuses are part of the interface; no other error may reach a caller.
 */
const ERRORS = {
  invalid_request: [400, 'The request does not fit its schema.'],
  no_providers_configured: [400, 'No storage provider is configured for this account.'],
  file_too_large: [400, 'The file is larger than any configured provider takes.'],
  provider_not_configured: [400, 'This provider is not configured for this account.'],
  provider_not_usable: [400, 'This provider cannot be used as a target.'],
  unauthorized: [401, 'The credentials are missing or not valid.'],
  plan_limit: [402, 'The plan or its quota does not allow this.'],
  forbidden: [
    403,
    'Your role may read, not change. Ask somebody with the role approver or admin, or for that role.',
  ],
  not_found: [404, 'There is nothing of this name.'],
  file_not_found: [404, 'There is no such file.'],
  connection_not_found: [404, 'There is no such connection.'],
  scan_not_found: [404, 'There is no such scan.'],
  recommendation_not_found: [404, 'There is no such recommendation.'],
  migration_not_found: [404, 'There is no such migration.'],
  release_not_found: [404, 'This migration has no check of a release.'],
  webhook_not_found: [404, 'There is no such webhook.'],
  method_not_allowed: [405, 'This method is not allowed here.'],
  file_not_on_provider: [409, 'The object is not on the provider.'],
  file_size_mismatch: [409, 'The object on the provider has another size than announced.'],
  file_expired: [409, 'The window of this upload has closed.'],
  file_incomplete: [409, 'Parts of this upload are missing or have another size.'],
  file_not_multipart: [409, 'This file is not uploaded in parts.'],
  file_is_multipart: [409, 'This file is uploaded in parts.'],
  file_already_active: [409, 'This upload has been completed.'],
  provider_in_use: [
    409,
    'This provider is in use by pending uploads, a running migration or a connection, at one of its places.',
  ],
  too_many_places: [
    409,
    'Fifty former places of this account are kept already, because files or migrations need them.',
  ],
  scan_already_running: [409, 'A scan of this connection is running.'],
  scan_not_completed: [409, 'This scan has not completed.'],
  recommendation_not_open: [409, 'This recommendation is no longer open.'],
  recommendation_not_approvable: [409, 'There is nothing here that the service could carry out.'],
  migration_running: [
    409,
    'This migration runs, or another one of the same objects to the same place.',
  ],
  target_prefix_taken: [
    409,
    'The place at the target belongs to a migration from another source. Name another prefix or bucket.',
  ],
  too_many_rounds: [409, 'This migration has had fifty rounds.'],
  release_not_ready: [409, 'The source is not checked, or not ready to be released.'],
  too_many_webhooks: [409, 'An account has at most ten webhooks.'],
  migration_too_large: [409, 'This deployment moves fewer bytes at once.'],
  role_already_connected: [409, 'This role belongs to another account.'],
  no_subscription: [409, 'No checkout has been completed yet.'],
  file_deleted: [410, 'The file has been deleted.'],
  payload_too_large: [413, 'The request body is too large.'],
  unsupported_media_type: [415, 'The request body must be JSON.'],
  role_not_assumable: [422, 'The role cannot be assumed, or may not list buckets.'],
  rate_limited: [429, 'Too many requests. Please wait a minute.'],
  internal_error: [500, 'Something went wrong on our side.'],
  provider_error: [502, 'The storage provider refused or did not answer.'],
  billing_not_configured: [503, 'Billing is not set up on this deployment.'],
  unavailable: [503, 'The service cannot do this right now. Please try again.'],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type ErrorCode = keyof typeof ERRORS;

export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];

/** One error in a request; `path` is a JSON pointer. */
export interface ErrorDetail {
  readonly path: string;
  readonly message: string;
}

export interface AppErrorOptions {
  readonly details?: readonly ErrorDetail[];
  /** For the log, never for the caller. */
  readonly cause?: unknown;
}

/** The only error whose message reaches a caller. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[] | undefined;
  readonly status: number;

  constructor(code: ErrorCode, message?: string, options: AppErrorOptions = {}) {
    super(message ?? ERRORS[code][1], 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.details = options.details;
    this.status = ERRORS[code][0];
  }
}

/** One field of a request that does not fit; `path` is a JSON pointer. */
export function invalidField(path: string, message: string): AppError {
  return new AppError('invalid_request', undefined, { details: [{ path, message }] });
}

export function httpStatus(code: ErrorCode): number {
  return ERRORS[code][0];
}
