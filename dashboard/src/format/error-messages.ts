import { StorageRoutingError } from '@storage-routing/client';

interface ErrorMessage {
  readonly title: string;
  /** What the reader can do. */
  readonly advice: string;
}

const ERRORS: Readonly<Record<string, ErrorMessage>> = {
  rate_limited: {
    title: 'Too many requests',
    advice:
      'The account has made too many requests in the last minute. This page retries automatically.',
  },
  plan_limit: {
    title: 'Your plan does not allow this',
    advice: 'See the limits of your plan under Plan.',
  },
  provider_in_use: {
    title: 'This store is in use',
    advice:
      'A pending upload, a running migration or a connection for audits uses it or one of its former places. Wait for it to end, cancel it, or disconnect it.',
  },
  too_many_places: {
    title: 'Too many former places',
    advice:
      'There are already fifty. Delete the files of one of them, or wait for its migrations to end.',
  },
  provider_not_configured: { title: 'This store is not configured', advice: 'Add it first.' },
  provider_not_usable: {
    title: 'This store cannot be the target',
    advice: 'See the reason below. Test the store under Providers, then approve again.',
  },
  target_prefix_taken: {
    title: 'This place belongs to another migration',
    advice:
      'A migration from another source already writes to it. Choose another prefix or bucket.',
  },
  migration_running: {
    title: 'A migration of these objects is running',
    advice: 'Wait until it or its release check has ended, then try again.',
  },
  recommendation_not_approvable: {
    title: 'The service cannot carry this out',
    advice: 'See the reason below.',
  },
  recommendation_not_open: {
    title: 'This recommendation is no longer open',
    advice: 'It was approved for another store, it has expired, or a newer audit has replaced it.',
  },
  recommendation_not_found: {
    title: 'Recommendation not found',
    advice: 'The link may belong to another account, or to an audit that has been deleted.',
  },
  migration_not_found: {
    title: 'Migration not found',
    advice: 'The link may belong to another account.',
  },
  provider_error: {
    title: 'The store refused the request or did not answer',
    advice: 'Test the store, and compare the bucket and the key here with those in its console.',
  },
  role_not_assumable: {
    title: 'The service cannot use this role',
    advice: 'Compare its trust policy and permissions with those that the service needs.',
  },
  role_already_connected: {
    title: 'This role is already connected to another account of the service',
    advice: 'Disconnect it there, or create another role for this account.',
  },
  scan_already_running: {
    title: 'An audit of this account is running',
    advice: 'Wait until it has ended. Only one audit of an account runs at a time.',
  },
  listing_unsorted: {
    title: 'The store does not list its keys in order',
    advice: 'This store cannot be audited, because an audit relies on the order of the keys.',
  },
  scan_not_found: {
    title: 'Audit not found',
    advice: 'The link may belong to another account, or the audit has been deleted.',
  },
  connection_not_found: {
    title: 'This account or store is not connected',
    advice: 'Connect it, then start the audit again.',
  },
  too_many_webhooks: {
    title: 'This account already has ten webhooks',
    advice: 'Remove one that you no longer need.',
  },
  webhook_not_found: {
    title: 'Webhook not found',
    advice: 'It has been removed.',
  },
  unauthorized: {
    title: 'This key is not valid',
    advice: 'Use the latest key, or rotate it.',
  },
  no_providers_configured: {
    title: 'No store is configured',
    advice: 'Add one under Providers, then upload again.',
  },
  file_not_found: {
    title: 'File not found',
    advice: 'This account has no such file. Check the link, or look for the file under Usage.',
  },
  file_expired: {
    title: 'This upload has expired',
    advice: 'It took too long to send the file. Discard the upload and start again.',
  },
  upload_to_provider_failed: {
    title: 'The store did not accept the file',
    advice: 'Test the store under Providers, then resume the upload.',
  },
  no_subscription: {
    title: 'There is no subscription yet',
    advice: 'Buy a plan first. Its invoices and payment method will then be here.',
  },
  billing_not_configured: {
    title: 'Plans cannot be bought on this deployment',
    advice: 'The operator has not configured billing. Ask the operator for another plan.',
  },
  invalid_request: { title: 'The request is not valid', advice: '' },
  unavailable: {
    title: 'The service is unavailable',
    advice: 'One of its servers is not answering. Try again in a minute.',
  },
  internal_error: {
    title: 'Something went wrong in the service',
    advice: 'Try again. If the problem persists, give the request id to the operator.',
  },
};

const NO_CONNECTION: ErrorMessage = {
  title: 'The service cannot be reached',
  advice: 'Check your connection and try again. Nothing has been lost.',
};
const NO_CONNECTION_CODES = new Set(['connection_failed', 'connection_lost', 'timeout']);

/** Undefined for an unknown code: the message is shown alone. */
export function errorMessage(code: string): ErrorMessage | undefined {
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
