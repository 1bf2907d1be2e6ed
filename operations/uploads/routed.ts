import { UPLOADS_PREFIX } from '../../domain/common/file-keys.ts';
import type { Files } from '../../adapters/mongo/uploads/files.ts';
import type { StoreLocation } from '../../domain/providers/catalogue.ts';

export interface RoutedDeps {
  readonly files: Pick<Files, 'isHeldAt'>;
}

/**
 * Whether files of this service are in a bucket, below a prefix of its keys; null: anywhere in it.
 * Active files of all accounts count, and the account's own pending ones. The region does not
 * matter: it does not distinguish buckets.
 *
 * | prefix                    | covers                                    |
 * |---------------------------|-------------------------------------------|
 * | null, or of `uploads/`    | all files                                 |
 * | longer than `uploads/`    | the files whose keys begin with it        |
 * | another                   | none                                      |
 */
export async function holdsRoutedFiles(
  { files }: RoutedDeps,
  accountId: string,
  source: StoreLocation,
  prefix: string | null,
): Promise<boolean> {
  if (prefix === null || UPLOADS_PREFIX.startsWith(prefix))
    return await files.isHeldAt(accountId, source, null);
  return prefix.startsWith(UPLOADS_PREFIX) && (await files.isHeldAt(accountId, source, prefix));
}
