import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { Registry } from 'prom-client';
import type { Logger } from './logger.ts';

/**
 * Serves `GET /metrics` on a separate port, which customers cannot reach. Where the port is taken, the
 * service runs without metrics.
 */
export async function serveMetrics(registry: Registry, host: string, port: number, log: Logger) {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    log.warn(
      { port, reason: (error as NodeJS.ErrnoException).code },
      'no metrics: the port cannot be used',
    );
  }
  return { close: () => closeServer(server) };
}

function closeServer(server: Server): void {
  server.closeAllConnections();
  server.close();
}
