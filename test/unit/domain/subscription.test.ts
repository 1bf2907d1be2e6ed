import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { PlanName } from '../../../domain/accounts/plan.ts';
import * as subscription from '../../../domain/accounts/subscription.ts';
import { SUBSCRIPTION_STATUSES } from '../../../domain/accounts/subscription.ts';

type Subscription = subscription.Subscription;
type SubscriptionChange = subscription.SubscriptionChange;
type SubscriptionStatus = subscription.SubscriptionStatus;
const { applyChange, hasBought, planInForce, runningSubscriptions } = subscription;
const { isOrderUnknown, orderByPresent, sameSubscription, subscriptionState } = subscription;

const statuses = fc.constantFrom(...SUBSCRIPTION_STATUSES);
const SECOND = Date.parse('2026-11-20T12:00:00.000Z');
const PLACE =
  '2026-11-20T12:00:00.000Z 1 2026-11-20T12:00:01.000Z evt_1' as subscription.EventPlace;

/** An event of so many seconds after noon; it came so many milliseconds after noon. */
function change(seconds: number, overrides: Partial<SubscriptionChange> = {}): SubscriptionChange {
  return {
    eventId: `evt_${seconds}`,
    kind: 'updated',
    happenedAt: new Date(SECOND + seconds * 1_000),
    receivedAt: new Date(SECOND + 60_000),
    subscriptionId: 'sub_1',
    status: 'active',
    plan: 'growth',
    ...overrides,
  };
}

/** What an account knows after these events, in the order in which they came. */
function fold(changes: readonly SubscriptionChange[]): subscription.Subscriptions {
  const known: Record<string, Subscription> = {};
  for (const each of changes)
    known[each.subscriptionId] = applyChange(known[each.subscriptionId], each);
  return known;
}

const planAfter = (changes: readonly SubscriptionChange[], given: PlanName = 'free') =>
  planInForce(given, fold(changes));

describe('a subscription', () => {
  for (const [states, plan, runs, bought] of [
    ['trialing active past_due', 'growth', 1, true],
    ['unpaid paused', 'free', 1, true],
    ['incomplete incomplete_expired', 'free', 0, false],
    ['canceled', 'free', 0, true],
  ] as const)
    for (const status of states.split(' ') as SubscriptionStatus[])
      it(`that is ${status} leaves the plan at ${plan}`, () => {
        const known = fold([change(0, { status })]);
        assert.equal(planInForce('free', known), plan);
        assert.equal(runningSubscriptions(known).length, runs);
        assert.equal(hasBought(known), bought);
      });

  it('that is deleted grants nothing, and stays deleted', () => {
    const deleted = change(5, { kind: 'deleted', status: 'canceled' });
    for (const other of [change(0), change(9), change(5, { kind: 'created' })]) {
      assert.equal(planAfter([deleted, other]), 'free');
      assert.equal(planAfter([other, deleted, other]), 'free');
    }
    assert.ok(hasBought(fold([deleted])));
  });

  it('follows the latest event, not the latest delivery, and within a second the order of arrival', () => {
    const [early, late] = [change(0, { status: 'unpaid' }), change(1)];
    assert.equal(planAfter([early, late]), 'growth');
    assert.equal(planAfter([late, early]), 'growth');
    const first = change(0, { eventId: 'evt_z', receivedAt: new Date(SECOND + 1) });
    const second = { ...first, eventId: 'evt_a', receivedAt: new Date(SECOND + 2) };
    const unpaid = { status: 'unpaid' } as const;
    assert.equal(planAfter([first, { ...second, ...unpaid }]), 'free');
    assert.equal(planAfter([{ ...first, ...unpaid }, second]), 'growth');
    // The first one died on its way, and is delivered again.
    assert.equal(planAfter([{ ...second, ...unpaid }, first]), 'free');
  });

  it('follows Stripe within a second, whatever the clocks say', () => {
    const active = change(0, { eventId: 'evt_a' });
    const unpaid = change(0, { eventId: 'evt_u', status: 'unpaid' });
    const paused = change(0, { eventId: 'evt_p', status: 'paused' });
    const statusAfter = (
      events: readonly SubscriptionChange[],
      presents: readonly SubscriptionChange[],
    ) => {
      let known: Subscription | undefined;
      // Each process has a clock behind that of the one before.
      for (const [at, event] of events.entries()) {
        const late = { ...event, receivedAt: new Date(SECOND + 9 - at) };
        const present = presents[at - 1];
        assert.equal(isOrderUnknown(known, late), at > 0 && known?.status !== late.status);
        const ordered = isOrderUnknown(known, late) ? orderByPresent(known, late, present) : late;
        known = applyChange(known, ordered);
        // A repeat changes nothing, and nobody is asked again.
        if (known.status === late.status) {
          assert.ok(!isOrderUnknown(known, late));
          assert.ok(sameSubscription(known, applyChange(known, late)));
        }
      }
      return known?.status;
    };
    assert.equal(statusAfter([active, unpaid], [unpaid]), 'unpaid');
    assert.equal(statusAfter([unpaid, active], [unpaid]), 'unpaid');
    assert.equal(statusAfter([active, unpaid, paused], [unpaid, paused]), 'paused');
    assert.equal(statusAfter([paused, active, unpaid], [paused, paused]), 'paused');
    // Stripe has gone on: the event of that will follow.
    assert.equal(statusAfter([active, unpaid, paused], [paused, paused]), 'paused');
  });

  it('needs no order of Stripe where the seconds differ, or both say the same', () => {
    const known = applyChange(undefined, change(1));
    const others = [0, 2].map((seconds) => change(seconds, { status: 'unpaid' }));
    const deleted = change(1, { kind: 'deleted' });
    const created = change(1, { kind: 'created', status: 'incomplete' });
    for (const each of [...others, change(1), deleted, created])
      assert.equal(isOrderUnknown(known, each), false);
    const next = change(1, { status: 'unpaid' });
    for (const before of [undefined, applyChange(undefined, deleted)])
      assert.equal(isOrderUnknown(before, next), false);
    assert.equal(isOrderUnknown(applyChange(undefined, created), next), false);
    assert.equal(isOrderUnknown(known, next), true);
    assert.equal(isOrderUnknown(known, change(1, { plan: 'starter' })), true);
  });

  it('puts an unpaid creation before every other event of its second', () => {
    const paid = change(0, { receivedAt: new Date(SECOND + 1) });
    const incomplete = { kind: 'created', status: 'incomplete' } as const;
    const receivedAt = new Date(SECOND + 2);
    const created = change(0, { eventId: 'evt_c', ...incomplete, receivedAt });
    assert.equal(planAfter([paid, created]), 'growth');
    assert.equal(planAfter([created, paid]), 'growth');
    // One that was paid at once is like any other event.
    const starter = { ...created, status: 'active', plan: 'starter' } as const;
    assert.equal(planAfter([paid, starter]), 'starter');
  });

  it('keeps its plan on an unknown price, and takes the status', () => {
    const unknown = change(1, { plan: undefined });
    assert.equal(planAfter([change(0), unknown]), 'growth');
    assert.equal(planAfter([unknown, change(0)]), 'growth');
    assert.equal(planAfter([change(0), change(1, { plan: undefined, status: 'unpaid' })]), 'free');
    assert.equal(planAfter([unknown]), 'free');
    assert.deepEqual(runningSubscriptions(fold([unknown])), []);
  });
});

describe('the plan in force', () => {
  const of = (subscriptionId: string, overrides: Partial<SubscriptionChange>) =>
    change(0, { subscriptionId, eventId: subscriptionId, ...overrides });

  it('is the best of several subscriptions, until the last one ends', () => {
    const both = [of('sub_1', { plan: 'starter' }), of('sub_2', { plan: 'growth' })];
    assert.equal(planAfter(both), 'growth');
    const oneEnded = [...both, change(1, { subscriptionId: 'sub_2', kind: 'deleted' })];
    assert.equal(planAfter(oneEnded), 'starter');
    assert.equal(planAfter([...oneEnded, change(1, { kind: 'deleted' })]), 'free');
  });

  it('is never below the assigned plan', () => {
    for (const status of SUBSCRIPTION_STATUSES) {
      assert.equal(planAfter([of('sub_1', { status })], 'enterprise'), 'enterprise');
      assert.equal(planAfter([of('sub_1', { status, plan: 'starter' })], 'growth'), 'growth');
    }
    assert.equal(planAfter([of('sub_1', { kind: 'deleted' })], 'enterprise'), 'enterprise');
    assert.equal(planInForce('enterprise'), 'enterprise');
  });
});

describe('the subscription that an account is told of', () => {
  const of = (
    status: SubscriptionStatus | 'deleted',
    plan?: subscription.PaidPlan,
  ): Subscription => {
    if (status === 'deleted') return { status };
    return { status, statusFrom: PLACE, ...(plan && { plan, planFrom: PLACE }) };
  };
  /** In the order of the table; each is told before all below it. */
  const both = (status: SubscriptionStatus) => [row(status, 'growth'), row(status, 'starter')];
  const order: [known: Subscription, told: subscription.SubscriptionState][] = [
    ...(['growth', 'starter'] as const).flatMap((plan) =>
      (['trialing', 'active', 'past_due'] as const).map((status) => row(status, plan)),
    ),
    ...(['unpaid', 'paused', 'incomplete', 'canceled'] as const).flatMap(both),
    [of('deleted'), { status: 'canceled', plan: undefined }],
    ...both('incomplete_expired'),
  ];
  function row(
    status: SubscriptionStatus,
    plan: subscription.PaidPlan,
  ): [Subscription, subscription.SubscriptionState] {
    return [of(status, plan), { status, plan }];
  }

  it('is the first by the table, whatever the order in which they are stored', () => {
    for (const [place, [better, told]] of order.entries())
      for (const [worse] of order.slice(place)) {
        assert.deepEqual(subscriptionState({ sub_1: better, sub_2: worse }), told);
        assert.deepEqual(subscriptionState({ sub_1: worse, sub_2: better }), told);
      }
  });

  it('is none without a subscription, and none for another product', () => {
    assert.equal(subscriptionState(), undefined);
    for (const status of SUBSCRIPTION_STATUSES)
      assert.equal(subscriptionState({ sub_1: of(status) }), undefined, status);
    const sold = of('canceled', 'starter');
    assert.equal(subscriptionState({ sub_1: of('active'), sub_2: sold })?.status, 'canceled');
  });

  it('names the plan in force wherever a subscription grants one', () => {
    const known = fc.oneof(
      fc.constant(of('deleted')),
      fc
        .tuple(statuses, fc.constantFrom('starter', 'growth', undefined))
        .map(([status, plan]) => of(status, plan)),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^sub_\d$/), known), (subscriptions) => {
        const inForce = planInForce('free', subscriptions);
        const told = subscriptionState(subscriptions);
        if (inForce !== 'free') assert.equal(told?.plan, inForce);
        else assert.ok(!['trialing', 'active', 'past_due'].includes(told?.status ?? ''));
      }),
    );
  });
});

describe('the events of several subscriptions', () => {
  const events = fc
    .uniqueArray(fc.nat(1_000), { minLength: 1, maxLength: 12 })
    .chain((seconds) => fc.tuple(...seconds.map(eventAt)));
  function eventAt(seconds: number): fc.Arbitrary<SubscriptionChange> {
    return fc
      .record({
        kind: fc.constantFrom('created', 'updated', 'updated', 'updated', 'deleted'),
        status: statuses,
        plan: fc.constantFrom('starter', 'growth', undefined),
        subscriptionId: fc.constantFrom('sub_1', 'sub_2'),
        receivedAt: fc.nat(5).map((ms) => new Date(SECOND + ms)),
      })
      .map((fields) => change(seconds, fields as Partial<SubscriptionChange>));
  }
  /** All of them in some order, and some of them again. */
  const delivered = events.chain((all) =>
    fc.tuple(
      fc.constant(all),
      fc.shuffledSubarray([...all], { minLength: all.length }),
      fc.array(fc.constantFrom(...all), { maxLength: 12 }),
    ),
  );

  it('lead to one state in any order and any number of deliveries, which no further one changes', () => {
    fc.assert(
      fc.property(delivered, ([all, order, again]) => {
        const known = fold(all);
        assert.deepEqual(fold([...again, ...order]), known);
        for (const each of all) {
          const { [each.subscriptionId]: before } = known;
          assert.ok(before && sameSubscription(before, applyChange(before, each)));
        }
      }),
      { numRuns: 500 },
    );
  });
});
