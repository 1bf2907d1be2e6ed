import type { StoreCapabilities } from '../../../domain/providers/capabilities.ts';
import type { Collection, Db, UpdateFilter, WithId } from 'mongodb';
import {
  FAILING_SECONDS,
  formerStoreOf,
  type Account,
  type SealedText,
  type StoredProvider,
} from '../../../domain/accounts/account.ts';
import type { Activity } from '../../../domain/accounts/activity.ts';
import type { StoredApiKey } from '../../../domain/accounts/api-key.ts';
import type { ProviderName } from '../../../domain/providers/catalogue.ts';
import {
  nextProbe,
  refusalsOf,
  type StoreWork,
  type WorkAtStore,
} from '../../../domain/providers/pause.ts';
import type { PlanName } from '../../../domain/accounts/plan.ts';
import { planInForce, type Subscription } from '../../../domain/accounts/subscription.ts';
import type { ServiceEvent } from '../../../domain/webhooks/event.ts';
import { addSeconds } from '../../../domain/common/time.ts';
import { emitting, noting, type WithOutbox, withoutOutbox } from '../common/outbox.ts';
import { insertIfNew, isDuplicate, matches } from '../common/open.ts';

/** Its `plan` is set at the account's creation or by an operator; subscriptions are separate. */
type AccountDocument = Omit<Account, 'accountId'> & WithOutbox & { readonly _id: string };

/** The resolution of `lastUsedAt`: at most one write per minute. */
const LAST_USED_GRAIN_MS = 60_000;

type RefusedWork = Omit<WorkAtStore, 'accountId'>;

/** The tenants: one document holds the plan, the API key and the providers of an account. */
export class Accounts {
  readonly #accounts: Collection<AccountDocument>;

  constructor(db: Db) {
    this.#accounts = db.collection('accounts');
  }

  /** One read by a unique index; it returns everything that an init needs. */
  async findByApiKeyHash(hash: string): Promise<Account | undefined> {
    return toAccount(await this.#accounts.findOne({ 'apiKey.hash': hash }));
  }

  /** Creates the account at its first call. */
  async findOrCreate(accountId: string, plan: PlanName, now: Date): Promise<Account> {
    const existing = await this.findAccount(accountId);
    if (existing) return existing;
    const fresh = { plan, createdAt: now, providers: {} };
    await insertIfNew(() => this.#accounts.insertOne({ _id: accountId, ...fresh }));
    return (await this.findAccount(accountId)) ?? { accountId, ...fresh };
  }

  async findAccount(accountId: string): Promise<Account | undefined> {
    return toAccount(await this.#accounts.findOne({ _id: accountId }));
  }

  /** Replaces the key in one write; the old key fails from then on. */
  async setApiKey(accountId: string, apiKey: StoredApiKey, activity: Activity): Promise<void> {
    await this.#accounts.updateOne({ _id: accountId }, { $set: { apiKey }, ...noting(activity) });
  }

  /** Updates `lastUsedAt`, at most once a minute. */
  async touchApiKey({ accountId, apiKey }: Account, now: Date): Promise<void> {
    if (!apiKey) return;
    const lastUsedAt = apiKey.lastUsedAt?.getTime() ?? 0;
    if (now.getTime() - lastUsedAt < LAST_USED_GRAIN_MS) return;
    await this.#accounts.updateOne(
      { _id: accountId, 'apiKey.hash': apiKey.hash },
      { $set: { 'apiKey.lastUsedAt': now } },
    );
  }

  /**
   * False on a conflicting change: the provider has another entry than the account that was read. A
   * first entry also conflicts where one of `others` has one by now, which the account had not: the
   * plan limits their number.
   */
  saveProvider(
    account: Account,
    stored: StoredProvider,
    activity: Activity,
    others: readonly ProviderName[],
  ): Promise<boolean> {
    const { provider } = stored.location;
    const absent = others.filter((other) => !account.providers[other]);
    return this.#changeProvider(
      account,
      provider,
      {
        $set: { [`providers.${provider}`]: stored },
        $unset: {
          [`failing.${provider}`]: true,
          [`refused.${provider}`]: true,
          // What was refused there while it was a former place.
          [`refused.${formerStoreOf(stored.location)}`]: true,
        },
        ...noting(activity),
      },
      account.providers[provider]
        ? {}
        : Object.fromEntries(absent.map((other) => [`providers.${other}`, { $exists: false }])),
    );
  }

  /** False on a conflicting change of the provider. */
  removeProvider(account: Account, provider: ProviderName, activity: Activity): Promise<boolean> {
    return this.#changeProvider(account, provider, {
      $unset: { [`providers.${provider}`]: true, [`refused.${provider}`]: true },
      ...noting(activity),
    });
  }

  /** Adds what a store was measured to do; nothing if it was saved again since. */
  async saveCapabilities(
    { accountId, providers }: Account,
    provider: ProviderName,
    capabilities: Partial<StoreCapabilities>,
  ): Promise<void> {
    const { updatedAt } = providers[provider] ?? {};
    const isEmpty = Object.keys(capabilities).length === 0;
    if (!updatedAt || isEmpty) return;
    const measured = Object.entries(capabilities).map(([name, has]) => [
      `providers.${provider}.capabilities.${name}`,
      has,
    ]);
    await this.#accounts.updateOne(
      { _id: accountId, [`providers.${provider}.updatedAt`]: updatedAt },
      { $set: Object.fromEntries(measured) },
    );
  }

  /** Stores that a store refuses the credentials, unless that was stored within a day. */
  async noteFailing(accountId: string, provider: ProviderName, event: ServiceEvent): Promise<void> {
    const noted = `failing.${provider}`;
    const dayBefore = addSeconds(event.at, -FAILING_SECONDS);
    await this.#accounts.updateOne(
      {
        _id: accountId,
        $or: [{ [noted]: { $exists: false } }, { [noted]: { $lte: dayBefore } }],
      },
      { $set: { [noted]: event.at }, ...emitting([event]) },
    );
  }

  /** Counts a refusal of work at a store; enough in a row pause it. Nothing for an older entry. */
  async noteRefusal(account: Account, at: RefusedWork, code: string, now: Date): Promise<void> {
    const { store, work } = at;
    const { updatedAt } = account.providers[store] ?? {};
    const refused = `refused.${store}.${work}`;
    const probeAt = nextProbe(refusalsOf(account, at), now);
    await this.#accounts.updateOne(
      {
        _id: account.accountId,
        ...(updatedAt ? { [`providers.${store}.updatedAt`]: updatedAt } : {}),
      },
      {
        $inc: { [`${refused}.count`]: 1 },
        $min: { [`${refused}.since`]: now },
        $set: {
          [`${refused}.code`]: code,
          ...(probeAt ? { [`${refused}.probeAt`]: probeAt } : {}),
        },
      },
    );
  }

  /** Takes the one attempt of paused work that is due; false if another one has taken it. */
  async takeProbe(account: Account, at: RefusedWork, now: Date): Promise<boolean> {
    const path = `refused.${at.store}.${at.work}.probeAt`;
    const refusals = refusalsOf(account, at);
    return await matches(
      this.#accounts.updateOne(
        { _id: account.accountId, [path]: refusals?.probeAt },
        { $set: { [path]: nextProbe(refusals, now) } },
      ),
    );
  }

  async endRefusals(
    { accountId }: Account,
    store: string,
    works: readonly StoreWork[],
    activity?: Activity,
  ): Promise<void> {
    const ended = works.map((work) => [`refused.${store}.${work}`, true]);
    await this.#accounts.updateOne(
      { _id: accountId },
      { $unset: Object.fromEntries(ended), ...(activity ? noting(activity) : {}) },
    );
  }

  /** The accounts with a provider, for re-encryption. */
  async *withProviders(): AsyncIterable<Account> {
    for await (const document of this.#accounts.find({ providers: { $ne: {} } })) {
      const account = toAccount(document);
      if (account) yield account;
    }
  }

  /** Replaces a sealed text by another of the same content; false if the text has changed. */
  async reseal(
    accountId: string,
    provider: ProviderName,
    from: SealedText,
    to: SealedText,
  ): Promise<boolean> {
    const path = `providers.${provider}.credentials`;
    return await matches(
      this.#accounts.updateOne(
        { _id: accountId, [`${path}.ciphertext`]: from.ciphertext, [`${path}.nonce`]: from.nonce },
        { $set: { [path]: to } },
      ),
    );
  }

  async findByCustomer(customerId: string): Promise<Account | undefined> {
    return toAccount(await this.#accounts.findOne({ 'billing.customerId': customerId }));
  }

  /** Keeps an account's first customer; a customer belongs to one account only. */
  async setCustomer(accountId: string, customerId: string): Promise<void> {
    const free = { _id: accountId, 'billing.customerId': { $exists: false } };
    await this.#accounts
      .updateOne(free, { $set: { 'billing.customerId': customerId } })
      .catch(unlessDuplicate);
  }

  /** Does nothing if the account has another customer. */
  async replaceCustomer(accountId: string, from: string, to: string): Promise<void> {
    await this.#accounts.updateOne(
      { _id: accountId, 'billing.customerId': from },
      { $set: { 'billing.customerId': to } },
    );
  }

  /** Stores the time of the first purchase. */
  async noteCheckout(accountId: string, now: Date): Promise<void> {
    await this.#accounts.updateOne(
      { _id: accountId, 'billing.checkedOutAt': { $exists: false } },
      { $set: { 'billing.checkedOutAt': now } },
    );
  }

  /** False on a conflicting change of the account's subscriptions. */
  async saveSubscription(
    { accountId, billing }: Account,
    subscriptionId: string,
    subscription: Subscription,
  ): Promise<boolean> {
    const revision = billing?.revision ?? { $exists: false };
    return await matches(
      this.#accounts.updateOne(
        { _id: accountId, 'billing.revision': revision },
        {
          $set: { [`billing.subscriptions.${subscriptionId}`]: subscription },
          $inc: { 'billing.revision': 1 },
        },
      ),
    );
  }

  /** Makes the change if the provider's entry is the one that was read. */
  async #changeProvider(
    { accountId, providers }: Account,
    provider: ProviderName,
    change: UpdateFilter<AccountDocument>,
    where: Readonly<Record<string, unknown>> = {},
  ): Promise<boolean> {
    const path = `providers.${provider}`;
    const current = providers[provider];
    const isSame = current
      ? {
          [`${path}.updatedAt`]: current.updatedAt,
          [`${path}.credentials.ciphertext`]: current.credentials.ciphertext,
        }
      : { [path]: { $exists: false } };
    return await matches(this.#accounts.updateOne({ _id: accountId, ...isSame, ...where }, change));
  }
}

function toAccount(document: WithId<AccountDocument> | null): Account | undefined {
  if (!document) return undefined;
  const { _id, plan, ...fields } = withoutOutbox(document);
  return { accountId: _id, ...fields, plan: planInForce(plan, fields.billing?.subscriptions) };
}

function unlessDuplicate(error: unknown): void {
  if (!isDuplicate(error)) throw error;
}
