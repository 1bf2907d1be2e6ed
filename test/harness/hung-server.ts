import { createServer, type Socket } from 'node:net';
import { listening } from './listening.ts';

export type HungServer = Awaited<ReturnType<typeof openHungServer>>;

/** By then this process has read the ends of the connections that were closed before a new one was opened. */
const SETTLED_MS = 50;

/** A server that accepts connections, reads, and sends nothing. */
export async function openHungServer() {
  const sockets = new Set<Socket>();
  let most = 0;
  const server = createServer((socket) => {
    if (sockets.size === 0) most = 0;
    sockets.add(socket);
    setTimeout(() => {
      most = Math.max(most, sockets.size);
    }, SETTLED_MS);
    socket.on('data', () => undefined);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  const port = await listening(server);
  return {
    url: `http://127.0.0.1:${port}`,
    /** The connections that are open. */
    connections: () => sockets.size,
    /** The most that were open at once since there was none. */
    most: () => most,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
