import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { StoreError, type StoreFailure } from '../../../adapters/object-store/errors.ts';
import { createStoreHttp } from '../../../adapters/object-store/http-client.ts';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import { createObjectStores } from '../../../adapters/object-store/s3-store.ts';
import { createStoreClocks } from '../../../adapters/object-store/store-clocks.ts';
import { listen, type Listener } from '../../contract/connections.ts';
import type { StoreLocation } from '../../../domain/providers/catalogue.ts';
import { endpointsAt } from '../../harness/catalogue.ts';

export const MIB = 2 ** 20;
/** Longer than any delay of a busy machine. */
const LONG_IDLE_MS = 20_000;

export const answer = (status: string, headers: string[] = [], body = '') =>
  [`HTTP/1.1 ${status}`, `content-length: ${body.length}`, ...headers, '', body].join('\r\n');
export const refusal = (status: string, code: string) => {
  const document = `<Error><Code>${code}</Code><Message>raw text</Message></Error>`;
  return answer(status, ['content-type: application/xml'], document);
};
export const STORED = answer('200 OK', ['etag: "e"']);
export const found = (bytes: number) =>
  `HTTP/1.1 200 OK\r\netag: "e"\r\ncontent-length: ${bytes}\r\n\r\n`;

/** Serves a connection: calls `react` for the head of each request, without its body. */
export const onHead =
  (react: (socket: Socket, before: number, method: string) => void) => (socket: Socket) => {
    let before = 0;
    socket.on('data', (chunk: Buffer) => {
      const [, method] = /^(GET|HEAD|PUT|POST|DELETE) /.exec(chunk.toString('latin1', 0, 10)) ?? [];
      if (method === undefined) return;
      react(socket, before, method);
      before += 1;
    });
  };
/** Serves a connection: says this to each request. */
export const saying = (text: string) => onHead((socket) => void socket.write(text));
/** Serves a connection: takes a body of more bytes than this. */
export const taking = (bytes: number) => (socket: Socket) => {
  let length = 0;
  socket.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > bytes) socket.write(STORED);
  });
};

export async function* chunks(count: number, pauseMs = 0): AsyncGenerator<Buffer> {
  for (let sent = 0; sent < count; sent += 1) {
    if (pauseMs > 0) await delay(pauseMs);
    yield Buffer.alloc(MIB);
  }
}

export const failsAs = (failure: StoreFailure, isTransient?: boolean) => (error: unknown) => {
  assert.ok(error instanceof StoreError, String(error));
  assert.equal(error.failure, failure);
  if (isTransient !== undefined) assert.equal(error.isTransient, isTransient);
  return true;
};

/** The secret has a character that a query has to escape. */
export const CREDENTIALS = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'wJalr/XUt+FEMI' };
const PHOTOS: StoreLocation = { provider: 'aws', bucketName: 'photos', region: 'us-east-1' };

/** Opens a store at an endpoint. By itself it sends nothing, which is enough to presign. */
export function openStoreAt(
  endpoints: Readonly<Record<string, string>>,
  location = PHOTOS,
  more: Partial<Parameters<typeof createObjectStores>[0]> = {},
  onDenied?: () => void,
): ObjectStore {
  const http = () => Promise.reject(new Error('nothing is sent'));
  const common = { http, findEndpoint: endpointsAt(endpoints), clocks: createStoreClocks() };
  return createObjectStores({ ...common, ...more })(location, CREDENTIALS, onDenied);
}

interface StoreOptions {
  readonly idleMs?: number;
  readonly http?: ReturnType<typeof createStoreHttp>;
}

/** Opens stores at servers that a test writes byte by byte, for the tests of one suite. */
export function withRawStores() {
  const shared = createStoreHttp();
  const servers: Listener[] = [];
  after(() => shared.close());
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });
  return async (
    serve: (socket: Socket, index: number) => void,
    { idleMs = LONG_IDLE_MS, http = shared }: StoreOptions = {},
  ) => {
    const server = await listen(serve);
    servers.push(server);
    let isDenied = false;
    const onDenied = () => {
      isDenied = true;
    };
    const at = (bucketName: string) =>
      openStoreAt({ aws: server.origin }, { ...PHOTOS, bucketName }, { http, idleMs }, onDenied);
    const { connections } = server;
    /** Whether the store was found to refuse the credentials themselves. */
    return { ...at('photos'), at, connections, isDenied: () => isDenied };
  };
}
