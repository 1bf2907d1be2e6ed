import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { makeCertificate } from '../../dev/system/certificate.ts';

/** A request that has arrived. */
export interface Arrived {
  /** Without the slash at the beginning. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Perhaps one that is not known yet. */
type Status = number | Promise<number>;

/** An HTTPS server whose answers a test chooses. */
export interface WebhookServer {
  readonly port: number;
  /** What a service needs to send to it. */
  readonly environment: Readonly<Record<string, string>>;
  /** The address of a path. */
  url(path: string): string;
  /** The answers of a path, one after the other, the last one again and again; 204 by default. 0: none at all. */
  answer(path: string, ...statuses: readonly Status[]): void;
  arrived(path: string): readonly Arrived[];
  close(): Promise<void>;
}

export async function startWebhookServer(): Promise<WebhookServer> {
  const certificate = await makeCertificate();
  const folder = await mkdtemp(join(tmpdir(), 'webhooks-'));
  const caFile = join(folder, 'ca.pem');
  await writeFile(caFile, certificate.cert);
  const all: Arrived[] = [];
  const answers = new Map<string, Status[]>();
  const server = createServer(certificate, (request, response) => {
    void text(request).then(async (body) => {
      const path = (request.url ?? '').slice(1);
      all.push({ path, headers: request.headers, body });
      const left = answers.get(path) ?? [204];
      const status = (await (left.length > 1 ? left.shift() : left[0])) ?? 204;
      if (status === 0) return;
      const location = status >= 300 && status < 400 ? { location: '/redirected' } : {};
      response.writeHead(status, location).end('an answer that nobody reads');
    });
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    environment: {
      NODE_EXTRA_CA_CERTS: caFile,
      WEBHOOK_PORTS: String(port),
      WEBHOOK_PRIVATE_HOSTS: 'localhost',
    },
    url: (path) => `https://localhost:${port}/${path}`,
    answer: (path, ...statuses) => void answers.set(path, [...statuses]),
    arrived: (path) => all.filter((each) => each.path === path),
    async close() {
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true });
    },
  };
}
