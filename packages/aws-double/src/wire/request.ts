import type { IncomingMessage, ServerResponse } from 'node:http';

import { parseQuery, type Query } from './query.ts';

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

/** Wraps node's request; reads `rawHeaders`, because node drops repeated headers from `headers`. */
export function readWireRequest(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  expectsContinue: boolean,
): WireRequest {
  const url = incoming.url ?? '/';
  const cut = url.indexOf('?');
  const headers = new Map<string, string>();
  for (let at = 0; at + 1 < incoming.rawHeaders.length; at += 2) {
    const name = (incoming.rawHeaders[at] ?? '').toLowerCase();
    const value = incoming.rawHeaders[at + 1] ?? '';
    const earlier = headers.get(name);
    headers.set(name, earlier === undefined ? value : `${earlier},${value}`);
  }
  return {
    method: incoming.method ?? 'GET',
    rawPath: cut < 0 ? url : url.slice(0, cut),
    query: parseQuery(cut < 0 ? '' : url.slice(cut + 1)),
    headers,
    incoming,
    outgoing,
    expectsContinue,
  };
}
