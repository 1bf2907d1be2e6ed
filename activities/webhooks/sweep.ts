import type { Deliveries } from '../../adapters/mongo/webhooks/deliveries.ts';
import type { Activities } from '../../adapters/mongo/common/activities.ts';
import {
  OUTBOXES,
  type Outbox,
  type OutboxCollection,
  type Unpublished,
} from '../../adapters/mongo/common/outbox.ts';
import type { Webhooks } from '../../adapters/mongo/webhooks/webhooks.ts';
import type { WebhookCommands } from '../../adapters/temporal/webhook-commands.ts';
import { INTERVALS } from '../../domain/common/intervals.ts';
import { addSeconds } from '../../domain/common/time.ts';
import { TEST_EVENT, type ServiceEvent } from '../../domain/webhooks/event.ts';
import { writeBody } from '../../domain/webhooks/message.ts';
import type { Webhook } from '../../domain/webhooks/webhook.ts';
import type { Progress } from '../common/progress.ts';
import { addSwept, takeFirst, takeTurn, type Swept, type Turn } from '../common/sweep.ts';

export interface WebhookSweepDeps {
  readonly outbox: Pick<Outbox, 'due' | 'drain'>;
  readonly activities: Pick<Activities, 'addActivity'>;
  readonly webhooks: Pick<Webhooks, 'listWebhooks'>;
  readonly deliveries: Pick<Deliveries, 'insertDelivery' | 'due' | 'take' | 'countTaken'>;
  readonly webhookCommands: WebhookCommands;
  /** Where the dashboard is, without a slash at the end; undefined: messages have no link. */
  readonly dashboardUrl: string | undefined;
  readonly now: () => Date;
  readonly wait: (ms: number) => Promise<void>;
  readonly progress: Pick<Progress, 'report' | 'requireAlive'>;
}

export type WebhookSweepActivities = ReturnType<typeof createWebhookSweepActivities>;

const OUTCOMES = ['published', 'started', 'taken', 'failed'] as const;
type Outcome = (typeof OUTCOMES)[number];
/** One activity looks this long, because each is billed, and events are told within seconds. */
const LOOKING_MS = 60_000;
/** Until the next look while more can be done. */
const BUSY_POLL_MS = 200;
/** Attempts of one account at once, so that a receiver that does not answer leaves room for others. */
const MAX_UNDER_WAY = 8;

/** The sweep that publishes what is in outboxes, and starts the deliveries that are due. */
export function createWebhookSweepActivities(deps: WebhookSweepDeps) {
  return {
    async sweepWebhooks(): Promise<Swept<Outcome>> {
      const endsAt = deps.now().getTime() + LOOKING_MS;
      let swept: Swept<Outcome> = { published: 0, started: 0, taken: 0, failed: 0 };
      do {
        const turns = [...(await publish(deps)), await startDue(deps)];
        for (const turn of turns) swept = addSwept(swept, turn.swept);
        deps.progress.requireAlive();
        deps.progress.report();
        const hasMore = turns.some((turn) => turn.hasMore);
        await deps.wait(hasMore ? BUSY_POLL_MS : INTERVALS.webhooksPollMs);
      } while (deps.now().getTime() < endsAt);
      return swept;
    },
  };
}

/** Publishes what is in the outboxes of all collections, side by side. */
async function publish(deps: WebhookSweepDeps): Promise<Turn<Outcome>[]> {
  const known = new Map<string, Promise<readonly Webhook[]>>();
  const webhooksOf = (accountId: string) => {
    const listed = known.get(accountId) ?? deps.webhooks.listWebhooks(accountId);
    known.set(accountId, listed);
    return listed;
  };
  const publishOf = (collection: OutboxCollection) =>
    takeTurn({
      now: deps.now,
      outcomes: OUTCOMES,
      due: deps.outbox.due(collection),
      continueWork: (unpublished) => publishEntries(deps, unpublished, webhooksOf),
      progress: deps.progress,
    });
  return await Promise.all(OUTBOXES.map(publishOf));
}

/** Takes activities to the log, and makes deliveries of events. What fails for now stays in its outbox. */
async function publishEntries(
  deps: WebhookSweepDeps,
  unpublished: Unpublished,
  webhooksOf: (accountId: string) => Promise<readonly Webhook[]>,
): Promise<Outcome> {
  try {
    await deps.outbox.drain(unpublished, {
      publishActivity: (activity) => deps.activities.addActivity(activity),
      publishEvent: async (event) => {
        await createDeliveries(deps, event, await webhooksOf(event.accountId));
        deps.progress.report();
      },
    });
    return 'published';
  } catch {
    return 'failed';
  }
}

/** A delivery to each webhook that is to be told. The body is written once: repeats send the same. */
async function createDeliveries(
  deps: WebhookSweepDeps,
  event: ServiceEvent,
  webhooks: readonly Webhook[],
): Promise<void> {
  const { accountId, id: eventId, type } = event;
  for (const { webhookId, events, format, disabledAt } of webhooks) {
    const isTold =
      event.type === TEST_EVENT
        ? event.data.webhookId === webhookId
        : disabledAt === null && events.includes(event.type);
    if (!isTold) continue;
    const body = writeBody(event, format, deps.dashboardUrl);
    await deps.deliveries.insertDelivery({ accountId, webhookId, eventId, type, body }, deps.now());
  }
}

function startDue(deps: WebhookSweepDeps): Promise<Turn<Outcome>> {
  const { deliveries, webhookCommands, now } = deps;
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
    progress: deps.progress,
  });
}
