import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { BillingEvent } from '../../../adapters/billing/billing.ts';
import type { Records } from '../../../adapters/mongo/records.ts';
import { createLogger } from '../../../adapters/telemetry/logger.ts';
import { processBillingEvent } from '../../../operations/billing/events.ts';
import type { SubscriptionChange } from '../../../domain/accounts/subscription.ts';
import { freshId, NOW, testDatabase, race } from './database.ts';
import { overriding } from '../../harness/overriding.ts';

type Ports = Pick<Records, 'accounts' | 'billingEvents'>;

describe('the taking in of billing events', () => {
  const database = testDatabase();
  let accountId: string;
  beforeEach(async () => {
    accountId = freshId('account');
    await database.records.accounts.findOrCreate(accountId, 'free', NOW);
  });

  const take = (event: BillingEvent, ports: Partial<Ports> = {}) =>
    processBillingEvent(
      {
        ...database.records,
        ...ports,
        // Each event has a second of its own.
        billing: { readSubscription: () => assert.fail('Stripe is asked') },
        now: () => new Date(),
        log: createLogger('test', 'silent'),
      },
      event,
    );
  const eventOf = (seconds: number, fields: Partial<SubscriptionChange> = {}): BillingEvent => {
    const eventId = `evt_${randomUUID()}`;
    const happenedAt = new Date(NOW.getTime() + seconds * 1_000);
    return {
      eventId,
      type: 'customer.subscription.updated',
      about: 'subscription',
      accountId,
      customerId: `cus_${accountId}`,
      priceIds: [],
      change: {
        eventId,
        kind: 'updated',
        happenedAt,
        subscriptionId: 'sub_1',
        status: 'active',
        plan: 'growth',
        ...fields,
      },
    };
  };
  const account = async () =>
    (await database.records.accounts.findAccount(accountId)) ?? assert.fail('no account');
  const die = () => Promise.reject(new Error('the process died'));

  const deaths: Record<string, () => Partial<Ports>> = {
    'before the account is read': () => ({
      accounts: overriding(database.records.accounts, { findAccount: die }),
    }),
    'before the account is written': () => ({
      accounts: overriding(database.records.accounts, { saveSubscription: die }),
    }),
    'between the account and the event': () => ({
      billingEvents: overriding(database.records.billingEvents, { settle: die }),
    }),
  };
  for (const [when, portsOf] of Object.entries(deaths)) {
    it(`goes on where a process died ${when}`, async () => {
      const event = eventOf(0);
      await assert.rejects(take(event, portsOf()), /died/);
      const { isSettled } = await database.records.billingEvents.receive(event, NOW);
      assert.equal(isSettled, false);
      await race(5, () => take(event));
      const { plan, billing } = await account();
      assert.deepEqual([plan, billing?.revision], ['growth', 1]);
      const known = await database.records.billingEvents.receive(event, NOW);
      assert.equal(known.isSettled, true);
      await take(event, { accounts: overriding(database.records.accounts, { findAccount: die }) });
    });
  }

  it('loses none of 40 at once, of four subscriptions', async () => {
    const events = Array.from({ length: 40 }, (_, index) =>
      eventOf(index, {
        subscriptionId: `sub_${index % 4}`,
        status: index < 36 ? 'active' : 'unpaid',
        plan: index % 2 === 0 ? 'starter' : 'growth',
      }),
    );
    await race(40, (index) => take(events[(index * 11) % 40] ?? assert.fail()));
    const { plan, billing } = await account();
    assert.equal(plan, 'free');
    const statuses = Object.values(billing?.subscriptions ?? {}).map(({ status }) => status);
    assert.deepEqual(statuses, ['unpaid', 'unpaid', 'unpaid', 'unpaid']);
    assert.equal(billing?.customerId, `cus_${accountId}`);
  });

  it('forgets an event after 90 days, and one that comes again then changes nothing', async () => {
    const { billingEvents } = database.records;
    const stored = async () => {
      const ids = [first, later].map(({ eventId }) => eventId as never);
      return await database.db.collection('billingEvents').countDocuments({ _id: { $in: ids } });
    };
    const [first, later] = [eventOf(0), eventOf(1, { status: 'unpaid' })];
    await take(first);
    await take(later);
    const { billing } = await account();
    const daysLater = (days: number) => new Date(Date.now() + days * 86_400_000);
    await billingEvents.receive(eventOf(2), daysLater(89));
    assert.equal(await stored(), 2);
    await billingEvents.receive(eventOf(3), daysLater(91));
    assert.equal(await stored(), 0);
    await take(first);
    assert.deepEqual((await account()).billing, billing);
  });

  it('keeps the first customer of an account, and each customer to one account', async () => {
    const { accounts } = database.records;
    const customerId = `cus_${accountId}`;
    for (const each of [customerId, 'cus_late']) await accounts.setCustomer(accountId, each);
    assert.equal((await account()).billing?.customerId, customerId);
    const other = freshId('account');
    await accounts.findOrCreate(other, 'free', NOW);
    await accounts.setCustomer(other, customerId);
    assert.equal((await accounts.findAccount(other))?.billing, undefined);
    assert.equal((await accounts.findByCustomer(customerId))?.accountId, accountId);
  });
});
