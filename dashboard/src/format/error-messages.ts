import { StorageRoutingError } from '@storage-routing/client';

/** What is wrong, and what the reader can do. */
export type Advice = readonly [title: string, advice: string];

const ERRORS: Readonly<Record<string, Advice>> = {
  rate_limited: [
    'Too many requests',
    'The account has made too many requests in the last minute. This page retries automatically.',
  ],
  plan_limit: ['Your plan does not allow this', 'See the limits of your plan under Plan.'],
  provider_in_use: [
    'This store is in use',
    'A pending upload, a running migration or a connection for audits uses it or one of its former places. Wait for it to end, cancel it, or disconnect it.',
  ],
  too_many_places: [
    'Too many former places',
    'There are already fifty. Delete the files of one of them, or wait for its migrations to end.',
  ],
  provider_not_configured: ['This store is not configured', 'Add it first.'],
  provider_not_usable: [
    'This store cannot be the target',
    'See the reason below. Test the store under Providers, then try again.',
  ],
  target_prefix_taken: [
    'This place belongs to another migration',
    'A migration from another source already writes to it. Choose another prefix or bucket.',
  ],
  migration_running: [
    'A migration of these objects is running',
    'Wait until it or its release check has ended, then try again.',
  ],
  relocation_running: [
    'A relocation from this place is running',
    'Follow it under Migrations, and try again once its files are moved.',
  ],
  relocation_not_found: ['Relocation not found', 'The link may belong to another account.'],
  drill_running: [
    'An exit drill of this place is running',
    'Wait until it has ended, then try again.',
  ],
  drill_not_found: ['Exit drill not found', 'The link may belong to another account.'],
  quote_exceeded: [
    'It would cost more than you allowed',
    'Nothing was copied. Look at the new estimate, then try again.',
  ],
  recommendation_not_approvable: ['The service cannot carry this out', 'See the reason below.'],
  recommendation_not_open: [
    'This recommendation is no longer open',
    'It was approved for another store, it has expired, or a newer audit has replaced it.',
  ],
  recommendation_not_found: [
    'Recommendation not found',
    'The link may belong to another account, or to an audit that has been deleted.',
  ],
  migration_not_found: ['Migration not found', 'The link may belong to another account.'],
  provider_error: [
    'The store refused the request or did not answer',
    'Test the store, and compare the bucket and the key here with those in its console.',
  ],
  role_not_assumable: [
    'The service cannot use this role',
    'Compare its trust policy and permissions with those that the service needs.',
  ],
  role_already_connected: [
    'This role is already connected to another account of the service',
    'Disconnect it there, or create another role for this account.',
  ],
  scan_already_running: [
    'An audit of this account is running',
    'Wait until it has ended. Only one audit of an account runs at a time.',
  ],
  listing_unsorted: [
    'The store does not list its keys in order',
    'This store cannot be audited, because an audit relies on the order of the keys.',
  ],
  scan_not_found: [
    'Audit not found',
    'The link may belong to another account, or the audit has been deleted.',
  ],
  connection_not_found: [
    'This account or store is not connected',
    'Connect it, then start the audit again.',
  ],
  too_many_webhooks: [
    'This account already has ten webhooks',
    'Remove one that you no longer need.',
  ],
  webhook_not_found: ['Webhook not found', 'It has been removed.'],
  unauthorized: ['This key is not valid', 'Use the latest key, or rotate it.'],
  no_providers_configured: [
    'No store is configured',
    'Add one under Providers, then upload again.',
  ],
  file_not_found: [
    'File not found',
    'This account has no such file. Check the link, or look for the file under Usage.',
  ],
  file_expired: [
    'This upload has expired',
    'It took too long to send the file. Discard the upload and start again.',
  ],
  upload_to_provider_failed: [
    'The store did not accept the file',
    'Test the store under Providers, then resume the upload.',
  ],
  no_subscription: [
    'There is no subscription yet',
    'Buy a plan first. Its invoices and payment method will then be here.',
  ],
  billing_not_configured: [
    'Plans cannot be bought on this deployment',
    'The operator has not configured billing. Ask the operator for another plan.',
  ],
  invalid_request: ['The request is not valid', ''],
  unavailable: [
    'The service is unavailable',
    'One of its servers is not answering. Try again in a minute.',
  ],
  internal_error: [
    'Something went wrong in the service',
    'Try again. If the problem persists, give the request id to the operator.',
  ],
};

const NO_CONNECTION: Advice = [
  'The service cannot be reached',
  'Check your connection and try again. Nothing has been lost.',
];
const NO_CONNECTION_CODES = new Set(['connection_failed', 'connection_lost', 'timeout']);

/** Undefined for an unknown code: the message is shown alone. */
export function errorMessage(code: string): Advice | undefined {
  return NO_CONNECTION_CODES.has(code) ? NO_CONNECTION : ERRORS[code];
}

/** What is wrong with single fields of a body, by the field's name: forms show it there. */
export function fieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof StorageRoutingError)) return {};
  return Object.fromEntries(
    (error.details ?? []).map(({ path, message }) => [path.slice(1), message]),
  );
}

/** What an error says, without the call that it begins with. */
export function errorDetail(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/^(?:GET|POST|PUT|DELETE) \S+(?: \d{3})?: /, '');
}
