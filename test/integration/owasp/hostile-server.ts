import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { listening } from '../../harness/listening.ts';

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A server that answers every request in one hostile way. */
export async function startHostileServer(answer: Answer) {
  let requests = 0;
  let sentBytes = 0;
  const server = createServer((request, response) => {
    requests += 1;
    const { socket } = request;
    const before = socket.bytesWritten;
    response.once('close', () => (sentBytes += socket.bytesWritten - before));
    request.resume();
    request.once('end', () => answer(request, response));
  });
  const port = await listening(server);
  return {
    origin: `http://127.0.0.1:${port}`,
    requests: () => requests,
    /** The bytes of bodies that the kernel has taken from it. */
    sentBytes: () => sentBytes,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const saying =
  (body: string, type: string, status = 200): Answer =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': type }).end(body);

export const endless =
  (head: string, unit: string, type: string): Answer =>
  ({ method }, response) => {
    response.writeHead(200, { 'content-type': type });
    if (method === 'HEAD') return void response.end();
    response.write(head);
    const piece = Buffer.from(unit.repeat(Math.ceil(65_536 / unit.length)));
    const write = () => {
      while (!response.destroyed) if (!response.write(piece)) return;
    };
    response.on('drain', write);
    write();
  };

/** A document whose next byte comes ten times a second, for ever. */
export const trickling =
  (type: string): Answer =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': type });
    const timer = setInterval(() => response.write(' '), 100);
    response.once('close', () => clearInterval(timer));
  };

const BOMB = gzipSync(Buffer.alloc(64 * 2 ** 20, 0x20));

/** 64 KiB that become 64 MiB. */
export const bomb =
  (type: string): Answer =>
  (_request, response) =>
    void response.writeHead(200, { 'content-type': type, 'content-encoding': 'gzip' }).end(BOMB);

export const redirectingTo =
  (origin: string, status: number): Answer =>
  ({ url = '' }, response) =>
    void response.writeHead(status, { location: `${origin}${url}` }).end();
