import type { Middleware } from 'koa';
import { AppError, type ErrorCode } from '../../domain/errors.ts';
import { presentError } from '../present/error.ts';

/** `Retry-After` by error code. */
const RETRY_AFTER_SECONDS: Partial<Record<ErrorCode, string>> = {
  unavailable: '5',
  rate_limited: '60',
};

export interface ErrorDeps {
  /** Whether an error means that MongoDB or Temporal is unavailable. */
  readonly isOutage: (error: unknown) => boolean;
}

/** Converts every error to an answer. */
export function answerErrors({ isOutage }: ErrorDeps): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const known = toAppError(error, isOutage);
      ctx.state['error'] = known;
      ctx.status = known.status;
      if (known.code === 'unauthorized') ctx.set('WWW-Authenticate', 'Bearer');
      const retryAfter = RETRY_AFTER_SECONDS[known.code];
      if (retryAfter !== undefined) ctx.set('Retry-After', retryAfter);
      ctx.body = presentError(known);
    }
  };
}

function toAppError(error: unknown, isOutage: (error: unknown) => boolean): AppError {
  if (error instanceof AppError) return error;
  return new AppError(isOutage(error) ? 'unavailable' : 'internal_error', undefined, {
    cause: error,
  });
}
