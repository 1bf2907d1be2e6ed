import { StoreError, toProviderError } from '../../adapters/object-store/errors.ts';
import type { StoreLocation } from '../../domain/provider/catalogue.ts';

/**
 * Runs a call to a customer's store and explains its failure to the caller.
 *
 * @throws AppError `provider_error`; its message names the provider and the reason.
 */
export async function withStoreErrors<T>(
  location: StoreLocation,
  call: () => Promise<T>,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw error instanceof StoreError ? toProviderError(location, error) : error;
  }
}
