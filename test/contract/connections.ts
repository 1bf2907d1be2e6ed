import { connect, createServer, type Socket } from 'node:net';
import { listening } from '../harness/listening.ts';

/** A TCP server of a test: where it listens, and how many connections were made to it. */
export interface Listener {
  readonly origin: string;
  readonly connections: () => number;
  close(): Promise<void>;
}

export function startSilentServer(): Promise<Listener> {
  return listen((socket) => void socket.resume());
}

export function startProxy(target: string): Promise<Listener> {
  const { hostname, port } = new URL(target);
  return listen((socket) => {
    const upstream = connect(Number(port), hostname);
    socket.pipe(upstream).pipe(socket);
    upstream.on('error', () => socket.destroy());
    socket.on('close', () => upstream.destroy());
  });
}

export async function findClosedOrigin(): Promise<string> {
  const listener = await listen(() => {});
  await listener.close();
  return listener.origin;
}

export async function listen(serve: (socket: Socket, index: number) => void): Promise<Listener> {
  const sockets = new Set<Socket>();
  let made = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    made += 1;
    serve(socket, made);
  });
  const port = await listening(server);
  return {
    origin: `http://127.0.0.1:${port}`,
    connections: () => made,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
