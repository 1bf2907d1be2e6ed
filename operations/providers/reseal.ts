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
 * key opens are left as they are, and listed.
 */
export async function resealCredentials(deps: ResealDeps): Promise<Resealed> {
  const counts = { resealed: 0, current: 0 };
  const unreadable: { accountId: string; provider: ProviderName }[] = [];
  for await (const account of deps.accounts.withProviders())
    for (const provider of PROVIDER_NAMES) {
      const outcome = await reseal(deps, account, provider);
      if (outcome === 'unreadable') unreadable.push({ accountId: account.accountId, provider });
      else if (outcome !== 'absent') counts[outcome] += 1;
    }
  return { ...counts, unreadable };
}

async function reseal(
  deps: ResealDeps,
  { accountId, providers }: Account,
  provider: ProviderName,
): Promise<'resealed' | 'current' | 'unreadable' | 'absent'> {
  const { accounts, vault } = deps;
  const sealed = providers[provider]?.credentials;
  if (!sealed) return 'absent';
  if (vault.isCurrent(sealed)) return 'current';
  const owner = { accountId, provider };
  const opened = tryOpen(vault, sealed, owner);
  if (!opened) return 'unreadable';
  if (await accounts.reseal(accountId, provider, sealed, vault.seal(opened, owner)))
    return 'resealed';
  // The credentials were saved meanwhile, perhaps sealed with the old key.
  const latest = await accounts.find(accountId);
  return latest ? await reseal(deps, latest, provider) : 'absent';
}

function tryOpen(
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
