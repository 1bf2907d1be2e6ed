/** Key sets, sessions and pages of the payment service have some kilobytes. */
const MAX_ANSWER_BYTES = 2 ** 20;

/**
 * `fetch` for servers whose answers are small documents: no redirect is followed, so that credentials
 * reach only the configured host, and at most `maxBytes` (1 MiB) are read, decompressed, before the
 * connection is closed.
 *
 * @throws Error if the answer is longer, a redirect, or does not arrive; the signal's reason
 */
export async function fetchBounded(
  url: string,
  init: RequestInit = {},
  maxBytes = MAX_ANSWER_BYTES,
): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'error' });
  const bytes = await readBounded(response, maxBytes);
  const { status, headers } = response;
  return new Response(bytes.length === 0 ? null : bytes, { status, headers });
}

async function readBounded({ body }: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop closes the connection.
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > maxBytes) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
