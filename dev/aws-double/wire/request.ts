import type { IncomingMessage, ServerResponse } from 'node:http';

/** `ce` is Cost Explorer, `monitoring` CloudWatch: their names in a signature. */
export type AwsService = 's3' | 'sts' | 'ce' | 'monitoring';

/** An HTTP request as received: nothing decoded, joined or normalised but the query. */
export interface WireRequest {
  readonly method: string;
  /** The path before the `?`, exactly as sent. */
  readonly rawPath: string;
  readonly query: Query;
  /** Lower-case names; repeated headers joined with a comma, as SigV4 wants them. */
  readonly headers: ReadonlyMap<string, string>;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** The client waits for `100 Continue` before it sends the body. */
  readonly expectsContinue: boolean;
}

/** A parsed query: the pairs as byte strings in their order, and lookups by name. */
export interface Query {
  readonly pairs: readonly (readonly [name: string, value: string])[];
  /** The first value of that exact name, read as UTF-8. */
  get(name: string): string | undefined;
}

/** The region of requests that name none. */
export const DEFAULT_REGION = 'us-east-1';

/** Says whether a name has the form of AWS's region names. */
export function isRegion(name: string): boolean {
  return /^[a-z]{2}(?:-[a-z]+)+-[0-9]$/.test(name);
}

/** The body of a small request. Keeps no more than shows that it is longer than `maxBytes`. */
export async function readSmallBody(request: WireRequest, maxBytes: number): Promise<Buffer> {
  if (request.expectsContinue) request.outgoing.writeContinue();
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request.incoming as AsyncIterable<Buffer>) {
    if (sizeBytes <= maxBytes) chunks.push(chunk);
    sizeBytes += chunk.length;
  }
  return Buffer.concat(chunks);
}

/** Wraps node's request; reads `rawHeaders`, because node drops repeated headers from `headers`. */
export function readWireRequest(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  expectsContinue: boolean,
): WireRequest {
  const url = incoming.url ?? '/';
  const [rawPath = '/'] = url.split('?', 1);
  const headers = new Map<string, string>();
  for (let at = 0; at + 1 < incoming.rawHeaders.length; at += 2) {
    const name = (incoming.rawHeaders[at] ?? '').toLowerCase();
    const value = incoming.rawHeaders[at + 1] ?? '';
    const earlier = headers.get(name);
    headers.set(name, earlier === undefined ? value : `${earlier},${value}`);
  }
  return {
    method: incoming.method ?? 'GET',
    rawPath,
    query: parseQuery(url.slice(rawPath.length + 1)),
    headers,
    incoming,
    outgoing,
    expectsContinue,
  };
}

/** Parses the query string; a `+` is a plus sign, because SigV4 clients encode a space as `%20`. */
export function parseQuery(raw: string): Query {
  const pairs = raw
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const [name = ''] = part.split('=', 1);
      return [percentDecode(name), percentDecode(part.slice(name.length + 1))] as const;
    });
  const values = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (!values.has(name)) values.set(name, decodeUtf8(value) ?? value);
  }
  return { pairs, get: (name) => values.get(name) };
}

/** An `x-amz-*` header; a presigned URL may carry it in its query instead. */
export function amzHeader({ headers, query }: WireRequest, name: string): string | undefined {
  const inQuery = query.pairs.find(([each]) => each.toLowerCase() === name)?.[1];
  return (
    headers.get(name) ?? (inQuery === undefined ? undefined : (decodeUtf8(inQuery) ?? inQuery))
  );
}

/**
 * Percent-decodes into a byte string (one character per byte), so that the client's bytes can be
 * encoded again without a conversion to Unicode.
 */
export function percentDecode(text: string): string {
  return text.replace(/%([0-9a-fA-F]{2})/g, (_whole, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes a byte string as UTF-8; null if it is invalid. */
export function decodeUtf8(bytes: string): string | null {
  try {
    return UTF8.decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return null;
  }
}
