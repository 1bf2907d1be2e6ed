import { createServer, request as send, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listening } from './listening.ts';

/** An answer of a store, read into memory. Names of headers are lower-case. */
export interface StoreAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What the store answers in place of that; an answer without `content-length` is sent in chunks. */
export type Alter = (request: IncomingMessage, answer: StoreAnswer) => StoreAnswer;

export const refusedWith = (status: number, code: string): StoreAnswer => {
  const body = Buffer.from(`<Error><Code>${code}</Code></Error>`);
  const headers = { 'content-type': 'application/xml', 'content-length': String(body.length) };
  return { status, headers, body };
};

/** A store at another address, whose answers a test alters as it describes them. */
export async function startAlteredStore(origin: string) {
  let alter: Alter = (_request, answer) => answer;
  const requests: IncomingMessage[] = [];
  const server = createServer((incoming, outgoing) => {
    requests.push(incoming);
    const { method, url = '', headers } = incoming;
    // The signature covers the `host` as it was sent.
    const forwarded = send(new URL(origin), { method, path: url, headers }, (response) => {
      void buffer(response).then((body) => {
        const answer = { status: response.statusCode ?? 0, headers: flat(response), body };
        const given = alter(incoming, answer);
        outgoing.writeHead(given.status, given.headers);
        outgoing.end(method === 'HEAD' ? undefined : given.body);
      });
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  const port = await listening(server);
  return {
    origin: `http://127.0.0.1:${port}`,
    /** All that have arrived, in their order. */
    requests,
    alter(next: Alter = (_request, answer) => answer) {
      alter = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type AlteredStore = Awaited<ReturnType<typeof startAlteredStore>>;

/** The length is announced as it was, and the body is not in chunks. */
function flat({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || ['connection', 'keep-alive', 'transfer-encoding'].includes(name)
        ? []
        : [[name, String(value)]],
    ),
  );
}

/** An answer without some of its headers. */
export function without(answer: StoreAnswer, ...names: readonly string[]): StoreAnswer {
  const kept = Object.entries(answer.headers).filter(([name]) => !names.includes(name));
  return { ...answer, headers: Object.fromEntries(kept) };
}
