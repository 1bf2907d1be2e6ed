import { StoreError } from '../adapters/object-store/errors.ts';
import { CATALOGUE, type StoreLocation } from '../domain/catalogue.ts';
import { AppError } from '../domain/errors.ts';

/**
 * Asks a customer's store something on behalf of a caller who waits.
 *
 * @throws AppError `provider_error` that names the provider and says why, in plain words.
 */
export async function withStoreErrors<T>(
  { provider }: StoreLocation,
  ask: () => Promise<T>,
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new AppError(
      'provider_error',
      `${CATALOGUE[provider].title} (${provider}): ${error.message}.`,
      {
        cause: error,
      },
    );
  }
}
