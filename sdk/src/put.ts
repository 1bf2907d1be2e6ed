import { goesInOnePiece, measuredBody, type OnProgress } from './body.ts';
import { withDeadline } from './http/deadline.ts';
import { StorageRoutingError } from './http/errors.ts';
import type { Settings } from './http/settings.ts';
import type { OpenedSource } from './source.ts';
import { connectionError } from './http/transport.ts';

interface PutInput {
  presignedUrl: string;
  requiredHeaders: Readonly<Record<string, string>>;
  source: OpenedSource;
  onProgress: OnProgress | undefined;
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
 */
export type PutOutcome =
  { kind: 'stored' } | { kind: 'refused' | 'uncertain'; error: StorageRoutingError };

/** A body sent in one piece shows no progress; this minimum rate sets its time limit. */
const SLOWEST_BYTES_PER_MS = 64;

/**
 * Sends the bytes to the store, once. The URL never appears in an error.
 *
 * @throws StorageRoutingError `aborted`, and `source_…` where the source is not as announced.
 */
export async function putBytes(settings: Settings, input: PutInput): Promise<PutOutcome> {
  const { source, signal, requestId } = input;
  const whatItTakesMs = goesInOnePiece(source)
    ? Math.ceil(source.sizeBytes / SLOWEST_BYTES_PER_MS)
    : 0;
  const timeoutMs = Math.min(settings.stallTimeoutMs + whatItTakesMs, 2 ** 31 - 1);
  const limits = { signal, timeoutMs, what: 'PUT to the store', requestId };
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
  const { source, requestId } = input;
  const totalBytes = source.sizeBytes;
  const measured = await measuredBody(source, signal, (sentBytes) => {
    onAlive();
    report(input, sentBytes, totalBytes);
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
    const kind = response.status >= 500 ? 'uncertain' : 'refused';
    return { kind, error: refusalError(response.status, await storeCode(response), requestId) };
  } catch (error) {
    throw measured.failure() ?? connectionError('PUT to the store', requestId, error);
  }
}

function report(input: PutInput, sentBytes: number, totalBytes: number): void {
  try {
    input.onProgress?.({ sentBytes, totalBytes });
  } catch (cause) {
    const message = 'onProgress threw, so the upload was stopped';
    throw new StorageRoutingError({ code: 'aborted', message, requestId: input.requestId, cause });
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
  status: number,
  storeCode: string | undefined,
  requestId: string,
): StorageRoutingError {
  const reason = storeCode === undefined ? '' : ` (${storeCode})`;
  return new StorageRoutingError({
    code: 'upload_to_provider_failed',
    message: `the store answered the PUT with ${status}${reason}`,
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
