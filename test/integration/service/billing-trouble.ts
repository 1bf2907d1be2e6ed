import assert from 'node:assert/strict';
import { deliver, subscriptionEvent, type BillingHarness } from './billing-harness.ts';
import { type Answer, assertRefused } from '../../harness/customer.ts';

const CHECKOUT = 'POST /v1/billing/checkout';
const PORTAL = 'POST /v1/billing/portal';

/** What becomes of calls and events while Stripe is in trouble. Belongs last: it waits for one that hangs. */
export function billingTroubleSuite(harness: BillingHarness): void {
  let hung: Promise<Answer[]>;

  /** Two accounts, the second of which has a subscription, and all that they can ask for. */
  const createAskers = async () => {
    const [customer, known] = await Promise.all([harness.newCustomer(), harness.newCustomer()]);
    await deliver(harness.service.baseUrl, subscriptionEvent(known));
    const askAll = () =>
      Promise.all([
        customer.manage(CHECKOUT, { plan: 'growth' }),
        known.manage(CHECKOUT, { plan: 'growth' }),
        known.manage(PORTAL),
      ]);
    return { customer, known, askAll };
  };
  before(async () => {
    const { customer, known, askAll } = await createAskers();
    for (const { accountId } of [customer, known]) harness.stripe.hungFor.add(accountId);
    hung = askAll();
    hung.catch(() => {});
  });
  afterEach(() => {
    harness.stripe.manner = 'pass';
  });

  describe('while Stripe is in trouble', () => {
    for (const [manner, status, code] of [
      ['cut', 503, 'unavailable'],
      ['fail', 503, 'unavailable'],
      ['refuse', 500, 'internal_error'],
    ] as const) {
      it(`(${manner}) a page is refused in time and in our own words, and events go on`, async () => {
        const { customer, askAll } = await createAskers();
        harness.stripe.manner = manner;
        for (const answer of await askAll()) {
          assertRefused(answer, { status, code });
          assert.doesNotMatch(answer.text, /stripe|hunter2|sk_/i);
        }
        await deliver(harness.service.baseUrl, subscriptionEvent(customer));
        assert.equal(await harness.planOf(customer), 'growth');
        const log = (await harness.service.apis[0]?.readLog()) ?? '';
        assert.doesNotMatch(log, /hunter2/);
      });
    }

    it('(hang) a page is refused in time', async () => {
      for (const answer of await hung) assertRefused(answer, { status: 503, code: 'unavailable' });
    });
  });
}
