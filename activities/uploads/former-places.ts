import type { DueFormerPlaces } from '../../adapters/mongo/providers/former-places.ts';
import { formerStoreOf } from '../../domain/accounts/account.ts';
import { INTERVALS } from '../../domain/common/intervals.ts';
import { addSeconds } from '../../domain/common/time.ts';
import { STORE_WORK } from '../../domain/providers/pause.ts';
import { findUnneeded } from '../../operations/providers/former-places.ts';
import { sweepDue, type Swept } from '../common/sweep.ts';
import type { UploadContext } from '../contexts.ts';

/** Some of an account's places were forgotten, all are needed, or a later sweep looks again. */
const OUTCOMES = ['forgotten', 'kept', 'unsettled'] as const;
type Outcome = (typeof OUTCOMES)[number];

export function sweepFormerPlaces(context: UploadContext): Promise<Swept<Outcome>> {
  return sweepDue({
    now: context.now,
    outcomes: OUTCOMES,
    due: context.formerPlaces.due,
    continueWork: (due) => forget(context, due).catch(() => 'unsettled' as const),
    progress: context.progress,
  });
}

async function forget(context: UploadContext, due: DueFormerPlaces): Promise<Outcome> {
  const { accounts, formerPlaces, now } = context;
  const { accountId, places } = due;
  await formerPlaces.due.postpone(due, addSeconds(now(), INTERVALS.placeLookSeconds));
  const account = await accounts.findAccount(accountId);
  if (!account) return 'kept';
  const unneeded = await findUnneeded(context, account, places, now());
  await formerPlaces.forget(accountId, unneeded);
  for (const { location } of unneeded)
    await accounts.endRefusals(account, formerStoreOf(location), STORE_WORK);
  return unneeded.length > 0 ? 'forgotten' : 'kept';
}
