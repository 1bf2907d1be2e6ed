import type { Accounts } from '../../adapters/mongo/accounts/accounts.ts';
import type {
  DueFormerPlaces,
  FormerPlaces,
} from '../../adapters/mongo/providers/former-places.ts';
import { formerStoreOf } from '../../domain/accounts/account.ts';
import { INTERVALS } from '../../domain/common/intervals.ts';
import { addSeconds } from '../../domain/common/time.ts';
import { STORE_WORK } from '../../domain/providers/pause.ts';
import { findUnneeded, type PlaceUseDeps } from '../../operations/providers/former-places.ts';
import type { Progress } from '../common/progress.ts';
import { sweepDue, type Swept } from '../common/sweep.ts';

export interface FormerPlaceDeps extends PlaceUseDeps {
  readonly accounts: Pick<Accounts, 'findAccount' | 'endRefusals'>;
  readonly formerPlaces: FormerPlaces;
  readonly now: () => Date;
  readonly progress: Progress;
}

/** Of an account's former places some were forgotten, all are needed, or it is looked again later. */
const OUTCOMES = ['forgotten', 'kept', 'unsettled'] as const;
type Outcome = (typeof OUTCOMES)[number];

/** Deletes the credentials of former places at which nothing is left. */
export function sweepFormerPlaces(deps: FormerPlaceDeps): Promise<Swept<Outcome>> {
  return sweepDue({
    now: deps.now,
    outcomes: OUTCOMES,
    due: deps.formerPlaces.due,
    continueWork: (due) => forget(deps, due).catch(() => 'unsettled' as const),
    progress: deps.progress,
  });
}

async function forget(deps: FormerPlaceDeps, due: DueFormerPlaces): Promise<Outcome> {
  const { accounts, formerPlaces, now } = deps;
  const { accountId, places } = due;
  await formerPlaces.due.postpone(due, addSeconds(now(), INTERVALS.placeLookSeconds));
  const account = await accounts.findAccount(accountId);
  if (!account) return 'kept';
  const unneeded = await findUnneeded(deps, account, places, now());
  await formerPlaces.forget(accountId, unneeded);
  for (const { location } of unneeded)
    await accounts.endRefusals(account, formerStoreOf(location), STORE_WORK);
  return unneeded.length > 0 ? 'forgotten' : 'kept';
}
