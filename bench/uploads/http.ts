import { Agent, request } from 'node:http';

/** An answer to one call. */
export interface Reply {
  readonly status: number;
  readonly text: string;
}

export interface HttpRequest {
  readonly method: 'DELETE' | 'GET' | 'POST' | 'PUT';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
}

export type SendHttp = (request: HttpRequest) => Promise<Reply>;

/** Above every deadline of the service. */
const TIMEOUT_MS = 30_000;

/**
 * node:http with kept-alive connections: the callers share the machine with what they measure, and
 * `fetch` costs several times as much.
 */
export function createHttp(): SendHttp {
  const agent = new Agent({ keepAlive: true, noDelay: true });
  return ({ method, url, headers = {}, body = '' }) =>
    new Promise((resolve, reject) => {
      const length = { 'content-length': Buffer.byteLength(body) };
      const sent = request(url, {
        agent,
        method,
        headers: { ...headers, ...(body === '' ? {} : length) },
        timeout: TIMEOUT_MS,
      });
      sent.on('timeout', () => sent.destroy(new Error(`no answer from ${url}`)));
      sent.on('error', reject);
      sent.on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
        );
      });
      sent.end(body);
    });
}

/** The parsed body of an answer with this status. @throws Error with the answer otherwise */
export function requireBody({ status, text }: Reply, expected: number): unknown {
  if (status !== expected) throw new Error(`answered ${status}: ${text}`);
  return JSON.parse(text) as unknown;
}
