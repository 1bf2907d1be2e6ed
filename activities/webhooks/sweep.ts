import type { Deliveries } from '../../adapters/mongo/deliveries.ts';
import type { Events } from '../../adapters/mongo/events.ts';
import type { Webhooks } from '../../adapters/mongo/webhooks.ts';
import type { WebhookCommands } from '../../adapters/temporal/webhook-commands.ts';
import { INTERVALS } from '../../domain/common/intervals.ts';
import { addSeconds } from '../../domain/common/time.ts';
import { TEST_EVENT, type ServiceEvent } from '../../domain/webhooks/event.ts';
import { writeBody } from '../../domain/webhooks/message.ts';
import { forEachConcurrently } from '../common/concurrently.ts';
import type { Progress } from '../common/progress.ts';
import { addSwept, sweepDue, type Swept } from '../common/sweep.ts';

export interface WebhookSweepDeps {
  readonly events: Events;
  readonly webhooks: Pick<Webhooks, 'list'>;
  readonly deliveries: Pick<Deliveries, 'insert' | 'findDue' | 'take'>;
  readonly webhookCommands: WebhookCommands;
  /** Where the dashboard is, without a slash at the end; undefined: messages have no link. */
  readonly dashboardUrl: string | undefined;
  readonly now: () => Date;
  readonly wait: (ms: number) => Promise<void>;
  readonly progress: Pick<Progress, 'report' | 'requireAlive'>;
}

export type WebhookSweepActivities = ReturnType<typeof createWebhookSweepActivities>;

const OUTCOMES = ['started', 'taken', 'failed'] as const;
type Outcome = (typeof OUTCOMES)[number];
/** One activity looks this long, because each is billed, and events are told within seconds. */
const LOOKING_MS = 60_000;
const PUBLISHED_AT_ONCE = 20;

/** The sweep that hands events to webhooks, and starts the attempts that are due. */
export function createWebhookSweepActivities(deps: WebhookSweepDeps) {
  return {
    async sweepWebhooks(): Promise<Swept<Outcome>> {
      const endsAt = deps.now().getTime() + LOOKING_MS;
      let swept: Swept<Outcome> = { started: 0, taken: 0, failed: 0 };
      do {
        await publish(deps);
        swept = addSwept(swept, await startDue(deps));
        deps.progress.requireAlive();
        deps.progress.report();
        await deps.wait(INTERVALS.webhooksPollMs);
      } while (deps.now().getTime() < endsAt);
      return swept;
    },
  };
}

/** Events that cannot be published for now stay in their document, and delay no others. */
async function publish(deps: WebhookSweepDeps): Promise<void> {
  await forEachConcurrently(await deps.events.find(), PUBLISHED_AT_ONCE, async (emitted) => {
    deps.progress.requireAlive();
    try {
      for (const event of emitted.events) await createDeliveries(deps, event);
      await deps.events.clear(emitted);
    } catch {
      // The next look finds it again.
    }
    deps.progress.report();
  });
}

/** A delivery to each webhook that is to be told. The body is written once: repeats send the same. */
async function createDeliveries(deps: WebhookSweepDeps, event: ServiceEvent): Promise<void> {
  const { accountId, id: eventId, type, data } = event;
  for (const { webhookId, events, format, disabledAt } of await deps.webhooks.list(accountId)) {
    const isTold =
      type === TEST_EVENT
        ? data['webhookId'] === webhookId
        : disabledAt === null && events.includes(type);
    if (!isTold) continue;
    const body = writeBody(event, format, deps.dashboardUrl);
    await deps.deliveries.insert({ accountId, webhookId, eventId, type, body }, deps.now());
  }
}

function startDue(deps: WebhookSweepDeps): Promise<Swept<Outcome>> {
  const { deliveries, webhookCommands, now } = deps;
  return sweepDue({
    now,
    outcomes: OUTCOMES,
    findDue: deliveries.findDue,
    toDue: ({ eventId, webhookId, nextAttemptAt }) => ({
      id: `${eventId}/${webhookId}`,
      nextAttemptAt,
    }),
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
