import { BlockReader } from './block-reader.ts';
import { Download, StaleConnectionError } from './download-exchange.ts';
import { StoreError } from './errors.ts';
import type {
  StoreHttp,
  StoreHttpOptions,
  StoreHttpRequest,
  StoreHttpResponse,
} from './http-messages.ts';

/** A connection that is not used for this time is closed. */
const KEPT_MS = 5_000;

/**
 * Sends GETs of objects over connections of their own, whose pieces are read into reused memory: a
 * piece of the body is valid until the next one is asked for. Everything else goes through
 * node:http.
 */
export function createDownloads(): { readonly send: StoreHttp; close(): void } {
  const idle = new Map<string, BlockReader[]>();

  function takeIdle(key: string): BlockReader | undefined {
    const kept = idle.get(key) ?? [];
    for (let last = kept.pop(); last; last = kept.pop()) if (last.isFree()) return last;
    idle.delete(key);
    return undefined;
  }

  function keep(key: string, reader: BlockReader): void {
    const kept = idle.get(key) ?? [];
    idle.set(key, kept);
    kept.push(reader);
    reader.socket.setTimeout(KEPT_MS);
    reader.socket.unref();
  }

  async function send(
    request: StoreHttpRequest,
    options: StoreHttpOptions,
  ): Promise<StoreHttpResponse> {
    options.signal?.throwIfAborted();
    const { protocol, hostname, port } = request.address;
    const key = `${protocol}//${hostname}:${port ?? ''}`;
    const kept = takeIdle(key);
    const over = (reader: BlockReader) =>
      new Download(reader, options, () => keep(key, reader)).send(request);
    if (!kept) return await over(new BlockReader(request.address));
    try {
      return await over(kept);
    } catch (error) {
      // The store may have closed it before this request.
      if (!(error instanceof StaleConnectionError)) throw error;
      return await over(new BlockReader(request.address));
    }
  }

  return {
    async send(request, options) {
      try {
        return await send(request, options);
      } catch (error) {
        throw error instanceof StaleConnectionError ? new StoreError('unreachable', error) : error;
      }
    },
    close() {
      for (const kept of idle.values()) for (const { socket } of kept) socket.destroy();
      idle.clear();
    },
  };
}
