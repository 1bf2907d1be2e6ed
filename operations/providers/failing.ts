import { FAILING_SECONDS, type Account } from '../../domain/accounts/account.ts';
import { addSeconds } from '../../domain/common/time.ts';
import type { StoreLocation } from '../../domain/providers/catalogue.ts';
import type { Deps } from '../common/deps.ts';
import { failingProvider } from '../../domain/webhooks/event.ts';

export type FailingDeps = Deps<'accounts' | 'catalogue' | 'now' | 'onBackgroundError'>;

/** Emits, at most once a day, that a store refuses the credentials. Nothing waits for it. */
export function noteFailing(
  { accounts, catalogue, now, onBackgroundError }: FailingDeps,
  { accountId, failing }: Account,
  location: StoreLocation,
): void {
  const at = now();
  const noted = failing?.[location.provider];
  if (noted && noted > addSeconds(at, -FAILING_SECONDS)) return;
  const event = failingProvider(accountId, catalogue, location, at);
  accounts.noteFailing(accountId, location.provider, event).catch(onBackgroundError);
}
