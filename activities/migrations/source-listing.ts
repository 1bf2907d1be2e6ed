import type { ListedEntry } from '../../adapters/object-store/list-answers.ts';
import { compareKeys } from '../../domain/inventory/key-order.ts';
import { MigrationStopError } from '../../domain/migrations/stop.ts';

/** Only an ordered listing shows what is not there. @throws MigrationStop `provider_error` */
export function requireOrder(entries: readonly ListedEntry[], after: string | null): void {
  let before = after;
  for (const { key } of entries) {
    if (before !== null && compareKeys(key, before) <= 0)
      throw new MigrationStopError(
        'provider_error',
        'The source does not list its objects in order.',
      );
    before = key;
  }
}
