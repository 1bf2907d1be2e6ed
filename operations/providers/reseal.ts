import type { Accounts } from '../../adapters/mongo/accounts.ts';
import type { WebhookKey, Webhooks } from '../../adapters/mongo/webhooks.ts';
import type { Webhook } from '../../domain/webhooks/webhook.ts';
import type { StoreCredentials, Vault } from '../../adapters/vault/vault.ts';
import type { Account, SealedText } from '../../domain/account/account.ts';
import type { ProviderName } from '../../domain/provider/catalogue.ts';

export interface ResealDeps {
  readonly accounts: Accounts;
  readonly webhooks: Pick<Webhooks, 'all' | 'reseal'>;
  readonly vault: Vault;
}

export interface Resealed {
  readonly resealed: number;
  readonly current: number;
  /** The secrets that no key opens: of a provider, or of a webhook. */
  readonly unreadable: readonly (
    { readonly accountId: string; readonly provider: ProviderName } | WebhookKey
  )[];
}

/**
 * Seals every stored secret with the newest key: the credentials of stores, and the secrets of webhooks. Each is
 * replaced by one conditional write, so the run may be killed and repeated, and customers may save new ones meanwhile.
 * Secrets that no key opens are left as they are, and listed.
 */
export async function resealCredentials(deps: ResealDeps): Promise<Resealed> {
  const counts = { resealed: 0, current: 0 };
  const unreadable: Resealed['unreadable'][number][] = [];
  for await (const account of deps.accounts.withProviders())
    for (const provider of Object.keys(account.providers)) {
      const outcome = await reseal(deps, account, provider);
      if (outcome === 'unreadable') unreadable.push({ accountId: account.accountId, provider });
      else if (outcome !== 'absent') counts[outcome] += 1;
    }
  for await (const { accountId, items } of deps.webhooks.all())
    for (const webhook of items) {
      const key = { accountId, webhookId: webhook.webhookId };
      const outcome = await resealWebhook(deps, key, webhook);
      if (outcome === 'unreadable') unreadable.push(key);
      else counts[outcome] += 1;
    }
  return { ...counts, unreadable };
}

/** One whose secret was replaced meanwhile is left: the new one is sealed by a newer key, or the next run's. */
async function resealWebhook(
  { webhooks, vault }: ResealDeps,
  key: WebhookKey,
  { secret, earlier }: Webhook,
): Promise<'resealed' | 'current' | 'unreadable'> {
  const sealed = earlier ? [secret, earlier.secret] : [secret];
  if (sealed.every((each) => vault.isCurrent(each))) return 'current';
  try {
    const [present = secret, before] = sealed.map((each) =>
      vault.sealSecret(vault.openSecret(each, key), key),
    );
    const secrets = {
      secret: present,
      ...(earlier && before ? { earlier: { ...earlier, secret: before } } : {}),
    };
    await webhooks.reseal(key, secret, secrets);
    return 'resealed';
  } catch {
    return 'unreadable';
  }
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
