import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { BucketAddress } from './address.ts';
import { StoreError } from './errors.ts';

export interface SignedStoreRequest {
  readonly address: BucketAddress;
  readonly method: string;
  /** As it goes on the wire, escaped. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  /** The longest answer that is read into memory; by default enough for an error document. */
  readonly maxBodyBytes?: number;
}

export interface StoreResponse {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  /** The `Code` of an S3 error document, where one was sent. */
  readonly errorCode: string | undefined;
}

/** @throws StoreError `timed_out` or `unreachable`; any answer at all is a response. */
export type StoreTransport = (
  request: SignedStoreRequest,
  timeoutMs: number,
) => Promise<StoreResponse>;

const MAX_SOCKETS_PER_HOST = 64;
/** Bodies read into memory are error documents and canaries, never a customer's file. */
const DEFAULT_MAX_BODY_BYTES = 1 << 20;

/** Talks plain node:http with connections kept alive: no client between us and the bytes. */
export function createStoreTransport(): StoreTransport & { close(): void } {
  const options = { keepAlive: true, maxSockets: MAX_SOCKETS_PER_HOST };
  const agents = { 'http:': new HttpAgent(options), 'https:': new HttpsAgent(options) };

  const send: StoreTransport = async (request, timeoutMs) => {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const agent = agents[request.address.protocol];
      // Every request here may be repeated: whole objects are written, read or deleted.
      return await exchange(request, agent, signal).catch((error: unknown) => {
        if (error instanceof StaleConnection) return exchange(request, false, signal);
        throw error;
      });
    } catch (error) {
      if (error instanceof StoreError) throw error;
      throw new StoreError(signal.aborted ? 'timed_out' : 'unreachable', error);
    }
  };

  return Object.assign(send, {
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  });
}

/** A kept connection that the store had closed just before it was used again. */
class StaleConnection extends Error {}

function exchange(
  { address, method, path, headers, body, maxBodyBytes }: SignedStoreRequest,
  agent: HttpAgent | false,
  signal: AbortSignal,
): Promise<StoreResponse> {
  const request = address.protocol === 'http:' ? httpRequest : httpsRequest;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { agent, method, host: address.hostname, port: address.port, path, headers, signal },
      (incoming) => {
        readBody(incoming, maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES)
          .then((read) =>
            resolve({
              status: incoming.statusCode ?? 0,
              headers: incoming.headers,
              body: read,
              errorCode: errorCodeIn(incoming.statusCode ?? 0, read),
            }),
          )
          .catch(reject);
      },
    );
    outgoing.on('error', (error: NodeJS.ErrnoException) =>
      reject(outgoing.reusedSocket && error.code === 'ECONNRESET' ? new StaleConnection() : error),
    );
    outgoing.end(body);
  });
}

async function readBody(incoming: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) throw new StoreError('failed', new Error('the answer is too long'));
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function errorCodeIn(status: number, body: Buffer): string | undefined {
  return status < 300 ? undefined : errorCodeOf(body.toString('utf8'));
}

/** The `Code` of an S3 error document. */
export function errorCodeOf(document: string): string | undefined {
  return /<Code>([A-Za-z0-9.]+)<\/Code>/.exec(document)?.[1];
}
