import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer, type Server, type ServerOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { makeCertificate } from './system/certificate.ts';
import { takeFreePort } from './system/ports.ts';

/** Both: `localhost` resolves to either, and a sender may try only one. */
const LOOPBACK = ['127.0.0.1', '::1'];
const NO_SUCH_ADDRESS = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

export interface WebhookReceiver {
  /** `https://localhost:<port>/` */
  readonly url: string;
  /** PEM, self-signed, for `localhost`, `127.0.0.1` and `::1`: a sender has to trust it. */
  readonly certificate: string;
  readonly secrets: {
    /** A secret (`whsec_…`) by which signatures are verified from now on. */
    add(secret: string): void;
  };
  close(): Promise<void>;
}

interface ReceiverOptions {
  /** Called with one line for each event, repeats included. */
  readonly print: (line: string) => void;
}

/**
 * A receiver of webhooks that prints what arrives, and says whether one of the known secrets has signed it. It takes
 * events with any signature, so that a developer's webhooks are delivered too.
 *
 * @throws Error if there is no `openssl`, which writes the certificate
 */
export async function startWebhookReceiver({ print }: ReceiverOptions): Promise<WebhookReceiver> {
  const certificate = await makeCertificate();
  const port = await takeFreePort();
  const webhooks: Webhook[] = [];
  const receive = async (request: IncomingMessage) => {
    const body = await text(request);
    print(formatEvent(request, body, webhooks));
  };
  const closes = await Promise.all(
    LOOPBACK.map(async (host) => await listen(certificate, receive, port, host)),
  );
  return {
    url: `https://localhost:${port}/`,
    certificate: certificate.cert,
    secrets: { add: (secret) => void webhooks.push(new Webhook(secret)) },
    close: async () => void (await Promise.all(closes.map(async (close) => await close?.()))),
  };
}

/** @returns how it is closed; undefined where this machine has no such address */
async function listen(
  options: ServerOptions,
  receive: (request: IncomingMessage) => Promise<void>,
  port: number,
  host: string,
): Promise<(() => Promise<void>) | undefined> {
  const server = createServer(options, (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    receive(request).then(
      () => response.writeHead(204).end(),
      () => response.destroy(),
    );
  });
  const close = closable(server);
  try {
    server.listen(port, host);
    await once(server, 'listening');
    return close;
  } catch (error) {
    if (NO_SUCH_ADDRESS.has((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** Ends connections too, those in their handshake included, which `closeAllConnections` does not know. */
function closable(server: Server): () => Promise<void> {
  const sockets = new Set<Duplex>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
}

/** `webhook scan.completed {"scanId":…} (evt_…, verified)`; of a message for Slack, its text. */
function formatEvent(
  { headers }: IncomingMessage,
  body: string,
  webhooks: readonly Webhook[],
): string {
  const id = headers['webhook-id'];
  const notes = [...(typeof id === 'string' ? [id] : []), verdictOn(headers, body, webhooks)];
  return `webhook ${describeBody(body)} (${notes.join(', ')})`;
}

/** In one line: JSON escapes line ends. */
function describeBody(body: string): string {
  try {
    const { type, data, text: message } = JSON.parse(body) as Record<string, unknown>;
    if (typeof type === 'string') return `${type} ${JSON.stringify(data)}`;
    if (typeof message === 'string') return JSON.stringify(message);
  } catch {
    // Not JSON: shown as it is.
  }
  return JSON.stringify(body);
}

function verdictOn(
  headers: IncomingMessage['headers'],
  body: string,
  webhooks: readonly Webhook[],
): string {
  let problem = 'no secret is known';
  for (const webhook of webhooks) {
    try {
      webhook.verify(body, headers as Record<string, string>, { jsonParse: false });
      return 'verified';
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
    }
  }
  return `not verified: ${problem}`;
}
