/** Exit codes that scripts may rely on; README.md has the table. */
export const EXIT = { done: 0, failed: 1, usage: 2, limited: 3, interrupted: 130 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends the program without a report. The message says why, and what helps. */
export class AuditError extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = EXIT.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** An error of the caller, found before any request. */
export function wrongUsage(message: string): AuditError {
  return new AuditError(message, EXIT.usage);
}
