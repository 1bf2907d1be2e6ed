import { Agent, request, type IncomingHttpHeaders } from 'node:http';

export interface LeanAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** One call, without any retry. */
export type Ask = (method: string, path: string, body?: object) => Promise<LeanAnswer>;

const ANSWER_WITHIN_MS = 20_000;

/** For load: fetch and the other clients would take the processor that the service needs. */
export function createLeanClient(
  { baseUrl, apiKey }: { readonly baseUrl: string; readonly apiKey: string },
  maxSockets: number,
): { readonly ask: Ask; close(): void } {
  // The connections in turn: none is idle for so long that a server that drains closes it as unused.
  const agent = new Agent({ keepAlive: true, maxSockets, scheduling: 'fifo' });
  const ask: Ask = (method, path, body) =>
    new Promise((resolve, reject) => {
      const sent = body === undefined ? undefined : JSON.stringify(body);
      const headers = {
        authorization: `Bearer ${apiKey}`,
        ...(sent !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(sent),
        }),
      };
      const outgoing = request(baseUrl + path, { agent, method, headers }, (incoming) => {
        let text = '';
        incoming.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        incoming.on('error', reject);
        incoming.on('end', () =>
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text }),
        );
      });
      outgoing.setTimeout(ANSWER_WITHIN_MS, () => outgoing.destroy(new Error('no answer')));
      outgoing.on('error', reject);
      outgoing.end(sent);
    });
  return { ask, close: () => agent.destroy() };
}
