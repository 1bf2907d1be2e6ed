import { bucketOperations } from './buckets.ts';
import type { Operation } from './call.ts';
import { objectOperations } from './objects.ts';

/** All that the double's S3 can do. The first that matches is taken. */
export const OPERATIONS: readonly Operation[] = [...bucketOperations, ...objectOperations];
