import assert from 'node:assert/strict';
import { toCredentials } from '../../../dev/first-account.ts';
import {
  deliver,
  subscriptionEvent,
  type BillingHarness,
  type EventOptions,
} from './billing-harness.ts';
import { bookQuota } from '../customers.ts';
import { type Answer, assertRefused, type Customer } from '../../harness/customer.ts';

const REFUSED = { status: 402, code: 'plan_limit' };

/** A plan applies from the next call on, at any process, and a smaller plan removes nothing. */
export function billingPlansSuite(harness: BillingHarness): void {
  /** Where the event does not go. */
  const elsewhere = () => harness.service.apis[1]?.url ?? '';
  const buy = (customer: Customer, event: EventOptions = {}) =>
    deliver(harness.service.baseUrl, subscriptionEvent(customer, event));
  const end = (customer: Customer) => buy(customer, { kind: 'deleted' });
  const save = async (customer: Customer, provider: 'aws' | 'r2' | 'b2') =>
    await customer.manage(
      'POST /v1/providers',
      toCredentials(provider, harness.stack.environment),
      elsewhere(),
    );
  const book = async ({ accountId }: Customer, bytes: number, uploads: number) =>
    await bookQuota(harness.database.db, accountId, { bytes, uploads });
  const requireStatus = (answer: Answer, status: number) =>
    assert.equal(answer.status, status, answer.text);

  // spec: endpoint.billing-checkout-starter
  it('a plan that was bought counts for the next upload and the next provider, until it ends', async () => {
    const customer = await harness.newCustomer(['r2', 'b2']);
    await book(customer, 10e9, 0);
    assertRefused(await customer.announce({}, elsewhere()), REFUSED);
    assertRefused(await save(customer, 'aws'), REFUSED);
    await buy(customer);
    requireStatus(await customer.announce({}, elsewhere()), 201);
    requireStatus(await save(customer, 'aws'), 200);
    await end(customer);
    assertRefused(await customer.announce({}, elsewhere()), REFUSED);
  });

  describe('a plan that has ended', () => {
    it('keeps stores and files, and refuses new ones', async () => {
      const customer = await harness.newCustomer(['r2', 'b2']);
      await buy(customer);
      requireStatus(await save(customer, 'aws'), 200);
      const kept = await customer.send({ priority: 'hot' });
      requireStatus(await customer.complete(kept.fileId), 200);
      const pending = await customer.send();
      await end(customer);

      const { body } = await customer.manage('GET /v1/providers');
      assert.equal((body['items'] as object[]).length, 3);
      requireStatus(await customer.complete(pending.fileId), 200);
      const { body: file } = await customer.get(kept.fileId);
      assert.equal((await fetch(String(file['downloadUrl']))).status, 200);
      for (const provider of ['aws', 'r2', 'b2'] as const)
        requireStatus(await save(customer, provider), 200);
      const used = new Set<unknown>();
      for (const priority of ['hot', 'cold', 'archive'] as const)
        used.add((await customer.announce({ priority })).body['provider']);
      assert.ok(used.size > 1, 'not one store alone stays in use');
      requireStatus(await customer.delete(kept.fileId), 200);
    });

    it('does not allow a store again that was removed', async () => {
      const customer = await harness.newCustomer(['r2', 'b2']);
      await buy(customer);
      requireStatus(await save(customer, 'aws'), 200);
      await end(customer);
      requireStatus(await customer.manage('DELETE /v1/providers/aws'), 204);
      assertRefused(await save(customer, 'aws'), REFUSED);
      requireStatus(await customer.manage('DELETE /v1/providers/b2'), 204);
      requireStatus(await save(customer, 'aws'), 200);
    });
  });
}
