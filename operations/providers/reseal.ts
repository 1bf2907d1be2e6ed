import type { WebhookKey } from '../../adapters/mongo/webhooks/webhooks.ts';
import { isSecretUrl, shownUrl, type Webhook } from '../../domain/webhooks/webhook.ts';
import type { SecretOwner, Vault } from '../../adapters/vault/vault.ts';
import { type Account, type FormerPlace, type SealedText } from '../../domain/accounts/account.ts';
import type { Deps } from '../common/deps.ts';
import type { ProviderName } from '../../domain/providers/catalogue.ts';

export type ResealDeps = Deps<'accounts' | 'formerPlaces' | 'webhooks' | 'vault'>;

export interface Resealed {
  readonly resealed: number;
  readonly current: number;
  /** The secrets that no key opens: of a provider, or of a webhook. */
  readonly unreadable: readonly (
    { readonly accountId: string; readonly provider: ProviderName } | WebhookKey
  )[];
}

/**
 * Seals every stored secret with the newest key: the credentials of stores, of former places too,
 * and of webhooks the secrets and the addresses that are secret, sealed before or not. Each is
 * replaced by one conditional write, so the run may be killed and repeated, and customers may save
 * new ones meanwhile. Former places come after the current ones, so that credentials whose place is
 * replaced meanwhile are met there. Secrets that no key opens are left as they are, and listed.
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
  for await (const { accountId, places } of deps.formerPlaces.all())
    for (const place of places) {
      const outcome = await resealFormer(deps, accountId, place);
      const { provider } = place.location;
      if (outcome === 'unreadable') unreadable.push({ accountId, provider });
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

/**
 * Seals the secrets of a webhook, and its address if that is one. Where the secret was replaced
 * meanwhile, nothing is changed: the new one is sealed by a newer key, or the next run's.
 */
async function resealWebhook(
  { webhooks, vault }: ResealDeps,
  key: WebhookKey,
  webhook: Webhook,
): Promise<'resealed' | 'current' | 'unreadable'> {
  const { secret, earlier, sealedUrl, url } = webhook;
  const isPlain = isSecretUrl(webhook) && !sealedUrl;
  const sealed = [secret, earlier?.secret, sealedUrl].filter((each) => each !== undefined);
  if (!isPlain && sealed.every((each) => vault.isCurrent(each))) return 'current';
  const unreadable: SealedText[] = [];
  const again = (each: SealedText): SealedText => {
    const opened = tryOpen(() => vault.openSecret(each, key));
    if (opened !== undefined) return vault.sealSecret(opened, key);
    unreadable.push(each);
    return each;
  };
  await webhooks.reseal(key, secret, {
    secret: again(secret),
    ...(earlier ? { earlier: { ...earlier, secret: again(earlier.secret) } } : {}),
    ...(sealedUrl ? { sealedUrl: again(sealedUrl) } : {}),
    ...(isPlain ? { sealedUrl: vault.sealSecret(url, key), url: shownUrl(webhook) } : {}),
  });
  return unreadable.length === 0 ? 'resealed' : 'unreadable';
}

type Outcome = 'resealed' | 'current' | 'unreadable' | 'absent';

async function reseal(
  deps: ResealDeps,
  { accountId, providers }: Account,
  provider: ProviderName,
): Promise<Outcome> {
  const { accounts, vault } = deps;
  const sealed = providers[provider]?.credentials;
  if (!sealed) return 'absent';
  const outcome = await resealAs(vault, { accountId, provider }, sealed, (to) =>
    accounts.reseal(accountId, provider, sealed, to),
  );
  if (outcome) return outcome;
  // The credentials were saved meanwhile, perhaps sealed with the old key.
  const latest = await accounts.findAccount(accountId);
  return latest ? await reseal(deps, latest, provider) : 'absent';
}

async function resealFormer(
  deps: ResealDeps,
  accountId: string,
  { location, credentials }: FormerPlace,
): Promise<Outcome> {
  const { formerPlaces, vault } = deps;
  const { provider } = location;
  const outcome = await resealAs(vault, { accountId, provider }, credentials, (to) =>
    formerPlaces.reseal(accountId, location, credentials, to),
  );
  if (outcome) return outcome;
  // The credentials were replaced meanwhile, perhaps sealed with the old key, or the place was
  // forgotten.
  const latest = await formerPlaces.findFormerPlace(accountId, location);
  return latest ? await resealFormer(deps, accountId, latest) : 'absent';
}

/** Undefined if the stored credentials have changed. */
async function resealAs(
  vault: Vault,
  owner: SecretOwner,
  sealed: SealedText,
  replace: (to: SealedText) => Promise<boolean>,
): Promise<Outcome | undefined> {
  if (vault.isCurrent(sealed)) return 'current';
  const opened = tryOpen(() => vault.open(sealed, owner));
  if (!opened) return 'unreadable';
  return (await replace(vault.seal(opened, owner))) ? 'resealed' : undefined;
}

function tryOpen<Secret>(open: () => Secret): Secret | undefined {
  try {
    return open();
  } catch {
    return undefined;
  }
}
