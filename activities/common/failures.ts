import { AssertionError } from 'node:assert';
import { ApplicationFailure } from '@temporalio/common';
import { isMongoOutage } from '../../adapters/mongo/common/open.ts';
import { StoreError } from '../../adapters/object-store/errors.ts';
import { AppError } from '../../domain/common/errors.ts';
import { backoff } from '../../adapters/retry.ts';
import { MigrationDelayError, MigrationStopError } from '../../domain/migrations/stop.ts';
import { DEFECT } from '../../messages/names.ts';
import { StoreSuspendedError } from './store-guard.ts';

const MISTAKES = [TypeError, RangeError, ReferenceError, SyntaxError, AssertionError];

/**
 * Converts an error to a failure that operators may read. A driver's or a store's message may hold
 * a URL, a host or an object key, so the failure never quotes it.
 */
export function toFailure(error: unknown): ApplicationFailure {
  if (error instanceof ApplicationFailure) return error;
  if (error instanceof StoreError) {
    return failure(`The store could not do it: ${error.message}.`, error.failure);
  }
  if (error instanceof MigrationDelayError) return failure(error.message, 'provider_unavailable');
  if (error instanceof MigrationStopError) {
    const { code: type, message } = error;
    return ApplicationFailure.create({ message, type, nonRetryable: true });
  }
  if (error instanceof AppError) return failure(error.message, error.code);
  if (isMongoOutage(error)) return failure('The database did not answer.', 'database_unavailable');
  return failure(
    'Something went wrong; the log of the worker says what.',
    isDefect(error) ? DEFECT : 'internal_error',
  );
}

/**
 * Whether a mistake in our own code raised the error, so that another attempt fails as well.
 *
 * Libraries raise the same types for network trouble: `fetch` names the `cause` (`TypeError: fetch
 * failed`), and a driver whose connection ends may use what is gone already.
 */
function isDefect(error: unknown): boolean {
  if (!MISTAKES.some((mistake) => error instanceof mistake)) return false;
  const { cause, stack = '' } = error as Error;
  return cause === undefined && !isRaisedByLibrary(stack);
}

/** By the first frame that is neither Node's nor the engine's. */
function isRaisedByLibrary(stack: string): boolean {
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  const raisedAt = frames.find((frame) => !/\(<anonymous>\)|node:/.test(frame));
  return raisedAt?.includes('/node_modules/') ?? false;
}

const postponementMs = backoff({ firstMs: 2_000, maxMs: 300_000 });

export function isSuspended(error: unknown): boolean {
  if (error instanceof StoreSuspendedError) return true;
  return error instanceof Error && error.cause !== undefined && isSuspended(error.cause);
}

/** The failure of an attempt at a suspended store; the next one follows within five minutes. */
export function toPostponement(attempt: number): ApplicationFailure {
  return ApplicationFailure.create({
    message: 'The store has not answered recently. The next attempt tries it again.',
    type: 'provider_unavailable',
    nextRetryDelay: Math.round(postponementMs(attempt)),
  });
}

function failure(message: string, type: string): ApplicationFailure {
  return ApplicationFailure.create({ message, type });
}
