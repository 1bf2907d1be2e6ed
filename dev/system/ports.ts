import { createServer } from 'node:net';

// Below the ephemeral port range: a restarting server must not find its port taken by an outgoing connection
// (which may even be connected to itself).
const LOWEST = 20_000;
const HIGHEST = 32_000;
const TRIES = 200;
const given = new Set<number>();

/** A free port of 127.0.0.1 that this process has not returned before. */
export async function takeFreePort(): Promise<number> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port between ${LOWEST} and ${HIGHEST} in ${TRIES} tries`);
}

/** `wanted` if it is free on every address of this machine, otherwise another free port. */
export async function takePort(wanted: number): Promise<number> {
  return (await isFree(wanted)) && (await isFree(wanted, '0.0.0.0'))
    ? wanted
    : await takeFreePort();
}

async function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return await new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host }, () => server.close(() => resolve(true)));
  });
}
