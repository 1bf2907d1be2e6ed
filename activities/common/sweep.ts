import type { AccountCursor, DueQuery } from '../../adapters/mongo/due.ts';
import { groupBy } from '../../domain/common/sums.ts';
import { addSeconds } from '../../domain/common/time.ts';
import { forEachConcurrently } from './concurrently.ts';
import type { Progress } from './progress.ts';

const PAGE = 500;
/** How many documents of an account are worked on before the other accounts have their turn; less than a page. */
const PORTION = 100;
const CONCURRENCY = 10;
/** A sweep that always finds more ends after this time, so that its workflow shows what it does. */
const LONGEST_SECONDS = 60;

export interface Sweep<Document, Outcome extends string> {
  readonly now: () => Date;
  readonly outcomes: readonly Outcome[];
  readonly findDue: (query: DueQuery) => Promise<readonly Document[]>;
  readonly accountOf: (document: Document) => string;
  /** What of an account's due documents is worked on in this turn; by default the first 100. */
  readonly choose?: (
    accountId: string,
    documents: readonly Document[],
  ) => Promise<Portion<Document>>;
  readonly concurrency?: number;
  /** Continues the work on one document. Never rejects: no document delays the others. */
  readonly continueWork: (document: Document) => Promise<Outcome>;
  readonly progress: Pick<Progress, 'report' | 'requireAlive'>;
}

/** The documents of an account that are worked on in a turn. */
export interface Portion<Document> {
  readonly documents: readonly Document[];
  /** Whether there is more that could be done at once. */
  readonly hasMore: boolean;
}

/** How many documents had each outcome. */
export type Swept<Outcome extends string> = Readonly<Record<Outcome, number>>;

/** What one turn of all accounts has done, and whether more can be done at once. */
export interface Turn<Outcome extends string> {
  readonly swept: Swept<Outcome>;
  readonly hasMore: boolean;
}

/** Takes turns until no account has more due work, for a minute at most. */
export async function sweepDue<Document, Outcome extends string>(
  sweep: Sweep<Document, Outcome>,
): Promise<Swept<Outcome>> {
  const endsAt = addSeconds(sweep.now(), LONGEST_SECONDS);
  let { swept, hasMore } = await takeTurn(sweep);
  while (hasMore && sweep.now() < endsAt) {
    const turn = await takeTurn(sweep, true);
    swept = addSwept(swept, turn.swept);
    hasMore = turn.hasMore;
  }
  return swept;
}

/**
 * Continues the work that is due now, a portion of each account's, some documents in parallel and one of each account
 * after the other. So no account waits for the volume of another one. What is left of an account has its portion in
 * the next turn. An attempt that is cancelled begins with no further document.
 *
 * @param isMuch whether more than a page is due, as far as is known
 */
export async function takeTurn<Document, Outcome extends string>(
  sweep: Sweep<Document, Outcome>,
  isMuch = false,
): Promise<Turn<Outcome>> {
  const { now, outcomes, findDue, accountOf, concurrency = CONCURRENCY, progress } = sweep;
  const { choose = chooseFirst } = sweep;
  const before = now();
  const swept = Object.fromEntries(outcomes.map((outcome) => [outcome, 0])) as Record<
    Outcome,
    number
  >;
  let hasMore = false;
  const work = async (accounts: ReadonlyMap<string, readonly Document[]>) => {
    const portions: (readonly Document[])[] = [];
    for (const [accountId, due] of accounts) {
      const portion = await choose(accountId, due);
      hasMore ||= portion.hasMore;
      portions.push(portion.documents);
      progress.report();
    }
    await forEachConcurrently(alternate(portions), concurrency, async (document) => {
      progress.requireAlive();
      swept[await sweep.continueWork(document)] += 1;
      progress.report();
    });
  };

  const oldest = isMuch ? undefined : await findDue({ before, limit: PAGE });
  if (oldest && oldest.length < PAGE) await work(groupBy(oldest, accountOf));
  else
    for (let from: AccountCursor | undefined = FIRST_ACCOUNT; from;) {
      const page = await findDue({ before, from, limit: PAGE });
      const accounts = new Map(groupBy(page, accountOf));
      from = page.length < PAGE ? undefined : leaveLast(accounts);
      await work(accounts);
    }
  return { swept, hasMore };
}

export function addSwept<Outcome extends string>(
  a: Swept<Outcome>,
  b: Swept<Outcome>,
): Swept<Outcome> {
  const names = Object.keys(a) as Outcome[];
  const sums = names.map((name) => [name, a[name] + b[name]] as const);
  return Object.fromEntries(sums) as Record<Outcome, number>;
}

const FIRST_ACCOUNT: AccountCursor = { accountId: '', isDone: false };

export function chooseFirst<Document>(
  _accountId: string,
  documents: readonly Document[],
): Promise<Portion<Document>> {
  return Promise.resolve(takeFirst(documents, PORTION));
}

export function takeFirst<Document>(
  documents: readonly Document[],
  most: number,
): Portion<Document> {
  return {
    documents: documents.slice(0, most),
    hasMore: most > 0 && documents.length > most,
  };
}

/** Where the next page begins: with the last account of a full page, unless that fills the page alone. */
function leaveLast(accounts: Map<string, unknown>): AccountCursor {
  const accountId = [...accounts.keys()].at(-1) ?? '';
  const isDone = accounts.size === 1;
  if (!isDone) accounts.delete(accountId);
  return { accountId, isDone };
}

/** The first of each portion, then the second of each, and so on. */
function alternate<Document>(portions: readonly (readonly Document[])[]): Document[] {
  const longest = Math.max(0, ...portions.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) =>
    portions.flatMap((portion) => portion.slice(at, at + 1)),
  ).flat();
}
