import type { DueList } from '../../adapters/mongo/common/due.ts';
import { groupBy } from '../../domain/common/sums.ts';
import { addSeconds } from '../../domain/common/time.ts';
import { forEachConcurrently } from '../../adapters/concurrently.ts';
import type { Progress } from './progress.ts';

/** How many documents are read before work on them begins. */
const PAGE = 500;
/** How many documents of an account are worked on before the other accounts have their turn. */
const PORTION = 100;
const CONCURRENCY = 10;
/** A sweep that always finds more ends after this time, so that its workflow shows what it does. */
const LONGEST_SECONDS = 60;

interface Owned {
  readonly accountId: string;
}

export interface Sweep<Document extends Owned, Outcome extends string> {
  readonly now: () => Date;
  readonly outcomes: readonly Outcome[];
  readonly due: Omit<DueList<Document>, 'oldest'>;
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

export interface Portion<Document> {
  readonly documents: readonly Document[];
  /** Whether there is more that could be done at once. */
  readonly hasMore: boolean;
}

export type Swept<Outcome extends string> = Readonly<Record<Outcome, number>>;

/** What one turn of all accounts has done, and whether more can be done at once. */
export interface Turn<Outcome extends string> {
  readonly swept: Swept<Outcome>;
  readonly hasMore: boolean;
}

/** Takes turns until no account has more due work, for a minute at most. */
export async function sweepDue<Document extends Owned, Outcome extends string>(
  sweep: Sweep<Document, Outcome>,
): Promise<Swept<Outcome>> {
  const endsAt = addSeconds(sweep.now(), LONGEST_SECONDS);
  let { swept, hasMore } = await takeTurn(sweep);
  while (hasMore && sweep.now() < endsAt) {
    const turn = await takeTurn(sweep);
    swept = addSwept(swept, turn.swept);
    hasMore = turn.hasMore;
  }
  return swept;
}

/**
 * Continues the work that is due now, a portion of each account's, some documents in parallel and
 * one of each account after the other. So no account waits for the volume of another one. What is
 * left of an account has its portion in the next turn. An attempt that is cancelled begins with no
 * further document.
 */
export async function takeTurn<Document extends Owned, Outcome extends string>(
  sweep: Sweep<Document, Outcome>,
): Promise<Turn<Outcome>> {
  const { now, outcomes, due, concurrency = CONCURRENCY, progress } = sweep;
  const { choose = async (_accountId, documents) => takeFirst(documents) } = sweep;
  const at = now();
  const swept = Object.fromEntries(outcomes.map((outcome) => [outcome, 0])) as Record<
    Outcome,
    number
  >;
  let hasMore = false;
  const work = async (accounts: ReadonlyMap<string, readonly Document[]>) => {
    const portions: (readonly Document[])[] = [];
    for (const [accountId, documents] of accounts) {
      const portion = await choose(accountId, documents);
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

  const some = await due.some(at, PAGE);
  if (some.length < PAGE) await work(groupBy(some, ({ accountId }) => accountId));
  else
    for await (const accounts of accountByAccount(due, at)) {
      progress.requireAlive();
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

/** Reads more than a portion of each account, and hands on what several accounts have together. */
async function* accountByAccount<Document>(
  due: Sweep<Document & Owned, never>['due'],
  at: Date,
): AsyncGenerator<ReadonlyMap<string, readonly Document[]>> {
  let read = new Map<string, readonly Document[]>();
  let count = 0;
  let accountId = await due.nextAccount('', at);
  while (accountId !== undefined) {
    const documents = await due.of(accountId, at, PORTION + 1);
    read.set(accountId, documents);
    count += documents.length;
    if (count >= PAGE) {
      yield read;
      [read, count] = [new Map(), 0];
    }
    accountId = await due.nextAccount(accountId, at);
  }
  yield read;
}

export function takeFirst<Document>(
  documents: readonly Document[],
  most = PORTION,
): Portion<Document> {
  return {
    documents: documents.slice(0, most),
    hasMore: most > 0 && documents.length > most,
  };
}

/** The first of each portion, then the second of each, and so on. */
function alternate<Document>(portions: readonly (readonly Document[])[]): Document[] {
  const longest = Math.max(0, ...portions.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) =>
    portions.flatMap((portion) => portion.slice(at, at + 1)),
  ).flat();
}
