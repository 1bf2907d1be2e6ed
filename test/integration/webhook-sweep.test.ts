import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { WebhookContext } from '../../activities/contexts.ts';
import { createWebhookSweepActivities } from '../../activities/webhooks/sweep.ts';
import type { DeliveryInput } from '../../messages/webhook.ts';
import { describeActivity } from '../../domain/accounts/activity.ts';
import { addSeconds } from '../../domain/common/time.ts';
import { webhookTest } from '../../domain/webhooks/event.ts';
import { emitting } from '../../adapters/mongo/common/outbox.ts';
import { freshId, NOW, testDatabase } from './adapters/database.ts';
import { unreported } from '../harness/progress.ts';
import { stubbed } from '../harness/stubbed.ts';

const EVENTS = 300;
const DELIVERIES = 600;
const PAGE = { limit: 10, offset: 0 };

describe('the sweep of the webhooks', () => {
  const database = testDatabase('test');

  /** One look at a time: what it started, how often it reported, and how often it read the webhooks of an account. */
  async function lookAt(at: Date) {
    const started: DeliveryInput[] = [];
    const lists: string[] = [];
    let reports = 0;
    let looks = 0;
    const { webhooks } = database.records;
    const swept = await createWebhookSweepActivities(
      stubbed<WebhookContext>({
        ...database.records,
        webhooks: {
          listWebhooks(accountId) {
            lists.push(accountId);
            return webhooks.listWebhooks(accountId);
          },
        },
        webhookCommands: { deliver: async (input) => void started.push(input) },
        dashboardUrl: undefined,
        now: () => (looks > 0 ? addSeconds(at, 61) : at),
        wait: async () => void (looks += 1),
        progress: {
          ...unreported,
          report() {
            reports += 1;
          },
        },
      }),
    ).sweepWebhooks();
    const startedOf = (accountId: string) =>
      started.filter((each) => each.accountId === accountId).length;
    return { swept, startedOf, lists, reports };
  }

  async function added(accountId = freshId('account')) {
    const webhookId = randomUUID();
    const person = { subject: 'p', name: 'P' };
    const activity = describeActivity(
      { accountId, person, requestId: 'r' },
      'webhook.added',
      webhookId,
      NOW,
    );
    const secret = { keyId: 'k', nonce: '', ciphertext: '', tag: '' };
    const url = 'https://example.com/hook';
    await database.records.webhooks.addWebhook(
      accountId,
      {
        webhookId,
        url,
        events: ['scan.completed'],
        format: 'standard',
        secret,
        createdAt: NOW,
        disabledAt: null,
      },
      activity,
    );
    return { accountId, webhookId };
  }
  async function hooked(accountId?: string) {
    const it = await added(accountId);
    await database.records.activities.publish('webhooks', it.accountId);
    return it;
  }
  type Hooked = Awaited<ReturnType<typeof hooked>>;

  /** However many. */
  const emit = async ({ accountId: _id, webhookId }: Hooked) => {
    const event = webhookTest(_id, webhookId, NOW);
    await database.db.collection<{ _id: string }>('webhooks').updateOne({ _id }, emitting([event]));
  };
  const due = async (it: Hooked, count: number) => {
    for (let at = 0; at < count; at += 1)
      await database.records.deliveries.insertDelivery(
        { ...it, eventId: randomUUID(), type: 'scan.completed', body: '{}' },
        addSeconds(NOW, -at),
      );
  };
  const deliveriesOf = ({ accountId }: Hooked) =>
    database.db.collection('webhookDeliveries').countDocuments({ accountId });
  const eventsLeft = async ({ accountId: _id }: Hooked) => {
    const webhooks = database.db.collection<{ _id: string; outbox?: unknown[] }>('webhooks');
    return (await webhooks.findOne({ _id }))?.outbox?.length ?? 0;
  };

  it('takes to the log, once, what a process has left that died after the change', async () => {
    const { accountId, webhookId } = await added();
    const listed = async () =>
      await database.records.activities.listActivities(accountId, new Date(0), PAGE);
    assert.equal((await listed()).total, 0);
    await Promise.all([lookAt(NOW), database.records.activities.publish('webhooks', accountId)]);
    const { items } = await listed();
    assert.deepEqual(
      items.map(({ action, on }) => [action, on]),
      [['webhook.added', webhookId]],
    );
    assert.ok(items.every((item) => !('kind' in item)));
  });

  it(`publishes 20 of ${EVENTS} events of one document, and those of others, and reads the webhooks of each once`, async () => {
    const [many, one] = [await hooked(), await hooked()];
    for (let count = 0; count < EVENTS; count += 1) await emit(many);
    await emit(one);
    const { lists, reports } = await lookAt(NOW);
    assert.deepEqual([await deliveriesOf(many), await deliveriesOf(one)], [20, 1]);
    assert.equal(await eventsLeft(many), EVENTS - 20);
    assert.deepEqual(lists.toSorted(), [many.accountId, one.accountId].toSorted());
    assert.ok(reports >= 21, `${reports} reports`);
    for (let look = 1; look < EVENTS / 20; look += 1) await lookAt(NOW);
    assert.deepEqual([await deliveriesOf(many), await eventsLeft(many)], [EVENTS, 0]);
  });

  it(`starts eight of ${DELIVERIES} deliveries of an account at once, and all of another one`, async () => {
    const [many, few] = [await hooked('account-a'), await hooked('account-b')];
    await due(many, DELIVERIES);
    await due(few, 3);
    const first = await lookAt(NOW);
    assert.deepEqual([first.startedOf('account-a'), first.startedOf('account-b')], [8, 3]);
    const second = await lookAt(addSeconds(NOW, 1));
    assert.equal(second.startedOf('account-a'), 0, 'none has ended');
    const { deliveries } = database.records;
    const taken = await database.db
      .collection<{ _id: string; eventId: string }>('webhookDeliveries')
      .find({ takenOf: 'account-a' })
      .toArray();
    assert.equal(taken.length, 8);
    for (const { eventId } of taken.slice(0, 2)) {
      const delivery = (await deliveries.findDelivery({ ...many, eventId })) ?? assert.fail();
      const ended = { status: 'delivered', nextAttemptAt: null, disables: null } as const;
      await deliveries.settle(delivery, { status: 204, error: null }, ended, NOW);
    }
    const third = await lookAt(addSeconds(NOW, 2));
    assert.equal(third.startedOf('account-a'), 2);
    const fourth = await lookAt(addSeconds(NOW, 120));
    assert.equal(fourth.startedOf('account-a'), 8, 'those whose worker died count no more');
  });
});
