import type { AppError } from '../../domain/errors.ts';

export function presentError({
  message,
  code,
  details,
}: Pick<AppError, 'message' | 'code' | 'details'>) {
  return { error: message, code, ...(details ? { details } : {}) };
}
