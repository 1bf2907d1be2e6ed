import { StoreError } from '../../adapters/object-store/errors.ts';
import { CATALOGUE, type StoreLocation } from '../../domain/catalogue.ts';
import { AppError } from '../../domain/errors.ts';

/**
 * Runs a call to a customer's store and explains its failure to the caller.
 *
 * @throws AppError `provider_error`; its message names the provider and the reason.
 */
export async function withStoreErrors<T>(
  { provider }: StoreLocation,
  call: () => Promise<T>,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const message = `${CATALOGUE[provider].title} (${provider}): ${error.message}.`;
    throw new AppError('provider_error', message, { cause: error });
  }
}
