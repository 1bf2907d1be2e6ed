import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { StoreError, type StoreFailure } from '../../../adapters/object-store/errors.ts';
import { createStoreHttp } from '../../../adapters/object-store/http-client.ts';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import { createObjectStores } from '../../../adapters/object-store/s3-store.ts';
import { listen, type Listener } from '../../contract/connections.ts';
import { answer, chunks, FOUND, MIB, onHead, refusal, STORED } from './raw-responses.ts';

/** Longer than any delay of a busy machine. */
const LONG_IDLE_MS = 20_000;
/** Short enough for a test. */
const IDLE_MS = 150;

describe('the HTTP client of stores', () => {
  const http = createStoreHttp();
  const servers: Listener[] = [];
  after(() => http.close());
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });

  async function openStore(
    serve: (socket: Socket, index: number) => void,
    idleMs = LONG_IDLE_MS,
  ): Promise<ObjectStore & { connections(): number }> {
    const server = await listen(serve);
    servers.push(server);
    const open = createObjectStores({
      http,
      endpoints: { aws: server.origin },
      now: () => new Date(),
      idleMs,
    });
    const location = { provider: 'aws', bucketName: 'photos', region: 'us-east-1' } as const;
    const store = open(location, { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'secret' });
    return { ...store, connections: server.connections };
  }
  const failsAs = (failure: StoreFailure, isTransient?: boolean) => (error: unknown) => {
    assert.ok(error instanceof StoreError, String(error));
    assert.equal(error.failure, failure);
    if (isTransient !== undefined) assert.equal(error.isTransient, isTransient);
    return true;
  };
  const read = async (store: ObjectStore) => {
    let length = 0;
    const { body } = await store.open('k', { ifMatch: 'e' });
    for await (const chunk of body) length += chunk.length;
    return length;
  };
  const putStream = (store: ObjectStore, count: number, pauseMs = 0) =>
    store.write('k', { headers: {}, sizeBytes: count * MIB, body: chunks(count, pauseMs) });
  const putBuffer = (store: ObjectStore, sizeBytes: number) =>
    store.write('k', { headers: {}, sizeBytes, body: Buffer.alloc(sizeBytes) });

  it('returns the refusal of a store that closes the connection before the body is sent', async () => {
    for (const put of [putStream, (store: ObjectStore) => putBuffer(store, 16 * MIB)]) {
      const store = await openStore((socket) => {
        socket.once('data', () => {
          socket.pause();
          socket.write(refusal('403 Forbidden', 'AccessDenied'), () => socket.resetAndDestroy());
        });
      });
      await assert.rejects(put(store, 16), failsAs('access_denied'));
    }
  });

  it('returns the refusal of a store after a write failed', async () => {
    let hangUp = (): void => {};
    const hungUp = new Promise<void>((resolve) => {
      hangUp = resolve;
    });
    const store = await openStore((socket) => {
      socket.once('data', () => {
        socket.pause();
        socket.write(refusal('403 Forbidden', 'AccessDenied'), () => {
          socket.resetAndDestroy();
          hangUp();
        });
      });
    });
    async function* body(): AsyncGenerator<Buffer> {
      yield Buffer.alloc(1_000);
      await hungUp;
      // Written before the client could read.
      yield* chunks(1);
    }
    const request = { headers: {}, sizeBytes: 4 * MIB, body: body() };
    await assert.rejects(store.write('k', request), failsAs('access_denied'));
  });

  it('stops sending at the response', async () => {
    const store = await openStore((socket) =>
      onHead(socket, () => socket.write(refusal('400 Bad Request', 'EntityTooLarge'))),
    );
    await assert.rejects(putStream(store, 10_000, 1), failsAs('rejected', false));
  });

  it('fails for a success before the body is sent', async () => {
    const store = await openStore((socket) => onHead(socket, () => socket.write(STORED)));
    await assert.rejects(putStream(store, 10_000, 1), failsAs('failed', true));
  });

  it('fails with timed_out where the store stops sending or reading', async () => {
    const stops = await openStore(
      (socket) => onHead(socket, () => socket.write(`${FOUND}half`)),
      IDLE_MS,
    );
    await assert.rejects(read(stops), failsAs('timed_out'));
    const takesNone = await openStore((socket) => void socket.pause(), IDLE_MS);
    await assert.rejects(putStream(takesNone, 64), failsAs('timed_out'));
    await assert.rejects(putBuffer(takesNone, 64 * MIB), failsAs('timed_out'));
  });

  it('does not let a bucket that hangs take the connections of others on the same host', async () => {
    const bounded = createStoreHttp({ maxSocketsPerBucket: 2 });
    const server = await listen((socket) => {
      socket.once('data', (head: Buffer) => {
        if (!head.toString('latin1').includes('/hung/')) socket.write(FOUND);
      });
    });
    servers.push(server);
    const open = createObjectStores({
      http: bounded,
      endpoints: { aws: server.origin },
      now: () => new Date(),
      idleMs: 3_000,
    });
    const at = (bucketName: string) =>
      open(
        { provider: 'aws', bucketName, region: 'us-east-1' },
        { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'secret' },
      );
    const hung = Array.from({ length: 4 }, () => assert.rejects(at('hung').head('k')));
    const startedAt = performance.now();
    await at('other').head('k');
    assert.ok(performance.now() - startedAt < 1_500);
    await Promise.all(hung);
    bounded.close();
  });

  it('reports each piece that was read or sent', async () => {
    let steps = 0;
    const watched = createStoreHttp({ onProgress: () => (steps += 1) });
    const server = await listen((socket) => {
      let length = 0;
      socket.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length > MIB) socket.write(STORED);
      });
    });
    servers.push(server);
    const open = createObjectStores({
      http: watched,
      endpoints: { aws: server.origin },
      now: () => new Date(),
    });
    const store = open(
      { provider: 'aws', bucketName: 'photos', region: 'us-east-1' },
      { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'secret' },
    );
    await store.write('k', { headers: {}, sizeBytes: MIB, body: Buffer.alloc(MIB) });
    assert.ok(steps >= 4, `${steps} reports for a body of 1 MiB`);
    watched.close();
  });

  it('waits while bytes move', async () => {
    const slow = await openStore(
      (socket) =>
        onHead(socket, () => {
          socket.write(FOUND);
          let sent = 0;
          const timer = setInterval(() => {
            socket.write('x'.repeat(100));
            sent += 100;
            if (sent === 1_000) clearInterval(timer);
          }, 150);
        }),
      1_000,
    );
    assert.equal(await read(slow), 1_000);
    // Longer than draining the kernel's buffers, shorter than the whole transfer.
    const sips = await openStore((socket) => {
      let length = 0;
      socket.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length > 40 * MIB) socket.write(STORED);
        socket.pause();
        setTimeout(() => socket.resume(), 1);
      });
    }, 700);
    const startedAt = performance.now();
    assert.equal(await putBuffer(sips, 40 * MIB), 'e');
    assert.ok(performance.now() - startedAt > 750);
  });

  it('has no time-out for a slow source or reader', async () => {
    const store = await openStore((socket) => {
      let length = 0;
      socket.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length > 2 * MIB) socket.write(STORED);
      });
    }, 1_000);
    assert.equal(await putStream(store, 2, 1_500), 'e');
    const quick = await openStore(
      (socket) =>
        onHead(socket, () => {
          socket.write(`HTTP/1.1 200 OK\r\netag: "e"\r\ncontent-length: ${8 * MIB}\r\n\r\n`);
          socket.write(Buffer.alloc(8 * MIB));
        }),
      1_000,
    );
    let length = 0;
    const { body } = await quick.open('k', { ifMatch: 'e' });
    for await (const chunk of body) {
      if (length === 0) await delay(1_500);
      length += chunk.length;
    }
    assert.equal(length, 8 * MIB);
  });

  it('does not read ahead of its reader', async () => {
    const total = 256 * MIB;
    let sender: Socket | undefined;
    const store = await openStore((socket) =>
      onHead(socket, () => {
        sender = socket;
        socket.write(`HTTP/1.1 200 OK\r\netag: "e"\r\ncontent-length: ${total}\r\n\r\n`);
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
    const cut = await openStore((socket) => onHead(socket, () => socket.end(`${FOUND}half`)));
    await assert.rejects(read(cut), failsAs('unreachable', true));
    const other = await openStore((socket) => onHead(socket, () => socket.write('hello\r\n')));
    await assert.rejects(read(other), failsAs('unreachable', true));
  });

  it('repeats a request on a new connection where the kept-alive one is stale', async () => {
    const store = await openStore((socket, index) =>
      onHead(socket, (before) => {
        if (index === 1 && before > 0) socket.destroy();
        else socket.write(STORED);
      }),
    );
    await putBuffer(store, 10);
    assert.equal(await putBuffer(store, 10), 'e');
    assert.equal(store.connections(), 2);
  });

  it('keeps the connection after an unread response body', async () => {
    const talks = answer('200 OK', ['etag: "e"'], 'stored, '.repeat(10_000));
    const store = await openStore((socket) => onHead(socket, () => socket.write(talks)));
    for (let call = 0; call < 3; call += 1) {
      assert.equal(await putBuffer(store, 10), 'e');
      await delay(300);
    }
    assert.equal(store.connections(), 1);
  });

  it('resets a connection with an incomplete body', async () => {
    const endings: Promise<string | undefined>[] = [];
    let arrive = (): void => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const store = await openStore((socket) => {
      const ending = once(socket, 'end').then(() => 'end');
      const broken = new Promise<string | undefined>((resolve) => {
        socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
      });
      endings.push(Promise.race([ending.catch(() => broken), broken]));
      socket.once('data', arrive);
    });
    async function* body(): AsyncGenerator<Buffer> {
      yield* chunks(1);
      await arrived;
      throw new Error('the source broke');
    }
    const request = { headers: {}, sizeBytes: 2 * MIB, body: body() };
    await assert.rejects(store.write('k', request), /the source broke/);
    assert.deepEqual(await Promise.all(endings), ['ECONNRESET']);
  });

  it('does not repeat a stream', async () => {
    let repeated = 0;
    const store = await openStore((socket, index) => {
      if (index > 1) socket.on('data', (chunk: Buffer) => (repeated += chunk.length));
      onHead(socket, (before) => {
        if (before > 0) socket.destroy();
        else if (index === 1) socket.write(STORED);
      });
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

  it('does not repeat a request that failed on a new connection', async () => {
    const store = await openStore((socket) => onHead(socket, () => socket.destroy()));
    await assert.rejects(putBuffer(store, 10), failsAs('unreachable', true));
    assert.equal(store.connections(), 1);
  });

  it('fails for an error document under status 200', async () => {
    const document = '<?xml version="1.0"?>\n<Error><Code>InternalError</Code></Error>';
    const fails = await openStore((socket) =>
      onHead(socket, () => socket.write(answer('200 OK', [], document))),
    );
    await assert.rejects(fails.completeUpload('k', 'u', ['e']), failsAs('failed', true));
    const empty = await openStore((socket) => onHead(socket, () => socket.write(STORED)));
    await assert.rejects(empty.completeUpload('k', 'u', ['e']), failsAs('failed', true));
  });

  it('fails for another range than requested', async () => {
    const store = await openStore((socket) => onHead(socket, () => socket.write(FOUND)));
    const range = { first: 10, last: 19 };
    await assert.rejects(store.open('k', { ifMatch: 'e', range }), failsAs('failed'));
  });

  it('leaves no listener on a signal or a connection', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning);
    process.on('warning', onWarning);
    const store = await openStore((socket) => onHead(socket, () => socket.write(STORED)));
    const { signal } = new AbortController();
    const request = { headers: {}, sizeBytes: 1, body: Buffer.alloc(1) };
    for (let call = 0; call < 40; call += 1) await store.write('k', request, { signal });
    await Promise.all(Array.from({ length: 20 }, () => store.write('k', request, { signal })));
    await delay(1);
    process.off('warning', onWarning);
    assert.deepEqual(warnings, []);
  });
});
