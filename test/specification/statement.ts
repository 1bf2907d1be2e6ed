/** One statement of the specification. Tests name it by its id in a `// spec:` comment. */
export interface Statement {
  /** Stable, as `upload.complete-activates`. */
  readonly id: string;
  /** A part of the line that makes the statement, verbatim from docs/specification.md. */
  readonly quote: string;
  /** The statement in a few words. */
  readonly says: string;
  /** The section of the contract that settles what the specification leaves open. */
  readonly settledBy?: string;
  /** Why no test can verify it. */
  readonly notTestable?: string;
}

/** The statements under one heading of the specification. */
export interface Section {
  readonly heading: string;
  readonly statements: readonly Statement[];
  /** Parts of lines that state nothing. */
  readonly silent?: readonly string[];
}
