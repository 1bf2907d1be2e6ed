/** A mocha test by its file and its full title. A title that ends in `…` stands for all that begin so. */
export interface NamedTest {
  readonly file: string;
  readonly title: string;
}

interface Said {
  /** Stable, as `upload.complete-activates`. */
  readonly id: string;
  /** A piece of the line that makes the statement, as it stands in docs/specification.md. */
  readonly quote: string;
  /** The statement in a few words. */
  readonly says: string;
  /** Which section of the contract settled what the specification leaves open. */
  readonly settledBy?: string;
}

interface Held extends Said {
  readonly heldBy: readonly NamedTest[];
}

interface NotTestable extends Said {
  /** Why no test can hold it. */
  readonly notTestable: string;
}

/** One thing that the specification says, and what holds the service to it. */
export type Statement = Held | NotTestable;

/** All that stands under one heading of the specification. */
export interface Section {
  readonly heading: string;
  readonly statements: readonly Statement[];
  /** Pieces of lines that state nothing. */
  readonly silent?: readonly string[];
}

/** Tests of `test/acceptance/<name>.test.ts`. */
export const acceptance = namesIn('acceptance');
/** Tests of `test/integration/<name>.test.ts`. */
export const integration = namesIn('integration');
/** Tests of `test/unit/<name>.test.ts`. */
export const unit = namesIn('unit');

function namesIn(folder: string) {
  return (name: string, ...titles: readonly string[]): NamedTest[] =>
    titles.map((title) => ({ file: `test/${folder}/${name}.test.ts`, title }));
}
