import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

interface RawRequest {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

export type RawAnswer = Awaited<ReturnType<typeof sendRaw>>;

/** Sends a request to a URL as it is written: no parser folds its path. A connection of its own. */
export async function sendRaw(url: string, { method, headers, body }: RawRequest) {
  const [, host = '', port = '', path = '/'] = /^http:\/\/([^/:]+):(\d+)(\/.*)?$/s.exec(url) ?? [];
  const outgoing = request({ host, port, path, method, headers: { ...headers }, agent: false });
  outgoing.end(body);
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: await buffer(answer) };
}
