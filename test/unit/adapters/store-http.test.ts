import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createStoreHttp } from '../../../adapters/object-store/http-client.ts';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import * as raw from './raw-stores.ts';
import {
  chunks,
  failsAs,
  MIB,
  onHead,
  saying,
  STORED,
  taking,
  withRawStores,
} from './raw-stores.ts';

/** Short enough for a test. */
const SHORT = { idleMs: 150 };
const FOUND = raw.found(1_000);

const bytesOf = async ({ body }: { body: AsyncIterable<Buffer> }, pauseMs = 0) => {
  let length = 0;
  for await (const chunk of body) {
    if (length === 0) await delay(pauseMs);
    length += chunk.length;
  }
  return length;
};
const read = async (store: ObjectStore, pauseMs = 0) =>
  bytesOf(await store.open('k', { ifMatch: 'e' }), pauseMs);
/** The ETag of the answer. */
const put = async (store: ObjectStore, sizeBytes: number, body: Buffer | AsyncGenerator<Buffer>) =>
  (await store.write('k', { headers: {}, sizeBytes, body })).etag;
const putStream = (store: ObjectStore, count: number, pauseMs = 0) =>
  put(store, count * MIB, chunks(count, pauseMs));
const putBuffer = (store: ObjectStore, sizeBytes: number) =>
  put(store, sizeBytes, Buffer.alloc(sizeBytes));

/** A promise and what resolves it. */
function signal() {
  let tell = (): void => {};
  const told = new Promise<void>((resolve) => {
    tell = resolve;
  });
  return { told, tell };
}

describe('a request to a store', () => {
  const openStore = withRawStores();
  /** Serves a connection: refuses before it reads the body, and breaks it off. */
  const hangingUp =
    (then = (): void => {}) =>
    (socket: Socket) =>
      void socket.once('data', () => {
        socket.pause();
        socket.write(raw.refusal('403 Forbidden', 'AccessDenied'), () => {
          socket.resetAndDestroy();
          then();
        });
      });

  it('returns the refusal of a store that closes the connection before the body is sent', async () => {
    for (const send of [putStream, (store: ObjectStore) => putBuffer(store, 16 * MIB)])
      await assert.rejects(send(await openStore(hangingUp()), 16), failsAs('access_denied'));
  });

  it('returns the refusal of a store after a write failed', async () => {
    const { told, tell } = signal();
    async function* body(): AsyncGenerator<Buffer> {
      yield Buffer.alloc(1_000);
      await told;
      // Written before the client could read.
      yield* chunks(1);
    }
    const store = await openStore(hangingUp(tell));
    await assert.rejects(put(store, 4 * MIB, body()), failsAs('access_denied'));
  });

  it('stops sending at the response, which is no success before the body is sent', async () => {
    const refuses = await openStore(saying(raw.refusal('400 Bad Request', 'EntityTooLarge')));
    await assert.rejects(putStream(refuses, 10_000, 1), failsAs('rejected', false));
    const succeeds = await openStore(saying(STORED));
    await assert.rejects(putStream(succeeds, 10_000, 1), failsAs('failed', true));
  });

  it('fails with timed_out where the store stops sending or reading', async () => {
    const stops = await openStore(saying(`${FOUND}half`), SHORT);
    await assert.rejects(read(stops), failsAs('timed_out'));
    const takesNone = await openStore((socket) => void socket.pause(), SHORT);
    await assert.rejects(putStream(takesNone, 64), failsAs('timed_out'));
    await assert.rejects(putBuffer(takesNone, 64 * MIB), failsAs('timed_out'));
  });

  it('waits while bytes move', async () => {
    const drips = onHead((socket) => {
      socket.write(FOUND);
      let sent = 0;
      const timer = setInterval(() => {
        socket.write('x'.repeat(100));
        sent += 100;
        if (sent === 1_000) clearInterval(timer);
      }, 150);
    });
    assert.equal(await read(await openStore(drips, { idleMs: 1_000 })), 1_000);
    // Longer than draining the kernel's buffers, shorter than the whole transfer.
    const sips = (socket: Socket) => {
      taking(40 * MIB)(socket);
      socket.on('data', () => {
        socket.pause();
        setTimeout(() => socket.resume(), 1);
      });
    };
    const startedAt = performance.now();
    assert.equal(await putBuffer(await openStore(sips, { idleMs: 700 }), 40 * MIB), 'e');
    assert.ok(performance.now() - startedAt > 750);
  });

  describe('of a process that stood still', () => {
    const standStill = (): void => {
      const until = performance.now() + 3 * SHORT.idleMs;
      while (performance.now() < until);
    };

    it('reads what came meanwhile before the store counts as silent', async () => {
      // Behind an immediate the loop comes to its timers before it reads.
      const stands = onHead((socket, _before, method) => {
        if (method === 'GET') socket.write(FOUND);
        setImmediate(() => {
          socket.write(method === 'GET' ? 'x'.repeat(1_000) : STORED);
          standStill();
        });
      });
      const store = await openStore(stands, SHORT);
      assert.equal(await read(store), 1_000);
      assert.equal(await putBuffer(store, 10), 'e');
    });

    it('finds that it is connected before the store counts as silent', async () => {
      let stood = 0;
      // The second tick comes behind the one that begins to connect.
      const onSocket = (): void =>
        process.nextTick(() => {
          process.nextTick(standStill);
          stood += 1;
        });
      const http = createStoreHttp();
      const answers = onHead((socket, _before, method) => {
        socket.write(method === 'GET' ? `${FOUND}${'x'.repeat(1_000)}` : STORED);
      });
      const store = await openStore(answers, { ...SHORT, http });
      subscribe('net.client.socket', onSocket);
      try {
        assert.equal(await read(store), 1_000);
        assert.equal(await putBuffer(store, 10), 'e');
      } finally {
        unsubscribe('net.client.socket', onSocket);
        http.close();
      }
      assert.equal(stood, 2);
    });
  });

  it('has no time-out for a slow source or reader', async () => {
    const takes = await openStore(taking(2 * MIB), { idleMs: 1_000 });
    assert.equal(await putStream(takes, 2, 1_500), 'e');
    const quick = onHead((socket) => {
      socket.write(raw.found(8 * MIB));
      socket.write(Buffer.alloc(8 * MIB));
    });
    assert.equal(await read(await openStore(quick, { idleMs: 1_000 }), 1_500), 8 * MIB);
  });

  it('does not read ahead of its reader', async () => {
    const total = 256 * MIB;
    let sender: Socket | undefined;
    const store = await openStore(
      onHead((socket) => {
        sender = socket;
        socket.write(raw.found(total));
        for (let sent = 0; sent < 64; sent += 1) socket.write(Buffer.alloc(4 * MIB));
      }),
    );
    const opened = await store.open('k', { ifMatch: 'e' });
    await opened.body[Symbol.asyncIterator]().next();
    await delay(200);
    // What left the sender is in the client's memory or in the buffers of the two sockets.
    assert.ok((sender?.writableLength ?? 0) > total - 32 * MIB, `${sender?.writableLength}`);
    opened.close();
  });

  it('fails with unreachable for a cut response, and for one that is not HTTP', async () => {
    const cut = onHead((socket) => void socket.end(`${FOUND}half`));
    for (const serve of [cut, saying('hello\r\n')])
      await assert.rejects(read(await openStore(serve)), failsAs('unreachable', true));
  });

  it('fails for an error document under status 200', async () => {
    const document = '<?xml version="1.0"?>\n<Error><Code>InternalError</Code></Error>';
    for (const text of [raw.answer('200 OK', [], document), STORED]) {
      const store = await openStore(saying(text));
      await assert.rejects(store.completeUpload('k', 'u', ['e']), failsAs('failed', true));
    }
  });

  it('fails for another range than requested', async () => {
    const store = await openStore(saying(FOUND));
    const range = { first: 10, last: 19 };
    await assert.rejects(store.open('k', { ifMatch: 'e', range }), failsAs('failed'));
  });
});

describe('the HTTP client of stores', () => {
  const openStore = withRawStores();

  it('does not let a bucket that hangs take the connections of others on the same host', async () => {
    const http = createStoreHttp({ maxSocketsPerBucket: 2 });
    const serve = (socket: Socket) =>
      void socket.once('data', (head: Buffer) => {
        if (!head.toString('latin1').includes('/hung/')) socket.write(FOUND);
      });
    const { at } = await openStore(serve, { http, idleMs: 3_000 });
    const hung = Array.from({ length: 4 }, () => assert.rejects(at('hung').head('k')));
    const startedAt = performance.now();
    await at('other').head('k');
    assert.ok(performance.now() - startedAt < 1_500);
    await Promise.all(hung);
    http.close();
  });

  it('reports each piece that was read or sent', async () => {
    let steps = 0;
    const http = createStoreHttp({ onProgress: () => (steps += 1) });
    await putBuffer(await openStore(taking(MIB), { http }), MIB);
    assert.ok(steps >= 4, `${steps} reports for a body of 1 MiB`);
    http.close();
  });

  it('repeats a request on a new connection where the kept-alive one is stale, and only there', async () => {
    const broken = await openStore(onHead((socket) => void socket.destroy()));
    await assert.rejects(putBuffer(broken, 10), failsAs('unreachable', true));
    assert.equal(broken.connections(), 1);
    const store = await openStore((socket, index) =>
      onHead((_socket, before) => {
        if (index === 1 && before > 0) socket.destroy();
        else socket.write(STORED);
      })(socket),
    );
    await putBuffer(store, 10);
    assert.equal(await putBuffer(store, 10), 'e');
    assert.equal(store.connections(), 2);
  });

  it('keeps the connection after an unread response body', async () => {
    const talks = raw.answer('200 OK', ['etag: "e"'], 'stored, '.repeat(10_000));
    const store = await openStore(saying(talks));
    for (let call = 0; call < 3; call += 1) {
      assert.equal(await putBuffer(store, 10), 'e');
      await delay(300);
    }
    assert.equal(store.connections(), 1);
  });

  it('resets a connection with an incomplete body', async () => {
    const endings: Promise<string | undefined>[] = [];
    const { told, tell } = signal();
    const store = await openStore((socket) => {
      const ending = once(socket, 'end').then(() => 'end');
      const broken = new Promise<string | undefined>((resolve) => {
        socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
      });
      endings.push(Promise.race([ending.catch(() => broken), broken]));
      socket.once('data', tell);
    });
    async function* body(): AsyncGenerator<Buffer> {
      yield* chunks(1);
      await told;
      throw new Error('the source broke');
    }
    await assert.rejects(put(store, 2 * MIB, body()), /the source broke/);
    assert.deepEqual(await Promise.all(endings), ['ECONNRESET']);
  });

  it('does not repeat a stream', async () => {
    let repeated = 0;
    const store = await openStore((socket, index) => {
      if (index > 1) socket.on('data', (chunk: Buffer) => (repeated += chunk.length));
      onHead((_socket, before) => {
        if (before > 0) socket.destroy();
        else if (index === 1) socket.write(STORED);
      })(socket);
    });
    await putBuffer(store, 10);
    await assert.rejects(putStream(store, 4), failsAs('unreachable', true));
    assert.ok(repeated < MIB, `${repeated} bytes`);
  });

  it('sends no complete body when it asks for a refusal', async () => {
    const endings: Promise<unknown>[] = [];
    const lengths: number[] = [];
    const store = await openStore((socket, index) => {
      lengths.push(0);
      endings.push(once(socket, 'end').catch((error: NodeJS.ErrnoException) => error.code));
      socket.on('data', (chunk: Buffer) => {
        const length = (lengths[index - 1] ?? 0) + chunk.length;
        lengths[index - 1] = length;
        if (index === 1 && length > 2 * MIB) socket.resetAndDestroy();
      });
    });
    await assert.rejects(putBuffer(store, 8 * MIB), failsAs('unreachable', true));
    assert.equal(lengths.length, 2);
    assert.ok((lengths[1] ?? 0) > 0 && (lengths[1] ?? 0) < 100_000, `${lengths[1]} bytes`);
    assert.equal(await endings[1], 'ECONNRESET');
  });

  it('leaves no listener on a signal or a connection', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning);
    process.on('warning', onWarning);
    const store = await openStore(saying(STORED));
    const { signal } = new AbortController();
    const request = { headers: {}, sizeBytes: 1, body: Buffer.alloc(1) };
    for (let call = 0; call < 40; call += 1) await store.write('k', request, { signal });
    await Promise.all(Array.from({ length: 20 }, () => store.write('k', request, { signal })));
    await delay(1);
    process.off('warning', onWarning);
    assert.deepEqual(warnings, []);
  });
});
