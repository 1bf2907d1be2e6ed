import { StorageRoutingError } from '@storage-routing/client';

/**
 * A code of the API as words: `completed_with_failures` is `Completed with failures`. Codes of a newer service are
 * words, too; the tables in this folder only add what a reader can do.
 */
export function wordsFromCode(code: string): string {
  const words = code.replaceAll('_', ' ');
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

interface ErrorWords {
  readonly title: string;
  /** What the reader can do. */
  readonly advice: string;
}

const ERRORS: Readonly<Record<string, ErrorWords>> = {
  rate_limited: {
    title: 'Too many calls',
    advice: 'The account has made too many calls in this minute. This page tries again by itself.',
  },
  plan_limit: { title: 'Your plan does not allow this', advice: 'See your plan for its limits.' },
  provider_in_use: {
    title: 'This store is in use',
    advice:
      'A pending upload, a running migration or a connection for audits uses it, or a former place of it. Wait for it, cancel it, or disconnect it.',
  },
  too_many_places: {
    title: 'Too many former places',
    advice:
      'Fifty are kept already. Delete the files of one of them, or wait for its moves to end.',
  },
  provider_not_configured: { title: 'This store is not configured', advice: 'Add it first.' },
  provider_not_usable: {
    title: 'This store cannot be the target',
    advice: 'The reason below says why. Test the store under Providers, then approve again.',
  },
  target_prefix_taken: {
    title: 'This place belongs to another migration',
    advice: 'A migration from another source writes there. Name another prefix or another bucket.',
  },
  migration_running: {
    title: 'A migration of these objects runs',
    advice: 'Wait for its end, or for the end of its check, then try again.',
  },
  recommendation_not_approvable: {
    title: 'The service cannot carry this out',
    advice: 'The reason below says why.',
  },
  recommendation_not_open: {
    title: 'This recommendation is no longer open',
    advice: 'It was approved for another store, has expired, or a newer audit has replaced it.',
  },
  recommendation_not_found: {
    title: 'There is no such recommendation',
    advice: 'The link may be of another account, or of an audit that is gone.',
  },
  migration_not_found: {
    title: 'There is no such migration',
    advice: 'The link may be of another account.',
  },
  provider_error: {
    title: 'The store did not do what was asked',
    advice: 'Test the store, and compare its bucket and its key with what the store shows.',
  },
  role_not_assumable: {
    title: 'The role does not let the service in as it should',
    advice: 'Compare its trust policy and its permissions with those that the service needs.',
  },
  role_already_connected: {
    title: 'This role is connected by another account of the service',
    advice: 'Disconnect it there, or create another role for this account.',
  },
  scan_already_running: {
    title: 'A scan of this account is running',
    advice: 'Wait for its end; one scan of an account runs at a time.',
  },
  listing_unsorted: {
    title: 'The store does not list its keys in order',
    advice: 'It cannot be audited: a scan relies on the order of the keys.',
  },
  scan_not_found: {
    title: 'There is no such scan here',
    advice: 'The link may be of another account, or the scan is no longer kept.',
  },
  connection_not_found: {
    title: 'This account or store is not connected',
    advice: 'Connect it, then start a scan again.',
  },
  too_many_webhooks: {
    title: 'There are ten webhooks already',
    advice: 'Remove one that is not needed any more.',
  },
  webhook_not_found: {
    title: 'There is no such webhook any more',
    advice: 'It was removed meanwhile.',
  },
  unauthorized: {
    title: 'This key is not valid',
    advice: 'Use the key that was issued last, or rotate it.',
  },
  no_providers_configured: {
    title: 'No store is configured',
    advice: 'Add one under Providers, then upload again.',
  },
  file_not_found: {
    title: 'There is no such file in this account',
    advice: 'Check the link, or look for the file under Usage.',
  },
  file_expired: {
    title: 'This upload has expired',
    advice: 'Its time to send the bytes is over. Discard it, and upload the file again.',
  },
  upload_to_provider_failed: {
    title: 'The store did not take the file',
    advice: 'Test the store under Providers, then resume.',
  },
  no_subscription: {
    title: 'There is no subscription yet',
    advice: 'Buy a plan first; then its invoices and its payment method are there.',
  },
  billing_not_configured: {
    title: 'Plans cannot be bought here',
    advice: 'The operator has not configured billing. Ask the operator for another plan.',
  },
  invalid_request: { title: 'Something that was sent is not right', advice: '' },
  unavailable: {
    title: 'The service is not available at the moment',
    advice: 'One of its servers does not answer. Try again in a minute.',
  },
  internal_error: {
    title: 'Something went wrong in the service',
    advice: 'Try again. If it stays, give the request id to the operator.',
  },
};

const NO_CONNECTION: ErrorWords = {
  title: 'The service cannot be reached',
  advice: 'Check your connection. Nothing is lost; try again.',
};
const NO_CONNECTION_CODES = new Set(['connection_failed', 'connection_lost', 'timeout']);

/** Undefined for an unknown code: the message is shown alone. */
export function errorWords(code: string): ErrorWords | undefined {
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
