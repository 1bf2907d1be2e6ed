import { addSeconds } from '../common/time.ts';
import type { ProviderName } from './catalogue.ts';

/** What is done at a store for a file. Each kind needs permissions of its own. */
export const STORE_WORK = ['settle', 'delete', 'lookAgain'] as const;
export type StoreWork = (typeof STORE_WORK)[number];

/** One kind of work at one store of an account. */
export interface WorkAtStore {
  readonly accountId: string;
  /** As `storeOf` names it. */
  readonly store: string;
  readonly work: StoreWork;
}

/** The refusals of one kind of work at a store since it last succeeded. */
export interface Refusals {
  readonly count: number;
  /** When the first was. */
  readonly since: Date;
  /** What the store said last. */
  readonly code: string;
  /** Set while the work is paused: when it is tried once more. */
  readonly probeAt?: Date;
}

/** What the stores of an account refuse. */
export interface Refused {
  readonly refused?: Readonly<
    Partial<Record<string, Readonly<Partial<Record<StoreWork, Refusals>>>>>
  >;
}

const REFUSALS_BEFORE_PAUSE = 5;
const PROBE_SECONDS = 3_600;

/**
 * When the work is tried again after one more refusal now. Undefined: at the usual times.
 *
 * | refusals in a row | work                                          |
 * | ----------------- | --------------------------------------------- |
 * | 1 to 4            | of each file at its usual times               |
 * | 5 and more        | of one file an hour; the others wait          |
 */
export function nextProbe(before: Refusals | undefined, now: Date): Date | undefined {
  const count = (before?.count ?? 0) + 1;
  return count < REFUSALS_BEFORE_PAUSE ? undefined : addSeconds(now, PROBE_SECONDS);
}

export function refusalsOf(
  { refused }: Refused,
  { store, work }: Omit<WorkAtStore, 'accountId'>,
): Refusals | undefined {
  return refused?.[store]?.[work];
}

/** Whether the work waits now. */
export function isPaused(refusals: Refusals | undefined, now: Date): boolean {
  return refusals?.probeAt !== undefined && now < refusals.probeAt;
}

/** Why a store of the account is left alone; null if it is not. */
export function pauseOf(
  { refused }: Refused,
  provider: ProviderName,
): Pick<Refusals, 'since' | 'code'> | null {
  const [longest] = Object.values(refused?.[provider] ?? {})
    .filter(({ probeAt }) => probeAt !== undefined)
    .toSorted((a, b) => a.since.getTime() - b.since.getTime());
  return longest ? { since: longest.since, code: longest.code } : null;
}
