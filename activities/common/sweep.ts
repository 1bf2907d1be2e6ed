import { afterPage, type DueCursor, type DueDocument } from '../../adapters/mongo/due.ts';
import { forEachConcurrently } from './concurrently.ts';
import type { Progress } from './progress.ts';

const PAGE = 500;
const CONCURRENCY = 10;

export interface Sweep<Document, Outcome extends string> {
  readonly now: () => Date;
  readonly outcomes: readonly Outcome[];
  /** One page of the documents that are due, the longest due first. */
  readonly findDue: (
    before: Date,
    after: DueCursor | undefined,
    limit: number,
  ) => Promise<readonly Document[]>;
  readonly toDue: (document: Document) => DueDocument;
  /** Continues the work on one document. Never rejects: no document delays the others. */
  readonly continueWork: (document: Document) => Promise<Outcome>;
  readonly progress: Pick<Progress, 'report' | 'requireAlive'>;
}

/** How many documents had each outcome. */
export type Swept<Outcome extends string> = Readonly<Record<Outcome, number>>;

/**
 * Continues the work on every document that is due now, page by page, some in parallel. An attempt that is cancelled
 * begins with no further document.
 */
export async function sweepDue<Document, Outcome extends string>({
  now,
  outcomes,
  findDue,
  toDue,
  continueWork,
  progress,
}: Sweep<Document, Outcome>): Promise<Swept<Outcome>> {
  const before = now();
  const swept = Object.fromEntries(outcomes.map((outcome) => [outcome, 0])) as Record<
    Outcome,
    number
  >;
  let page: readonly Document[];
  let after: DueCursor | undefined;
  do {
    page = await findDue(before, after, PAGE);
    await forEachConcurrently(page, CONCURRENCY, async (document) => {
      progress.requireAlive();
      const outcome = await continueWork(document);
      swept[outcome] += 1;
      progress.report();
    });
    after = afterPage(after, page.map(toDue));
  } while (page.length === PAGE);
  return swept;
}

export function addSwept<Outcome extends string>(
  a: Swept<Outcome>,
  b: Swept<Outcome>,
): Swept<Outcome> {
  const names = Object.keys(a) as Outcome[];
  const sums = names.map((name) => [name, a[name] + b[name]] as const);
  return Object.fromEntries(sums) as Record<Outcome, number>;
}
