import { connect, createServer, type Socket } from 'node:net';
import { isHttpUp } from '../../dev/system/probes.ts';
import { listening } from './listening.ts';

const PROBE_EVERY_MS = 200;

export type Balancer = Awaited<ReturnType<typeof startBalancer>>;

/**
 * A load balancer of TCP connections: round robin over the processes that are ready.
 *
 * Polls `/ready` of each process. A connection that one refuses goes to the next one, before a byte is sent. While
 * none is ready, all are tried.
 */
export async function startBalancer(urls: readonly string[]) {
  const ready = new Set(urls);
  const sockets = new Set<Socket>();
  let turn = 0;

  const probe = async (url: string) => {
    if (await isHttpUp(`${url}/ready`)) ready.add(url);
    else ready.delete(url);
  };
  const timer = setInterval(() => void Promise.all(urls.map(probe)), PROBE_EVERY_MS);

  const pass = (client: Socket, [url, ...others]: readonly string[]) => {
    if (url === undefined) return void client.destroy();
    const upstream = connect(Number(new URL(url).port), '127.0.0.1');
    const refused = () => pass(client, others);
    upstream.once('error', refused);
    upstream.once('connect', () => {
      upstream.off('error', refused);
      upstream.on('error', () => client.resetAndDestroy());
      sockets.add(upstream);
      upstream.once('close', () => sockets.delete(upstream));
      client.once('close', () => upstream.destroy());
      client.pipe(upstream).pipe(client);
    });
  };

  const server = createServer((client) => {
    sockets.add(client);
    client.on('error', () => {});
    client.once('close', () => sockets.delete(client));
    const answering = urls.filter((url) => ready.has(url));
    const known = answering.length > 0 ? answering : urls;
    turn += 1;
    pass(client, [...known.slice(turn % known.length), ...known.slice(0, turn % known.length)]);
  });
  const port = await listening(server);
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
