import { bucketOperations } from './buckets.ts';
import { bulkDeleteOperations } from './bulk-delete.ts';
import type { Operation } from './call.ts';
import { copyOperations } from './copy.ts';
import { listingOperations } from './listing.ts';
import { multipartOperations } from './multipart.ts';
import { objectOperations } from './objects.ts';
import { settingOperations } from './settings.ts';
import { taggingOperations } from './tagging.ts';
import { uploadListingOperations } from './upload-listing.ts';
import { versionOperations } from './version-listing.ts';

/** All operations of the double's S3. */
export const OPERATIONS: readonly Operation[] = [
  ...objectOperations,
  ...listingOperations,
  ...multipartOperations,
  ...uploadListingOperations,
  ...versionOperations,
  ...copyOperations,
  ...bulkDeleteOperations,
  ...bucketOperations,
  ...taggingOperations,
  ...settingOperations,
];
