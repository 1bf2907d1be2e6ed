import { connect, type Socket } from 'node:net';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';

/**
 * A caller without a credential that takes what it can: `CONNECTIONS` connections, each with
 * `REQUESTS` requests to `PATH` sent ahead and no answer read, opened again when they are cut. It ends
 * by itself after `SECONDS`.
 */
const { PORT, PATH_AND_QUERY, CONNECTIONS, REQUESTS, SECONDS } = process.env;
const asked = `GET ${PATH_AND_QUERY} HTTP/1.1\r\nhost: a\r\n\r\n`.repeat(Number(REQUESTS));
const sockets = new Set<Socket>();
let opened = 0;
let isOver = false;

function open(): void {
  if (isOver) return;
  opened += 1;
  const socket = connect(Number(PORT), '127.0.0.1');
  sockets.add(socket);
  socket.pause();
  socket.on('error', () => {});
  socket.on('close', () => {
    sockets.delete(socket);
    setTimeout(open, 100);
  });
  socket.write(asked);
}

for (let index = 0; index < Number(CONNECTIONS); index += 1) open();
await wait(Number(SECONDS) * 1_000);
isOver = true;
for (const socket of sockets) socket.destroy();
process.stdout.write(JSON.stringify({ opened }));
process.exit(0);
