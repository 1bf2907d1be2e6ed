import assert from 'node:assert/strict';
import type { AccountStores } from '../../adapters/object-store/account-stores.ts';
import { createEndpoints, type EndpointOverrides } from '../../adapters/object-store/address.ts';
import { AppError } from '../../domain/common/errors.ts';
import { catalogue } from '../unit/price-book.ts';

export { catalogue };

/** The endpoints of the catalogue's stores, with an operator's in their place. */
export const endpointsAt = (overrides: EndpointOverrides = {}) =>
  createEndpoints(catalogue, overrides);

/** A store that a test has at once. */
interface Synchronous {
  at(...place: Parameters<AccountStores['at']>): Awaited<ReturnType<AccountStores['at']>>;
}

/** The stores of an account, of which a test gives what is used. */
export function fakeAccountStores({
  at = () => assert.fail('no store is expected'),
  ...given
}: Partial<Omit<AccountStores, 'at'> & Synchronous>): AccountStores {
  return {
    at: async (...place) => at(...place),
    of: () => assert.fail('no store is expected'),
    open: () => assert.fail('no store is expected'),
    toProviderError: ({ provider }, cause) =>
      new AppError('provider_error', `${provider}: ${cause.message}.`, { cause }),
    ...given,
  };
}
