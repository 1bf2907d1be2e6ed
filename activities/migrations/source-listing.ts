import type { ListedEntry } from '../../adapters/object-store/list-answers.ts';
import { compareKeys } from '../../domain/inventory/key-order.ts';
import { MigrationStopError } from '../../domain/migrations/stop.ts';

/** Only an ordered listing shows what is not there. @throws MigrationStop `provider_error` */
export function requireOrder(entries: readonly ListedEntry[], after: string | null): void {
  let previous = after;
  for (const { key } of entries) {
    if (previous !== null && compareKeys(key, previous) <= 0)
      throw new MigrationStopError(
        'provider_error',
        'The source does not list its objects in order.',
      );
    previous = key;
  }
}
