import { CATALOGUE, type StoreLocation } from '../../domain/provider/catalogue.ts';
import { AppError } from '../../domain/common/errors.ts';
import type { StoreError } from './errors.ts';

/** The failure of a customer's store as callers see it: `provider_error`, with provider and reason. */
export function toProviderError({ provider }: StoreLocation, error: StoreError): AppError {
  const message = `${CATALOGUE[provider].title} (${provider}): ${error.message}.`;
  return new AppError('provider_error', message, { cause: error });
}
