import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export const MIB = 2 ** 20;

export const answer = (status: string, headers: string[] = [], body = '') =>
  [`HTTP/1.1 ${status}`, `content-length: ${body.length}`, ...headers, '', body].join('\r\n');
export const refusal = (status: string, code: string) =>
  answer(status, ['content-type: application/xml'], `<Error><Code>${code}</Code></Error>`);
export const STORED = answer('200 OK', ['etag: "e"']);
export const FOUND = 'HTTP/1.1 200 OK\r\netag: "e"\r\ncontent-length: 1000\r\n\r\n';

/** Calls `react` for the head of each request, without its body. */
export function onHead(socket: Socket, react: (before: number) => void): void {
  let before = 0;
  socket.on('data', (chunk: Buffer) => {
    if (!/^(?:GET|HEAD|PUT|POST|DELETE) /.test(chunk.toString('latin1', 0, 10))) return;
    react(before);
    before += 1;
  });
}

export async function* chunks(count: number, pauseMs = 0): AsyncGenerator<Buffer> {
  for (let sent = 0; sent < count; sent += 1) {
    if (pauseMs > 0) await delay(pauseMs);
    yield Buffer.alloc(MIB);
  }
}
