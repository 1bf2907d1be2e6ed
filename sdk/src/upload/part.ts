import { notify, StorageRoutingError } from '../http/errors.ts';
import { throwIfAborted } from '../http/deadline.ts';
import { mayRepeat, waitBeforeRepeat } from '../http/retry.ts';
import type { PutSource } from '../source/types.ts';
import type { SendContext } from './context.ts';
import type { PartUrls } from './part-urls.ts';
import type { PartsProgress } from './progress.ts';
import { putBytes } from './put.ts';

/** One part, with what its sending shares with the other parts. */
export interface PartTransfer {
  partNumber: number;
  source: PutSource;
  urls: PartUrls;
  progress: PartsProgress;
  /** How many parts are in flight at a time. */
  parallel: number;
}

/** An upload of hours outlives an interruption of half a minute. */
const MOST_REPEATS = 8;

/** A store that refuses three times does not change its mind. */
const MOST_REPEATS_OF_REFUSED = 2;

/** Refusals that another URL, or time, may end. After a 404 the service gives the reason. */
const REPEATED_REFUSALS = new Set([403, 404, 408, 429]);

/**
 * Sends a part until the store confirms it, each time with another URL.
 *
 * | the attempt ended with | repeats |
 * |---|---|
 * | a broken connection, a timeout, a 5xx, a transient error of the service | 8, or `maxRetries` if that is more |
 * | 403 (an expired URL), 404, 408, 429 | 2 |
 * | any other refusal, an error of the source | none |
 *
 * @throws StorageRoutingError the error of the last attempt; `source_changed` rather than a failure
 *   that it explains.
 */
export async function sendPart(context: SendContext, part: PartTransfer): Promise<void> {
  const { settings, options } = context;
  for (let attempt = 0; ; attempt += 1) {
    const failure = await sendOnce(context, part, attempt);
    if (failure === undefined) return;
    part.progress.failed(part.partNumber);
    const { error, repeats } = failure;
    if (attempt >= (settings.maxRetries === 0 ? 0 : repeats)) throw error;
    await part.source.verifyUnchanged();
    const waitMs = waitBeforeRepeat(error, attempt, settings.random);
    if (waitMs === undefined) throw error;
    notify('onRetry', options.onRetry, { error, attempt: attempt + 1, waitMs }, options.requestId);
    await settings.sleep(waitMs, options.signal);
    throwIfAborted(options.signal, options.requestId);
  }
}

/** A failed attempt, and how often a part may be repeated after such a one. */
interface PartFailure {
  error: StorageRoutingError;
  repeats: number;
}

async function sendOnce(
  context: SendContext,
  { partNumber, source, urls, progress, parallel }: PartTransfer,
  attempt: number,
): Promise<PartFailure | undefined> {
  const { settings, options } = context;
  const most = Math.max(settings.maxRetries, MOST_REPEATS);
  try {
    const presignedUrl = await (attempt === 0 ? urls.take(partNumber) : urls.renew(partNumber));
    const outcome = await putBytes(context, {
      presignedUrl,
      // Nothing but the length is signed: a browser needs no further CORS rule.
      requiredHeaders: {},
      source,
      parallel,
      what: `PUT of part ${partNumber} to the store`,
      onMoved: (sentBytes) => progress.moved(partNumber, sentBytes),
      ...options,
    });
    if (outcome.kind === 'uncertain') return { error: outcome.error, repeats: most };
    if (outcome.kind === 'refused') {
      urls.forget();
      const mayHelp = REPEATED_REFUSALS.has(outcome.error.status ?? 0);
      return { error: outcome.error, repeats: mayHelp ? MOST_REPEATS_OF_REFUSED : 0 };
    }
    progress.confirmed(partNumber, source.sizeBytes);
    return undefined;
  } catch (error) {
    if (error instanceof StorageRoutingError && mayRepeat(error, 'safe')) {
      return { error, repeats: most };
    }
    throw error;
  }
}
