import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { firstAbort } from '../abort-signals.ts';
import { NO_DEADLINE, type Deadline } from '../deadline.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { StoreError } from './errors.ts';
import { createDownloads } from './http-download.ts';
import { ConnectionLostError, sendOnce, type BucketOptions } from './http-exchange.ts';
import type {
  StoreHttp,
  StoreHttpOptions,
  StoreHttpRequest,
  StoreHttpResponse,
} from './http-messages.ts';

/** Room for the largest read that Node makes from a socket, and for the next one. */
const HIGH_WATER_BYTES = 256 * 1024;

export interface StoreHttpClientOptions {
  /**
   * Further requests to the bucket wait for a free connection. Unlimited by default: a copy within
   * one host holds its GET open while its PUT waits, so a limit there can end in a deadlock.
   */
  readonly maxSocketsPerBucket?: number;
  /** Ends every request, with `timed_out`. */
  readonly deadline?: Deadline;
  /**
   * Called, in the asynchronous context of the caller, whenever a store has answered, failed to
   * answer, or sent or received a piece of a body.
   */
  readonly onProgress?: () => void;
}

/**
 * Counts connections by bucket: the buckets of several accounts may share a host, and one that
 * hangs would keep the others' requests waiting.
 */
class BucketHttpAgent extends HttpAgent {
  override getName(options: BucketOptions): string {
    return `${super.getName(options)}:${options.bucket}`;
  }
}

class BucketHttpsAgent extends HttpsAgent {
  override getName(options: BucketOptions): string {
    return `${super.getName(options)}:${options.bucket}`;
  }
}

/** The HTTP client of all stores: node:http, and one of our own for the bytes of objects. */
export function createStoreHttp({
  maxSocketsPerBucket = Number.POSITIVE_INFINITY,
  deadline = NO_DEADLINE,
  onProgress,
}: StoreHttpClientOptions = {}): StoreHttp & { close(): void } {
  const options = {
    keepAlive: true,
    noDelay: true,
    highWaterMark: HIGH_WATER_BYTES,
    maxSockets: maxSocketsPerBucket,
  };
  const agents = {
    'http:': new BucketHttpAgent(options),
    'https:': new BucketHttpsAgent(options),
  };

  const downloads = createDownloads();

  const send: StoreHttp = async (request, given) => {
    const sendOptions = { ...withDeadline(given, deadline), onProgress };
    if (given.isDownload === true)
      return await downloads.send(request, sendOptions).finally(() => onProgress?.());
    const sendOver = (agent: HttpAgent | false) => sendOnce(request, agent, sendOptions);
    try {
      return await sendOver(agents[request.address.protocol]).catch((error: unknown) => {
        if (isLost(error) && error.wasReused && isRepeatable(request)) return sendOver(false);
        throw error;
      });
    } catch (error) {
      if (!isLost(error)) throw error;
      const refusal = error.wasSending ? await askForRefusal(request, sendOptions) : undefined;
      if (refusal) return refusal;
      throw new StoreError('unreachable', error);
    } finally {
      onProgress?.();
    }
  };

  return Object.assign(send, {
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy();
      downloads.close();
    },
  });
}

/** Rejects the request and the read of its response with the abort's reason. */
function withDeadline(options: StoreHttpOptions, deadline: Deadline): StoreHttpOptions {
  const ms = deadline.remainingMs();
  if (ms === Number.POSITIVE_INFINITY) return options;
  if (ms <= 0) throw new StoreError('timed_out');
  const late = new AbortController();
  const bounds = firstAbort([options.signal, late.signal]);
  // A body is read after the call has returned, so that its end is not known here.
  setTimeout(() => {
    late.abort(new StoreError('timed_out'));
    bounds.release();
  }, ms).unref();
  return { ...options, signal: bounds.signal };
}

/** A stream is consumed by the first attempt. Every request here is idempotent. */
function isRepeatable({ body }: StoreHttpRequest): boolean {
  return body === undefined || Buffer.isBuffer(body);
}

function isLost(error: unknown): error is ConnectionLostError {
  return error instanceof ConnectionLostError;
}

const REFUSAL_TIMEOUT_MS = 1_000;
/** Some stores judge the headers only after they have read a little of the body. */
const REFUSED_BYTES = 64 * 1024;

/**
 * A store that refuses a request by its headers responds and closes the connection while the body
 * is still being sent. The next write fails, and Node then destroys the socket with the unread
 * response in it. The same headers get the same response: they are sent again with the beginning of
 * a body, in one write, so that no write can fail before the response is read. The body stays
 * incomplete and the connection is reset, so nothing is stored.
 *
 * @returns undefined if the store does not refuse the headers
 * @throws the signal's reason
 */
async function askForRefusal(
  request: StoreHttpRequest,
  { idleMs, signal }: StoreHttpOptions,
): Promise<StoreHttpResponse | undefined> {
  const timeout = AbortSignal.timeout(REFUSAL_TIMEOUT_MS);
  const bounds = firstAbort([signal, timeout]);
  const length = Math.min(REFUSED_BYTES, Number(request.headers['content-length']) - 1);
  try {
    return await sendOnce({ ...request, body: incomplete(length) }, false, {
      idleMs,
      signal: bounds.signal,
    });
  } catch {
    signal?.throwIfAborted();
    return undefined;
  } finally {
    bounds.release();
  }
}

async function* incomplete(length: number): AsyncGenerator<Buffer> {
  yield Buffer.alloc(length);
  await new Promise(() => {});
}

/**
 * One span per call to a store, until the head of the response. It has neither bucket nor key: a
 * path is a customer's data, and a query may be a signature.
 */
export function traceStoreHttp(http: StoreHttp, tracing: Pick<Tracing, 'run'>): StoreHttp {
  return (request, options) => {
    const { method, address } = request;
    const attributes = { 'http.request.method': method, 'store.provider': address.provider };
    const name = `${method} ${address.provider}`;
    return tracing.run({ name, kind: 'client', attributes }, async (span) => {
      const response = await http(request, options);
      span.set({ 'http.response.status_code': response.status });
      if (response.status >= 400) span.fail();
      return response;
    });
  };
}
