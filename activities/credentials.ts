import type { Accounts } from '../adapters/mongo/accounts.ts';
import type { Vault } from '../adapters/vault/vault.ts';
import type { Account } from '../domain/account.ts';
import { PROVIDER_NAMES, type ProviderName } from '../domain/catalogue.ts';

export interface ResealDeps {
  readonly accounts: Accounts;
  readonly vault: Vault;
}

export interface ResealCounts {
  readonly resealed: number;
  readonly current: number;
}

/**
 * Seals every stored credential with the newest key. Each is swapped by one conditional write, so
 * the run may be killed and repeated, and may meet a customer who saves new credentials meanwhile.
 */
export async function resealCredentials({ accounts, vault }: ResealDeps): Promise<ResealCounts> {
  const counts = { resealed: 0, current: 0 };

  async function reseal({ accountId, providers }: Account, provider: ProviderName): Promise<void> {
    const sealed = providers[provider]?.credentials;
    if (!sealed) return;
    const owner = { accountId, provider };
    const done = vault.isCurrent(sealed)
      ? false
      : await accounts.reseal(
          accountId,
          provider,
          sealed,
          vault.seal(vault.open(sealed, owner), owner),
        );
    counts[done ? 'resealed' : 'current'] += 1;
  }

  for await (const account of accounts.withProviders()) {
    for (const provider of PROVIDER_NAMES) await reseal(account, provider);
  }
  return counts;
}
