import { withDeadline } from '../http/deadline.ts';
import { StorageRoutingError } from '../http/errors.ts';
import type { Settings } from '../http/settings.ts';
import { connectionError } from '../http/transport.ts';
import type { Platform, StoreAnswer, WholePut } from '../source/platform.ts';
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
  signal?: AbortSignal | undefined;
  requestId: string | undefined;
}

interface PutDeps {
  settings: Pick<Settings, 'fetch' | 'stallTimeoutMs'>;
  platform: Pick<Platform, 'wholePut'>;
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

/** A body sent in one piece shows no progress; this minimum rate sets its time limit. */
const SLOWEST_BYTES_PER_MS = 64;

/**
 * Sends the bytes to the store, once. The URL never appears in an error.
 *
 * @throws StorageRoutingError `aborted`, and `source_…` if the source is not as announced.
 */
export async function putBytes(deps: PutDeps, input: PutInput): Promise<PutOutcome> {
  const { source, parallel, what, signal, requestId } = input;
  const wholePut = source.whole === undefined ? undefined : deps.platform.wholePut();
  const isSilent = wholePut === undefined && goesInOnePiece(source);
  const sendingMs = isSilent ? Math.ceil((source.sizeBytes * parallel) / SLOWEST_BYTES_PER_MS) : 0;
  const timeoutMs = Math.min(deps.settings.stallTimeoutMs + sendingMs, 2 ** 31 - 1);
  const limits = { signal, timeoutMs, what, requestId };
  try {
    return await withDeadline(limits, async (deadline) => {
      let movedBytes: number | undefined;
      const onMoved = (sentBytes: number): void => {
        deadline.restart();
        movedBytes = sentBytes;
        input.onMoved(sentBytes);
      };
      const sending = { ...input, signal: deadline.signal, onMoved };
      try {
        const answer = await (wholePut === undefined
          ? sendByFetch(deps.settings.fetch, sending)
          : sendWhole(wholePut, sending));
        const outcome = readOutcome(answer, input);
        if (outcome.kind === 'stored' && movedBytes !== source.sizeBytes) onMoved(source.sizeBytes);
        return outcome;
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

type Sending = PutInput & { signal: AbortSignal };

async function sendByFetch(send: typeof fetch, input: Sending): Promise<StoreAnswer> {
  const { source, what, signal, onMoved, requestId } = input;
  const measured = await measuredBody(source, signal, onMoved);
  const init: RequestInit & { duplex: 'half'; window: null } = {
    method: 'PUT',
    headers: buildHeaders(input.requiredHeaders, measured.contentLength),
    body: measured.body,
    // Together these two declare that the body is never replayed. Otherwise fetch clones the
    // request with its stream, and the unread branch keeps the whole file in memory
    // (https://fetch.spec.whatwg.org, HTTP-network-or-cache fetch, step 1; undici 6.24,
    // lib/web/fetch/index.js). A store that redirects has stored nothing.
    redirect: 'error',
    window: null,
    duplex: 'half',
    signal,
  };
  try {
    const response = await send(input.presignedUrl, init);
    return { status: response.status, text: await response.text().catch(() => '') };
  } catch (error) {
    throw measured.failure() ?? connectionError(what, requestId, error);
  }
}

async function sendWhole(send: WholePut, input: Sending): Promise<StoreAnswer> {
  const { presignedUrl: url, source, what, signal, onMoved, requestId } = input;
  const headers = buildHeaders(input.requiredHeaders, undefined);
  const body = source.whole ?? new Uint8Array(0);
  try {
    return await send({ url, headers, body, signal, onMoved });
  } catch (error) {
    throw error instanceof StorageRoutingError ? error : connectionError(what, requestId, error);
  }
}

function readOutcome({ status, text }: StoreAnswer, { what, requestId }: PutInput): PutOutcome {
  if (status >= 200 && status < 300) return { kind: 'stored' };
  // Letters only: the rest of the document repeats the signed request.
  const code = /<Code>([A-Za-z]{1,64})<\/Code>/.exec(text)?.[1];
  const isUncertain = status >= 500 || code === 'RequestTimeout';
  const error = new StorageRoutingError({
    code: 'upload_to_provider_failed',
    message: `${what}: the store answered with ${status}${code === undefined ? '' : ` (${code})`}`,
    status,
    requestId,
  });
  return { kind: isUncertain ? 'uncertain' : 'refused', error };
}

/** None that the runtime sets itself: a duplicate header would be refused. */
function buildHeaders(
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
