/** Why a run ends early. */
export type StopCode =
  | 'quote_exceeded'
  | 'too_many_failures'
  | 'provider_error'
  | 'provider_not_configured'
  | 'internal_error';

/** Delays a migration until its retry limit; its owner reads the message then. */
export class MigrationDelay extends Error {
  override readonly name = 'MigrationDelay';

  constructor(message: string, cause: unknown) {
    super(message, { cause });
  }
}

/** Ends a migration as failed; its owner reads the message. */
export class MigrationStop extends Error {
  override readonly name = 'MigrationStop';
  readonly code: StopCode;

  constructor(code: StopCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
