import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { toCredentials } from '../../../dev/first-account.ts';
import type { Stack } from '../../../dev/stack.ts';
import { localServers, localService } from '../../servers.ts';
import {
  assertRefused,
  createCustomer,
  type Answer,
  type Customer,
} from '../../harness/customer.ts';

const REFUSED = { status: 502, code: 'provider_error' };

describe('a store that refuses', () => {
  let stack: Stack;
  let baseUrl: string;

  before(async () => {
    ({ stack } = await localServers());
    ({ baseUrl } = await localService());
  });

  const save = async (
    customer: Customer,
    provider: 'aws' | 'r2',
    changes: Record<string, string> = {},
  ): Promise<Answer> =>
    await customer.manage('POST /v1/providers', {
      ...toCredentials(provider, stack.environment),
      ...changes,
    });

  for (const provider of ['r2', 'aws'] as const) {
    for (const [what, changes] of [
      ['the secret', () => ({ secretAccessKey: randomBytes(20).toString('hex') })],
      [
        'the key id',
        () => ({ accessKeyId: `AKIA${randomBytes(8).toString('hex').toUpperCase()}` }),
      ],
    ] as const) {
      it(`${what} of ${provider} is reported as refused, and the object is neither missing nor deleted`, async () => {
        const customer = await createCustomer(stack, baseUrl, [provider]);
        const { fileId } = await customer.send();
        const toDelete = await customer.send();
        assert.equal((await customer.complete(toDelete.fileId)).status, 200);
        const { body } = await customer.get(toDelete.fileId);
        assert.equal((await save(customer, provider, changes())).status, 200);
        assertRefused(await customer.complete(fileId), REFUSED, 'complete');
        const deleted = await customer.delete(toDelete.fileId);
        assert.equal(deleted.status, 202, deleted.text);
        // The URL was signed before, and still works: the object has to be there.
        assert.equal((await fetch(String(body['downloadUrl']))).status, 200);
        assert.equal((await save(customer, provider)).status, 200);
        assert.equal((await customer.complete(fileId)).status, 200);
      });
    }
  }
});
