import type { Db, WithId } from 'mongodb';
import type { Account, SealedText, StoredProvider } from '../../domain/account.ts';
import type { StoredApiKey } from '../../domain/api-key.ts';
import type { ProviderName } from '../../domain/catalogue.ts';
import type { PlanName } from '../../domain/plan.ts';
import { planInForce, type Subscription } from '../../domain/subscription.ts';
import { insertIfNew, isDuplicate } from './open.ts';

/** Its `plan` is the one that the account was given, by its creation or the operator's hand. */
type AccountDocument = Omit<Account, 'accountId'> & { readonly _id: string };

/** How fine `lastUsedAt` is: one write a minute, however many calls come. */
const LAST_USED_GRAIN_MS = 60_000;

/** The tenants: each with its plan, its one API key and its stores, in one document. */
export interface Accounts {
  /** One read by a unique index: everything that an upload's init needs to know. */
  findByApiKeyHash(hash: string): Promise<Account | undefined>;
  /** Creates the account the first time that it is seen. */
  findOrCreate(accountId: string, plan: PlanName, now: Date): Promise<Account>;
  find(accountId: string): Promise<Account | undefined>;
  /** Replaces the one key in one write: from its answer on, the key before is worth nothing. */
  setApiKey(accountId: string, apiKey: StoredApiKey): Promise<void>;
  /** Notes that a key is in use, to about a minute. */
  touchApiKey(account: Account, now: Date): Promise<void>;
  /** False where the account's providers have changed since they were read. */
  saveProvider(account: Account, provider: StoredProvider): Promise<boolean>;
  /** False where the account's providers have changed since they were read. */
  removeProvider(account: Account, provider: ProviderName): Promise<boolean>;
  /** Every account that has a provider, for the re-encryption. */
  withProviders(): AsyncIterable<Account>;
  /** Swaps one sealed text for another of the same content; false where it is not there any more. */
  reseal(
    accountId: string,
    provider: ProviderName,
    from: SealedText,
    to: SealedText,
  ): Promise<boolean>;
  findByCustomer(customerId: string): Promise<Account | undefined>;
  /** The first customer of an account stays, and a customer is never of two accounts. */
  setCustomer(accountId: string, customerId: string): Promise<void>;
  /** Does nothing where the account has another customer by now. */
  replaceCustomer(accountId: string, from: string, to: string): Promise<void>;
  /** Notes that something was bought; the first time stays. */
  noteCheckout(accountId: string, now: Date): Promise<void>;
  /** False where the account's subscriptions have changed since they were read. */
  saveSubscription(
    account: Account,
    subscriptionId: string,
    subscription: Subscription,
  ): Promise<boolean>;
}

export function createAccounts(db: Db): Accounts {
  const accounts = db.collection<AccountDocument>('accounts');
  const find = async (accountId: string) => toAccount(await accounts.findOne({ _id: accountId }));

  return {
    find,

    findByApiKeyHash: async (hash) => toAccount(await accounts.findOne({ 'apiKey.hash': hash })),

    async findOrCreate(accountId, plan, now) {
      const known = await find(accountId);
      if (known) return known;
      const fresh = { plan, createdAt: now, providers: {}, providersRevision: 0 };
      await insertIfNew(() => accounts.insertOne({ _id: accountId, ...fresh }));
      return (await find(accountId)) ?? { accountId, ...fresh };
    },

    async setApiKey(accountId, apiKey) {
      await accounts.updateOne({ _id: accountId }, { $set: { apiKey } });
    },

    async touchApiKey({ accountId, apiKey }, now) {
      if (!apiKey) return;
      const lastUsedAt = apiKey.lastUsedAt?.getTime() ?? 0;
      if (now.getTime() - lastUsedAt < LAST_USED_GRAIN_MS) return;
      await accounts.updateOne(
        { _id: accountId, 'apiKey.hash': apiKey.hash },
        { $set: { 'apiKey.lastUsedAt': now } },
      );
    },

    async saveProvider({ accountId, providersRevision }, provider) {
      const { matchedCount } = await accounts.updateOne(
        { _id: accountId, providersRevision },
        {
          $set: { [`providers.${provider.location.provider}`]: provider },
          $inc: { providersRevision: 1 },
        },
      );
      return matchedCount === 1;
    },

    async removeProvider({ accountId, providersRevision }, provider) {
      const { matchedCount } = await accounts.updateOne(
        { _id: accountId, providersRevision },
        { $unset: { [`providers.${provider}`]: true }, $inc: { providersRevision: 1 } },
      );
      return matchedCount === 1;
    },

    async *withProviders() {
      for await (const document of accounts.find({ providersRevision: { $gt: 0 } })) {
        const account = toAccount(document);
        if (account) yield account;
      }
    },

    async reseal(accountId, provider, from, to) {
      const path = `providers.${provider}.credentials`;
      const { matchedCount } = await accounts.updateOne(
        { _id: accountId, [`${path}.ciphertext`]: from.ciphertext, [`${path}.nonce`]: from.nonce },
        { $set: { [path]: to } },
      );
      return matchedCount === 1;
    },

    findByCustomer: async (customerId) =>
      toAccount(await accounts.findOne({ 'billing.customerId': customerId })),

    async setCustomer(accountId, customerId) {
      const free = { _id: accountId, 'billing.customerId': { $exists: false } };
      await accounts
        .updateOne(free, { $set: { 'billing.customerId': customerId } })
        .catch(unlessDuplicate);
    },

    async replaceCustomer(accountId, from, to) {
      await accounts.updateOne(
        { _id: accountId, 'billing.customerId': from },
        { $set: { 'billing.customerId': to } },
      );
    },

    async noteCheckout(accountId, now) {
      await accounts.updateOne(
        { _id: accountId, 'billing.checkedOutAt': { $exists: false } },
        { $set: { 'billing.checkedOutAt': now } },
      );
    },

    async saveSubscription({ accountId, billing }, subscriptionId, subscription) {
      const revision = billing?.revision ?? { $exists: false };
      const { matchedCount } = await accounts.updateOne(
        { _id: accountId, 'billing.revision': revision },
        {
          $set: { [`billing.subscriptions.${subscriptionId}`]: subscription },
          $inc: { 'billing.revision': 1 },
        },
      );
      return matchedCount === 1;
    },
  };
}

function toAccount(document: WithId<AccountDocument> | null): Account | undefined {
  if (!document) return undefined;
  const { _id, plan, ...rest } = document;
  return { accountId: _id, ...rest, plan: planInForce(plan, rest.billing?.subscriptions) };
}

function unlessDuplicate(error: unknown): void {
  if (!isDuplicate(error)) throw error;
}
