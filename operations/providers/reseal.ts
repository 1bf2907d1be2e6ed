import type { Accounts } from '../../adapters/mongo/accounts.ts';
import type { StoreCredentials, Vault } from '../../adapters/vault/vault.ts';
import type { Account, SealedText } from '../../domain/account/account.ts';
import { PROVIDER_NAMES, type ProviderName } from '../../domain/provider/catalogue.ts';

export interface ResealDeps {
  readonly accounts: Accounts;
  readonly vault: Vault;
}

export interface Resealed {
  readonly resealed: number;
  readonly current: number;
  /** The credentials that no key opens. */
  readonly unreadable: readonly { readonly accountId: string; readonly provider: ProviderName }[];
}

/**
 * Seals every stored credential with the newest key. Each is replaced by one conditional write, so the
 * run may be killed and repeated, and customers may save new credentials meanwhile. Credentials that no
 * key opens are left as they are, and named.
 */
export async function resealCredentials({ accounts, vault }: ResealDeps): Promise<Resealed> {
  const counts = { resealed: 0, current: 0 };
  const unreadable: { accountId: string; provider: ProviderName }[] = [];

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
      const opened = openOrNot(vault, sealed, owner);
      if (!opened) {
        unreadable.push(owner);
        return;
      }
      const fresh = vault.seal(opened, owner);
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
  return { ...counts, unreadable };
}

function openOrNot(
  vault: Vault,
  sealed: SealedText,
  owner: Parameters<Vault['open']>[1],
): StoreCredentials | undefined {
  try {
    return vault.open(sealed, owner);
  } catch {
    return undefined;
  }
}
