import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { Logger } from './logger.ts';

export interface OperatorAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** The answers by path. */
export type OperatorRoutes = Readonly<Record<string, () => Promise<OperatorAnswer>>>;

/**
 * Serves metrics and probes on a separate port, which customers cannot reach. If the port is taken,
 * the service runs without them.
 */
export async function serveOperators(
  routes: OperatorRoutes,
  host: string,
  port: number,
  log: Logger,
): Promise<{ close(): void }> {
  const server = createServer((request, response) => {
    const answer = Object.hasOwn(routes, request.url ?? '') ? routes[request.url ?? ''] : undefined;
    if (request.method !== 'GET' || !answer) {
      response.writeHead(404).end();
      return;
    }
    answer().then(
      ({ status, contentType, body }) =>
        response.writeHead(status, { 'content-type': contentType }).end(body),
      () => response.writeHead(500).end(),
    );
  });
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    log.warn(
      { port, reason: (error as NodeJS.ErrnoException).code },
      'no metrics and no probes: the port cannot be used',
    );
  }
  return { close: () => closeServer(server) };
}

function closeServer(server: Server): void {
  server.closeAllConnections();
  server.close();
}
