/**
 * Every error that a caller can receive, in one table: the code, its HTTP status, and the message
 * used if the thrower gives none.
 *
 * The codes and statuses are part of the interface; no other error may reach a caller.
 */
const ERRORS = {
  invalid_request: [400, 'The request is not valid.'],
  no_providers_configured: [400, 'No storage provider is configured for this account.'],
  file_too_large: [400, 'The file is larger than any configured provider accepts.'],
  provider_not_configured: [400, 'This provider is not configured for this account.'],
  provider_not_usable: [400, 'This provider cannot be used as a target.'],
  unauthorized: [401, 'The credentials are missing or invalid.'],
  plan_limit: [402, 'Your plan or its quota does not allow this.'],
  forbidden: [
    403,
    'Your role is read-only. Ask an approver or an admin to make this change, or to give you a role that can.',
  ],
  not_found: [404, 'Not found.'],
  file_not_found: [404, 'File not found.'],
  connection_not_found: [404, 'Connection not found.'],
  scan_not_found: [404, 'Scan not found.'],
  recommendation_not_found: [404, 'Recommendation not found.'],
  migration_not_found: [404, 'Migration not found.'],
  release_not_found: [404, 'This migration has no release check.'],
  relocation_not_found: [404, 'Relocation not found.'],
  drill_not_found: [404, 'Exit drill not found.'],
  webhook_not_found: [404, 'Webhook not found.'],
  method_not_allowed: [405, 'This path does not support this method.'],
  file_not_on_provider: [409, 'The object is not on the provider.'],
  file_size_mismatch: [409, 'The size of the object on the provider is not the announced size.'],
  file_expired: [409, 'This upload has expired.'],
  file_incomplete: [409, 'Parts of this upload are missing or have the wrong size.'],
  file_not_multipart: [409, 'This file is not a multipart upload.'],
  file_is_multipart: [409, 'This file is a multipart upload.'],
  file_already_active: [409, 'This upload has already been completed.'],
  provider_in_use: [
    409,
    'Pending uploads, a running migration or a connection still use one of the places of this provider.',
  ],
  too_many_places: [
    409,
    'This account already has fifty former places that files or migrations need.',
  ],
  scan_already_running: [409, 'A scan of this connection is already running.'],
  scan_not_completed: [409, 'This scan has not completed.'],
  recommendation_not_open: [409, 'This recommendation is no longer open.'],
  recommendation_not_approvable: [409, 'The service cannot carry out this recommendation.'],
  migration_running: [
    409,
    'This migration, or another one that writes the same objects to the same place, is running.',
  ],
  drill_running: [409, 'An exit drill of this place is running.'],
  relocation_running: [409, 'Another relocation copies files from this place.'],
  quote_exceeded: [409, 'The estimate is above the allowed total. Nothing was copied.'],
  target_prefix_taken: [
    409,
    'A migration from another source already writes to this place. Choose another prefix or bucket.',
  ],
  too_many_rounds: [409, 'This migration has had fifty rounds.'],
  release_not_ready: [409, 'The source has not been checked, or is not ready to be released.'],
  too_many_webhooks: [409, 'An account can have at most ten webhooks.'],
  migration_too_large: [409, 'This migration is larger than this deployment allows.'],
  role_already_connected: [409, 'This role is already connected to another account.'],
  no_subscription: [409, 'No checkout has been completed yet.'],
  file_deleted: [410, 'The file has been deleted.'],
  payload_too_large: [413, 'The request body is too large.'],
  unsupported_media_type: [415, 'The request body must be JSON.'],
  role_not_assumable: [422, 'The role cannot be assumed, or is not allowed to list buckets.'],
  rate_limited: [429, 'Too many requests. Please wait a minute.'],
  internal_error: [500, 'Something went wrong on our side.'],
  provider_error: [502, 'The storage provider refused the request or did not answer.'],
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
