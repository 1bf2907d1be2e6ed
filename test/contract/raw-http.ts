import { request } from 'node:http';

export interface RawRequest {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
}

/** Sends a request to a URL as it is written: no parser folds its path. A connection of its own. */
export function sendRaw(url: string, { method, headers, body }: RawRequest): Promise<RawAnswer> {
  const [, host = '', port = '', path = '/'] = /^http:\/\/([^/:]+):(\d+)(\/.*)?$/s.exec(url) ?? [];
  return new Promise((resolve, reject) => {
    const outgoing = request({ host, port, path, method, headers: { ...headers }, agent: false });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () =>
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          body: Buffer.concat(chunks),
        }),
      );
    });
    outgoing.end(body);
  });
}
