import { ACCOUNT_EXAMPLES } from './account.ts';
import { ANALYTICS_EXAMPLES } from './analytics.ts';
import { BILLING_EXAMPLES } from './billing.ts';
import type { Examples } from './example.ts';
import { MIGRATION_EXAMPLES } from './migrations.ts';
import { SCANNER_EXAMPLES } from './scanner.ts';
import { UPLOAD_EXAMPLES } from './uploads.ts';

/** One example for each call of the interface. */
export const EXAMPLES: Examples = {
  ...ACCOUNT_EXAMPLES,
  ...SCANNER_EXAMPLES,
  ...MIGRATION_EXAMPLES,
  ...UPLOAD_EXAMPLES,
  ...ANALYTICS_EXAMPLES,
  ...BILLING_EXAMPLES,
};
