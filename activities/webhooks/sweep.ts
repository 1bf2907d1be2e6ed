import {
  OUTBOXES,
  type OutboxCollection,
  type Unpublished,
} from '../../adapters/mongo/common/outbox.ts';
import { INTERVALS } from '../../domain/common/intervals.ts';
import { addSeconds } from '../../domain/common/time.ts';
import { TEST_EVENT, type ServiceEvent } from '../../domain/webhooks/event.ts';
import { writeBody } from '../../domain/webhooks/message.ts';
import type { Webhook } from '../../domain/webhooks/webhook.ts';
import { addSwept, takeFirst, takeTurn, type Swept, type Turn } from '../common/sweep.ts';
import type { WebhookContext } from '../contexts.ts';

export type WebhookSweepActivities = ReturnType<typeof createWebhookSweepActivities>;

const OUTCOMES = ['published', 'started', 'taken', 'failed'] as const;
type Outcome = (typeof OUTCOMES)[number];
/** One activity looks this long, because each is billed, and events are sent within seconds. */
const LOOKING_MS = 60_000;
/** Until the next look while more can be done. */
const BUSY_POLL_MS = 200;
/** Attempts of one account at once: a receiver that does not answer leaves room for others. */
const MAX_UNDER_WAY = 8;

/** The sweep that publishes what is in outboxes, and starts the deliveries that are due. */
export function createWebhookSweepActivities(context: WebhookContext) {
  return {
    async sweepWebhooks(): Promise<Swept<Outcome>> {
      const endsAt = context.now().getTime() + LOOKING_MS;
      let swept: Swept<Outcome> = { published: 0, started: 0, taken: 0, failed: 0 };
      do {
        const turns = [...(await publish(context)), await startDue(context)];
        for (const turn of turns) swept = addSwept(swept, turn.swept);
        context.progress.requireAlive();
        context.progress.report();
        const hasMore = turns.some((turn) => turn.hasMore);
        await context.wait(hasMore ? BUSY_POLL_MS : INTERVALS.webhooksPollMs);
      } while (context.now().getTime() < endsAt);
      return swept;
    },
  };
}

/** Publishes what is in the outboxes of all collections, side by side. */
async function publish(context: WebhookContext): Promise<Turn<Outcome>[]> {
  const listedOf = new Map<string, Promise<readonly Webhook[]>>();
  const webhooksOf = (accountId: string) => {
    const listed = listedOf.get(accountId) ?? context.webhooks.listWebhooks(accountId);
    listedOf.set(accountId, listed);
    return listed;
  };
  const publishOf = (collection: OutboxCollection) =>
    takeTurn({
      now: context.now,
      outcomes: OUTCOMES,
      due: context.outbox.due(collection),
      continueWork: (unpublished) =>
        publishEntries(context, unpublished, webhooksOf).catch(() => 'failed' as const),
      progress: context.progress,
    });
  return await Promise.all(OUTBOXES.map(publishOf));
}

/** Moves activities to the log, and makes deliveries of events. What fails stays in its outbox. */
async function publishEntries(
  context: WebhookContext,
  unpublished: Unpublished,
  webhooksOf: (accountId: string) => Promise<readonly Webhook[]>,
): Promise<'published'> {
  await context.outbox.drain(unpublished, {
    publishActivity: (activity) => context.activities.addActivity(activity),
    publishEvent: async (event) => {
      await createDeliveries(context, event, await webhooksOf(event.accountId));
      context.progress.report();
    },
  });
  return 'published';
}

/** A delivery to each webhook that wants the event. Repeats send the same body. */
async function createDeliveries(
  context: WebhookContext,
  event: ServiceEvent,
  webhooks: readonly Webhook[],
): Promise<void> {
  const { accountId, id: eventId, type } = event;
  for (const { webhookId, events, format, disabledAt } of webhooks) {
    const isWanted =
      event.type === TEST_EVENT
        ? event.data.webhookId === webhookId
        : disabledAt === null && events.includes(event.type);
    if (!isWanted) continue;
    const body = writeBody(event, format, context.dashboardUrl);
    await context.deliveries.insertDelivery(
      { accountId, webhookId, eventId, type, body },
      context.now(),
    );
  }
}

function startDue(context: WebhookContext): Promise<Turn<Outcome>> {
  const { deliveries, webhookCommands, now } = context;
  return takeTurn({
    now,
    outcomes: OUTCOMES,
    due: deliveries.due,
    choose: async (accountId, due) =>
      takeFirst(due, Math.max(0, MAX_UNDER_WAY - (await deliveries.countTaken(accountId, now())))),
    async continueWork(due) {
      try {
        if (!(await deliveries.take(due, addSeconds(now(), INTERVALS.deliveryTakenSeconds))))
          return 'taken';
        await webhookCommands.deliver(due);
        return 'started';
      } catch {
        return 'failed';
      }
    },
    progress: context.progress,
  });
}
