import { opened } from '../../harness/opened.ts';
import { billingEventsSuite, billingTroubleSuite } from './billing-events.ts';
import { openBillingHarness } from './billing-harness.ts';
import { billingPagesSuite } from './billing-pages.ts';
import { billingPlansSuite } from './billing-plans.ts';

describe('billing', () => {
  const harness = opened(openBillingHarness);

  billingPagesSuite(harness);
  billingEventsSuite(harness);
  billingPlansSuite(harness);
  billingTroubleSuite(harness);
});
