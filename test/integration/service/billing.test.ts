import { billingEventsSuite } from './billing-events.ts';
import { openBillingHarness, type BillingHarness } from './billing-harness.ts';
import { billingPagesSuite } from './billing-pages.ts';
import { billingPlansSuite } from './billing-plans.ts';
import { billingTroubleSuite } from './billing-trouble.ts';

describe('billing', () => {
  let harness: BillingHarness;
  before(async () => {
    harness = await openBillingHarness();
  });
  after(() => harness?.close());

  billingPagesSuite(() => harness);
  billingEventsSuite(() => harness);
  billingPlansSuite(() => harness);
  billingTroubleSuite(() => harness);
});
