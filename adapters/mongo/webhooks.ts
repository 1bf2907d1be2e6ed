import type { Db, UpdateFilter } from 'mongodb';
import type { Activity } from '../../domain/account/activity.ts';
import type { SealedText } from '../../domain/account/account.ts';
import type { ServiceEvent } from '../../domain/webhooks/event.ts';
import { MAX_WEBHOOKS, type Webhook } from '../../domain/webhooks/webhook.ts';
import { noting, type Noting } from './activities.ts';
import { emitting, type Emitting } from './events.ts';
import { insertIfNew } from './open.ts';

interface WebhooksDocument extends Noting, Emitting {
  /** The id of the account. */
  readonly _id: string;
  readonly items: readonly Webhook[];
}

export interface WebhookKey {
  readonly accountId: string;
  readonly webhookId: string;
}

/** The webhooks: one document per account, which has a few. A change says whether there was something to change. */
export interface Webhooks {
  /** The oldest first. */
  list(accountId: string): Promise<readonly Webhook[]>;
  /** Undefined for an unknown id and for another account's. */
  find(key: WebhookKey): Promise<Webhook | undefined>;
  /** False if the account has as many as it may have. */
  add(accountId: string, webhook: Webhook, activity: Activity): Promise<boolean>;
  remove(key: WebhookKey, activity: Activity): Promise<boolean>;
  /** The secret before signs too until a time. False if it was replaced meanwhile. */
  rotate(
    key: WebhookKey,
    change: { secret: SealedText; earlier: NonNullable<Webhook['earlier']> },
    activity: Activity,
  ): Promise<boolean>;
  enable(key: WebhookKey, activity: Activity): Promise<boolean>;
  disable(key: WebhookKey, now: Date): Promise<boolean>;
  /** Notes the first failure since the last success. */
  noteFailure(key: WebhookKey, now: Date): Promise<boolean>;
  noteSuccess(key: WebhookKey): Promise<boolean>;
  /** Those that are told nothing; of at most 10,000 accounts. */
  countDisabled(): Promise<number>;
  /** Emits an event by itself. */
  emit(event: ServiceEvent): Promise<void>;
  /** Every account's, for a change of the keys that seal. */
  all(): AsyncIterable<{ readonly accountId: string; readonly items: readonly Webhook[] }>;
  /** Replaces a sealed secret by the same one under another key, if it is still there. */
  reseal(
    key: WebhookKey,
    from: SealedText,
    secrets: Pick<Webhook, 'secret' | 'earlier'>,
  ): Promise<boolean>;
}

/** The webhooks of more accounts are not counted. */
const MOST_COUNTED = 10_000;

export function createWebhooks(db: Db): Webhooks {
  const webhooks = db.collection<WebhooksDocument>('webhooks');

  async function list(accountId: string): Promise<readonly Webhook[]> {
    return (await webhooks.findOne({ _id: accountId }))?.items ?? [];
  }
  /** Changes one of an account's webhooks where it stands in the list; `where` is what it must have. */
  async function change(
    { accountId, webhookId }: WebhookKey,
    toUpdate: (at: string) => UpdateFilter<WebhooksDocument>,
    where: Readonly<Record<string, unknown>> = {},
  ): Promise<boolean> {
    const index = (await list(accountId)).findIndex((each) => each.webhookId === webhookId);
    if (index < 0) return false;
    const at = `items.${index}`;
    const filter = Object.entries(where).map(([name, value]) => [`${at}.${name}`, value]);
    const { matchedCount } = await webhooks.updateOne(
      { _id: accountId, [`${at}.webhookId`]: webhookId, ...Object.fromEntries(filter) },
      toUpdate(at),
    );
    return matchedCount === 1;
  }

  return {
    list,

    async find({ accountId, webhookId }) {
      return (await list(accountId)).find((each) => each.webhookId === webhookId);
    },

    async add(accountId, webhook, activity) {
      const { $push, $min } = noting(activity);
      // A document that is there and full does not match, and cannot be inserted.
      return await insertIfNew(() =>
        webhooks.updateOne(
          { _id: accountId, [`items.${MAX_WEBHOOKS - 1}`]: { $exists: false } },
          { $push: { ...$push, items: webhook }, $min },
          { upsert: true },
        ),
      );
    },

    remove: ({ accountId, webhookId }, activity) =>
      change({ accountId, webhookId }, () => ({
        $pull: { items: { webhookId } },
        ...noting(activity),
      })),

    rotate: (key, { secret, earlier }, activity) =>
      change(
        key,
        (at) => ({
          $set: { [`${at}.secret`]: secret, [`${at}.earlier`]: earlier },
          ...noting(activity),
        }),
        { 'secret.ciphertext': earlier.secret.ciphertext },
      ),

    enable: (key, activity) =>
      change(key, (at) => ({
        $set: { [`${at}.disabledAt`]: null },
        $unset: { [`${at}.failingSince`]: true },
        ...noting(activity),
      })),

    disable: (key, now) =>
      change(key, (at) => ({ $set: { [`${at}.disabledAt`]: now } }), { disabledAt: null }),

    noteFailure: (key, now) =>
      change(key, (at) => ({ $set: { [`${at}.failingSince`]: now } }), {
        failingSince: { $exists: false },
      }),

    noteSuccess: (key) =>
      change(key, (at) => ({ $unset: { [`${at}.failingSince`]: true } }), {
        failingSince: { $exists: true },
      }),

    async countDisabled() {
      const isDisabled = { 'items.disabledAt': { $gt: new Date(0) } };
      const [found] = await webhooks
        .aggregate<{ readonly count: number }>([
          { $match: isDisabled },
          { $limit: MOST_COUNTED },
          { $unwind: '$items' },
          { $match: isDisabled },
          { $count: 'count' },
        ])
        .toArray();
      return found?.count ?? 0;
    },

    async emit(event) {
      await webhooks.updateOne({ _id: event.accountId }, emitting([event]));
    },

    async *all() {
      for await (const { _id, items } of webhooks.find()) yield { accountId: _id, items };
    },

    reseal: (key, from, { secret, earlier }) =>
      change(
        key,
        (at) => ({
          $set: { [`${at}.secret`]: secret, ...(earlier ? { [`${at}.earlier`]: earlier } : {}) },
        }),
        { 'secret.ciphertext': from.ciphertext },
      ),
  };
}
