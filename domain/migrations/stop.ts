/** Why a run ends early. */
export type StopCode =
  | 'quote_exceeded'
  | 'migration_too_large'
  | 'too_many_failures'
  | 'provider_error'
  | 'provider_not_configured'
  | 'internal_error';

/** Why a run may not go on. */
export interface StopError {
  readonly code: StopCode;
  readonly message: string;
}

/** Delays a migration until its retry limit; its owner reads the message then. */
export class MigrationDelayError extends Error {
  override readonly name = 'MigrationDelay';

  constructor(message: string, cause: unknown) {
    super(message, { cause });
  }
}

/** Ends a migration as failed; its owner reads the message. */
export class MigrationStopError extends Error {
  override readonly name = 'MigrationStop';
  readonly code: StopCode;

  constructor(code: StopCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** The outcomes of the latest objects over all slices. */
export interface FailureWindow {
  note(isFailed: boolean): void;
  isOver(): boolean;
}

/** A run with more failures than this among the latest objects stops. */
export const WINDOW_OBJECTS = 1_000;
export const MAX_FAILURES = 50;

/** Starts with the known outcomes, the oldest first. */
export function createFailureWindow(known: readonly boolean[] = []): FailureWindow {
  const ring: boolean[] = [];
  let at = 0;
  let failures = 0;
  const window: FailureWindow = {
    note(isFailed) {
      if (ring[at] === true) failures -= 1;
      if (isFailed) failures += 1;
      ring[at] = isFailed;
      at = (at + 1) % WINDOW_OBJECTS;
    },
    isOver: () => failures > MAX_FAILURES,
  };
  for (const isFailed of known) window.note(isFailed);
  return window;
}
