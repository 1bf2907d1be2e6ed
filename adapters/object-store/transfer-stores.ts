import type { StoreLocation } from '../../domain/provider/catalogue.ts';
import type { StoreCredentials } from '../vault/vault.ts';
import { openBucket, type BucketDeps } from './bucket-connection.ts';
import type { TransferStore } from './transfer-store.ts';
import { createTransferReads } from './transfer-reads.ts';
import { createTransferUploads } from './transfer-uploads.ts';
import { createTransferWrites } from './transfer-writes.ts';

export type OpenTransferStore = (
  location: StoreLocation,
  credentials: StoreCredentials,
) => TransferStore;

/** Gives the function that opens customers' buckets for copying. Opening sends nothing. */
export function createTransferStores(deps: BucketDeps): OpenTransferStore {
  return (location, credentials) => {
    const bucket = openBucket(deps, location, credentials);
    return {
      ...createTransferReads(bucket.send),
      ...createTransferWrites(bucket.send),
      ...createTransferUploads(bucket),
    };
  };
}
