import type { Collection, Db, UpdateFilter } from 'mongodb';
import type { Activity } from '../../../domain/accounts/activity.ts';
import type { SealedText } from '../../../domain/accounts/account.ts';
import type { ServiceEvent } from '../../../domain/webhooks/event.ts';
import { MAX_WAITING_TESTS, MAX_WEBHOOKS, type Webhook } from '../../../domain/webhooks/webhook.ts';
import { emitting, noting, type WithOutbox } from '../common/outbox.ts';
import { insertIfNew, matches } from '../common/open.ts';

interface WebhooksDocument extends WithOutbox {
  /** The id of the account. */
  readonly _id: string;
  readonly items: readonly Webhook[];
}

/** What is sealed of a webhook; a sealed address leaves what may be shown of it as the URL. */
export type SealedParts = Pick<Webhook, 'secret'> &
  Partial<Pick<Webhook, 'earlier' | 'url' | 'sealedUrl'>>;

export interface WebhookKey {
  readonly accountId: string;
  readonly webhookId: string;
}

/** The webhooks of more accounts are not counted. */
const MOST_COUNTED = 10_000;

/** The webhooks: one document per account. A change says whether there was something to change. */
export class Webhooks {
  readonly #webhooks: Collection<WebhooksDocument>;

  constructor(db: Db) {
    this.#webhooks = db.collection('webhooks');
  }

  /** The oldest first. */
  async listWebhooks(accountId: string): Promise<readonly Webhook[]> {
    const stored = await this.#webhooks.findOne({ _id: accountId }, { projection: { items: 1 } });
    return stored?.items ?? [];
  }

  /** Undefined for an unknown id and for another account's. */
  async findWebhook({ accountId, webhookId }: WebhookKey): Promise<Webhook | undefined> {
    return (await this.listWebhooks(accountId)).find((each) => each.webhookId === webhookId);
  }

  /** False if the account has as many as it may have. */
  async addWebhook(accountId: string, webhook: Webhook, activity: Activity): Promise<boolean> {
    const { $push, $min } = noting(activity);
    // A document that is there and full does not match, and cannot be inserted.
    const add = () =>
      insertIfNew(() =>
        this.#webhooks.updateOne(
          { _id: accountId, [`items.${MAX_WEBHOOKS - 1}`]: { $exists: false } },
          { $push: { ...$push, items: webhook }, $min },
          { upsert: true },
        ),
      );
    // Nor can the first one where another first one was inserted meanwhile.
    return (await add()) || (await add());
  }

  async removeWebhook({ accountId, webhookId }: WebhookKey, activity: Activity): Promise<boolean> {
    return await matches(
      this.#webhooks.updateOne(
        { _id: accountId, 'items.webhookId': webhookId },
        { $pull: { items: { webhookId } }, ...noting(activity) },
      ),
    );
  }

  /** The secret before signs too until a time. False if it was replaced meanwhile. */
  rotate(
    key: WebhookKey,
    { secret, earlier }: { secret: SealedText; earlier: NonNullable<Webhook['earlier']> },
    activity: Activity,
  ): Promise<boolean> {
    return this.#change(
      key,
      {
        $set: { 'items.$[item].secret': secret, 'items.$[item].earlier': earlier },
        ...noting(activity),
      },
      { 'secret.ciphertext': earlier.secret.ciphertext },
    );
  }

  enable(key: WebhookKey, activity: Activity): Promise<boolean> {
    return this.#change(key, {
      $set: { 'items.$[item].disabledAt': null },
      $unset: { 'items.$[item].failingSince': true },
      ...noting(activity),
    });
  }

  disable(key: WebhookKey, now: Date): Promise<boolean> {
    return this.#change(key, { $set: { 'items.$[item].disabledAt': now } }, { disabledAt: null });
  }

  /** Notes a failure. Returns the first one since the last success. */
  async noteFailure(key: WebhookKey, now: Date): Promise<Date> {
    const isFirst = { failingSince: { $exists: false } };
    await this.#change(key, { $set: { 'items.$[item].failingSince': now } }, isFirst);
    return (await this.findWebhook(key))?.failingSince ?? now;
  }

  async noteSuccess(key: WebhookKey): Promise<void> {
    const isFailing = { failingSince: { $exists: true } };
    await this.#change(key, { $unset: { 'items.$[item].failingSince': true } }, isFailing);
  }

  /** Those to which nothing is sent, of at most 10,000 accounts. */
  async countDisabled(): Promise<number> {
    const isDisabled = { 'items.disabledAt': { $gt: new Date(0) } };
    const [counted] = await this.#webhooks
      .aggregate<{ readonly count: number }>([
        { $match: isDisabled },
        { $limit: MOST_COUNTED },
        { $unwind: '$items' },
        { $match: isDisabled },
        { $count: 'count' },
      ])
      .toArray();
    return counted?.count ?? 0;
  }

  /** Emits a test. False while as many of the account wait as may. */
  async emitTest(event: ServiceEvent): Promise<boolean> {
    return await matches(
      this.#webhooks.updateOne(
        { _id: event.accountId, [`outbox.${MAX_WAITING_TESTS - 1}`]: { $exists: false } },
        emitting([event]),
      ),
    );
  }

  /** Every account's, for a change of the keys that seal. */
  async *all(): AsyncIterable<{ readonly accountId: string; readonly items: readonly Webhook[] }> {
    const documents = this.#webhooks.find({}, { projection: { items: 1 } });
    for await (const { _id, items } of documents) yield { accountId: _id, items };
  }

  /** Replaces what is sealed by the same under another key, if the secret is still this one. */
  reseal(key: WebhookKey, from: SealedText, to: SealedParts): Promise<boolean> {
    const set = Object.entries(to).map(([name, value]) => [`items.$[item].${name}`, value]);
    return this.#change(
      key,
      { $set: Object.fromEntries(set) as object },
      { 'secret.ciphertext': from.ciphertext },
    );
  }

  /** Changes one of an account's webhooks, `items.$[item]`; `where` is what it must have. */
  async #change(
    { accountId, webhookId }: WebhookKey,
    update: UpdateFilter<WebhooksDocument>,
    where: Readonly<Record<string, unknown>> = {},
  ): Promise<boolean> {
    return await matches(
      this.#webhooks.updateOne(
        { _id: accountId, items: { $elemMatch: { webhookId, ...where } } },
        update,
        { arrayFilters: [{ 'item.webhookId': webhookId }] },
      ),
    );
  }
}
