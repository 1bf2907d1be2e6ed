import { ACCOUNT_EXAMPLES, ANALYTICS_EXAMPLES } from './account/examples.ts';
import { BILLING_EXAMPLES } from './billing/examples.ts';
import type { Examples } from './http/examples.ts';
import { MIGRATION_EXAMPLES } from './migrations/examples.ts';
import { SCANNER_EXAMPLES } from './scans/examples.ts';
import { UPLOAD_EXAMPLES } from './uploads/examples.ts';

/** One example for each call of the interface. */
export const EXAMPLES: Examples = {
  ...ACCOUNT_EXAMPLES,
  ...SCANNER_EXAMPLES,
  ...MIGRATION_EXAMPLES,
  ...UPLOAD_EXAMPLES,
  ...ANALYTICS_EXAMPLES,
  ...BILLING_EXAMPLES,
};
