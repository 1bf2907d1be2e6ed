import { ApplicationFailure, TimeoutFailure } from '@temporalio/workflow';
import { DEFECT } from '../messages/names.ts';

/** Why a scan or a migration failed, as its owner reads it. */
export interface FailureReason<Code extends string> {
  readonly code: Code | 'internal_error';
  readonly message: string;
}

/**
 * Why a scan or a migration failed. The failure keeps its code where it is one of `codes`. All others are
 * `internal_error`: defects, time-outs, a database that did not answer.
 */
export function toFailureReason<Code extends string>(
  work: 'scan' | 'migration',
  codes: readonly Code[],
  error: unknown,
): FailureReason<Code> {
  const internal = (message: string) => ({ code: 'internal_error', message }) as const;
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (cause instanceof TimeoutFailure) return internal(`The ${work} took longer than it may.`);
  if (!(cause instanceof ApplicationFailure) || cause.type === DEFECT)
    return internal('Something went wrong on our side.');
  const type = cause.type === 'provider_unavailable' ? 'provider_error' : cause.type;
  const code = codes.find((each) => each === type);
  return { code: code ?? 'internal_error', message: cause.message };
}
