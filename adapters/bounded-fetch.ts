/** Key sets, sessions and pages of the payment service have some kilobytes. */
const MAX_ANSWER_BYTES = 2 ** 20;

/**
 * `fetch` for servers whose answers are small documents: no redirect is followed, so that
 * credentials reach only the configured host, and at most `maxBytes` (1 MiB) are read,
 * decompressed, before the connection is closed.
 *
 * @throws Error if the answer is longer, a redirect, or does not arrive; the signal's reason
 */
export async function fetchBounded(
  url: string,
  init: RequestInit = {},
  maxBytes = MAX_ANSWER_BYTES,
): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'error' });
  const bytes = await readBounded(response, maxBytes, init.signal ?? undefined);
  const { status, headers } = response;
  return new Response(bytes.length === 0 ? null : bytes, { status, headers });
}

/**
 * Cancels the body itself where the signal is aborted: `fetch` holds its request weakly, and once
 * the request is collected the signal does not reach a body that is still read.
 */
async function readBounded(
  { body }: Response,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  if (!body) return new Uint8Array();
  const reader = body.getReader();
  const cancel = (): void => void reader.cancel().catch(() => undefined);
  signal?.addEventListener('abort', cancel);
  if (signal?.aborted) cancel();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal?.throwIfAborted();
      if (done) return new Uint8Array(Buffer.concat(chunks));
      length += value.length;
      if (length > maxBytes) throw new Error('the answer is too long');
      chunks.push(value);
    }
  } finally {
    signal?.removeEventListener('abort', cancel);
    // It closes the connection of an answer that is not read to its end.
    cancel();
  }
}
