import { withDeadline } from '../http/deadline.ts';
import { StorageRoutingError } from '../http/errors.ts';
import type { Settings } from '../http/settings.ts';
import { connectionError } from '../http/transport.ts';
import type { PutSource } from '../source/types.ts';
import { goesInOnePiece, measuredBody } from './body.ts';

interface PutInput {
  presignedUrl: string;
  requiredHeaders: Readonly<Record<string, string>>;
  source: PutSource;
  /** How many PUTs share the connection. */
  parallel: number;
  /** The operation, for messages. */
  what: string;
  /** Called with the bytes passed to the network so far. If it throws, the PUT is stopped. */
  onMoved: (sentBytes: number) => void;
  signal: AbortSignal | undefined;
  requestId: string;
}

/**
 * The outcome of a PUT.
 *
 * | the store answered | outcome |
 * |---|---|
 * | 2xx | `stored` |
 * | 4xx | `refused`: nothing was stored |
 * | 5xx, a redirect, no answer, or a timeout | `uncertain`: the object may be stored |
 * | 400 `RequestTimeout` | `uncertain`: the connection stalled on the store's side |
 */
export type PutOutcome =
  { kind: 'stored' } | { kind: 'refused' | 'uncertain'; error: StorageRoutingError };

/** A body sent in one piece shows no progress; this minimum rate of the connection sets its time limit. */
const SLOWEST_BYTES_PER_MS = 64;

/**
 * Sends the bytes to the store, once. The URL never appears in an error.
 *
 * @throws StorageRoutingError `aborted`, and `source_…` where the source is not as announced.
 */
export async function putBytes(settings: Settings, input: PutInput): Promise<PutOutcome> {
  const { source, parallel, what, signal, requestId } = input;
  const whatItTakesMs = goesInOnePiece(source)
    ? Math.ceil((source.sizeBytes * parallel) / SLOWEST_BYTES_PER_MS)
    : 0;
  const timeoutMs = Math.min(settings.stallTimeoutMs + whatItTakesMs, 2 ** 31 - 1);
  const limits = { signal, timeoutMs, what, requestId };
  try {
    return await withDeadline(limits, async (deadline) => {
      try {
        return await send(settings, input, deadline.signal, deadline.restart);
      } finally {
        // A store may refuse before it has read the body: stop sending.
        deadline.stop();
      }
    });
  } catch (error) {
    const isOpen = error instanceof StorageRoutingError && UNCERTAIN_CODES.has(error.code);
    if (!isOpen) throw error;
    return { kind: 'uncertain', error };
  }
}

const UNCERTAIN_CODES = new Set<string>(['timeout', 'connection_failed', 'connection_lost']);

async function send(
  settings: Settings,
  input: PutInput,
  signal: AbortSignal,
  onAlive: () => void,
): Promise<PutOutcome> {
  const { source, what, requestId } = input;
  const measured = await measuredBody(source, signal, (sentBytes) => {
    onAlive();
    input.onMoved(sentBytes);
  });
  const init: RequestInit & { duplex: 'half'; window: null } = {
    method: 'PUT',
    headers: headersOf(input.requiredHeaders, measured.contentLength),
    body: measured.body,
    // Together these two declare that the body is never replayed. Otherwise fetch clones the request with its stream, and
    // the unread branch keeps the whole file in memory (https://fetch.spec.whatwg.org, HTTP-network-or-cache fetch,
    // step 1; undici 6.24, lib/web/fetch/index.js). A store that redirects has stored nothing.
    redirect: 'error',
    window: null,
    duplex: 'half',
    signal,
  };
  try {
    const response = await settings.fetch(input.presignedUrl, init);
    if (response.ok) {
      await response.arrayBuffer().catch(() => undefined);
      return { kind: 'stored' };
    }
    const code = await storeCode(response);
    const isUncertain = response.status >= 500 || code === 'RequestTimeout';
    const error = refusalError(what, response.status, code, requestId);
    return { kind: isUncertain ? 'uncertain' : 'refused', error };
  } catch (error) {
    throw measured.failure() ?? connectionError(what, requestId, error);
  }
}

/** The signed headers, and none that the runtime sets itself: a duplicate header would be refused. */
function headersOf(
  required: Readonly<Record<string, string>>,
  contentLength: string | undefined,
): Record<string, string> {
  const own = Object.entries(required).filter(
    ([name]) => !['host', 'content-length'].includes(name.toLowerCase()),
  );
  return Object.fromEntries(
    contentLength === undefined ? own : [...own, ['Content-Length', contentLength]],
  );
}

function refusalError(
  what: string,
  status: number,
  storeCode: string | undefined,
  requestId: string,
): StorageRoutingError {
  const reason = storeCode === undefined ? '' : ` (${storeCode})`;
  return new StorageRoutingError({
    code: 'upload_to_provider_failed',
    message: `${what}: the store answered with ${status}${reason}`,
    status,
    requestId,
  });
}

/**
 * The code in a store's XML error, for example `SignatureDoesNotMatch`. Letters only: the rest of the document repeats
 * the signed request.
 */
async function storeCode(response: Response): Promise<string | undefined> {
  try {
    return /<Code>([A-Za-z]{1,64})<\/Code>/.exec(await response.text())?.[1];
  } catch {
    return undefined;
  }
}
