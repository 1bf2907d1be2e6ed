/** A person at the dashboard. */
export interface Person {
  /** The token's `sub`. */
  readonly subject: string;
  /** The token's `name`, or else `email`, or else `sub`. */
  readonly name: string;
}

/** The roles of which one is needed for a call that changes something. */
export const CHANGING_ROLES = ['approver', 'admin'] as const;
