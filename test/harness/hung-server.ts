import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

/** A server that accepts connections, reads, and sends nothing. */
export interface HungServer {
  readonly url: string;
  /** The connections that are open. */
  connections(): number;
  /** The most that were open at once since there was none. */
  most(): number;
  close(): void;
}

export async function openHungServer(): Promise<HungServer> {
  const sockets = new Set<Socket>();
  let most = 0;
  const server = createServer((socket) => {
    if (sockets.size === 0) most = 0;
    sockets.add(socket);
    most = Math.max(most, sockets.size);
    socket.on('data', () => undefined);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    connections: () => sockets.size,
    most: () => most,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
