import type { Accounts } from '../adapters/mongo/accounts.ts';
import type { Vault } from '../adapters/vault/vault.ts';
import type { Account, SealedText } from '../domain/account.ts';
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
 * Seals every stored credential with the newest key. Each is replaced by one conditional write, so the
 * run may be killed and repeated, and customers may save new credentials meanwhile.
 */
export async function resealCredentials({ accounts, vault }: ResealDeps): Promise<ResealCounts> {
  const counts = { resealed: 0, current: 0 };

  async function reseal(account: Account, provider: ProviderName): Promise<void> {
    const { accountId } = account;
    const owner = { accountId, provider };
    let latest: Account | undefined = account;
    for (;;) {
      const sealed: SealedText | undefined = latest?.providers[provider]?.credentials;
      if (!sealed) return;
      if (vault.isCurrent(sealed)) {
        counts.current += 1;
        return;
      }
      const fresh = vault.seal(vault.open(sealed, owner), owner);
      if (await accounts.reseal(accountId, provider, sealed, fresh)) {
        counts.resealed += 1;
        return;
      }
      // The credentials were saved meanwhile, perhaps sealed with the old key.
      latest = await accounts.find(accountId);
    }
  }

  for await (const account of accounts.withProviders()) {
    for (const provider of PROVIDER_NAMES) await reseal(account, provider);
  }
  return counts;
}
