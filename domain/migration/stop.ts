/** Why a whole run ends before its time, whatever else is wrong with it. */
export type StopCode =
  | 'quote_exceeded'
  | 'too_many_failures'
  | 'provider_error'
  | 'provider_not_configured'
  | 'internal_error';

/** Keeps a migration waiting, for as long as it has patience; the message is what its owner reads then. */
export class MigrationDelay extends Error {
  override readonly name = 'MigrationDelay';

  constructor(message: string, cause: unknown) {
    super(message, { cause });
  }
}

/** Ends a migration as failed; the message is what its owner reads. */
export class MigrationStop extends Error {
  override readonly name = 'MigrationStop';
  readonly code: StopCode;

  constructor(code: StopCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
