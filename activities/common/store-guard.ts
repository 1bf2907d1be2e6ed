import { StoreError } from '../../adapters/object-store/errors.ts';

/** The store did not answer other work recently, so this work is not started. */
export class StoreSuspendedError extends StoreError {
  constructor() {
    super('timed_out', new Error('the store is suspended'));
  }
}

/** A store, or several that one piece of work needs together, as an account uses it. */
export interface GuardedStore {
  readonly accountId: string;
  readonly store: string;
}

/**
 * Runs work at a store, unless the store is suspended. `failureOf` returns the failure that a
 * result contains.
 *
 * | the store                             | work                                                        |
 * | ------------------------------------- | ----------------------------------------------------------- |
 * | answered last                         | begins                                                      |
 * | no answer yet, or silent the last time | begins while such stores of the account hold less than a quarter of the slots |
 * | silent 5 times in a row               | none begins for about 5 s, then one; twice as long after each silence, up to 60 s |
 *
 * A refusal is an answer. Silence is a time-out or a failure to connect.
 *
 * @throws StoreSuspendedError if the work is not started; and what the work throws
 */
export type StoreGuard = <Result>(
  store: GuardedStore,
  work: () => Promise<Result>,
  failureOf?: (result: Result) => unknown,
) => Promise<Result>;
