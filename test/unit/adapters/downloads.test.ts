import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import { createServer } from 'node:tls';
import { createStoreHttp } from '../../../adapters/object-store/http-client.ts';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import { makeCertificate } from '../../../dev/system/certificate.ts';
import { failsAs, found, MIB, onHead, openStoreAt, saying, withRawStores } from './raw-stores.ts';

const BODY = randomBytes(9 * MIB + 13);
const SHA256 = createHash('sha256').update(BODY).digest('hex');
const OPENED = { ifMatch: 'e' };
const ERROR = '<Error><Code>SlowDown</Code></Error>';
const chunked = (text: string) =>
  `${text.length.toString(16)};x=y\r\n${text}\r\n0\r\ntrailer: x\r\n\r\n`;

type Pace = (piece: number) => Promise<unknown>;

/** The SHA-256 of what arrives at the reader's pace; a piece must not change before the next one is asked for. */
async function hashOf(store: ObjectStore, pause: Pace) {
  const opened = await store.open('k', OPENED);
  const hash = createHash('sha256');
  let pieces = 0;
  for await (const piece of opened.body) {
    const atFirst = Buffer.from(piece);
    await pause((pieces += 1));
    assert.ok(atFirst.equals(piece), 'a piece changed while it was used');
    hash.update(piece);
  }
  return hash.digest('hex');
}

const PACES: Readonly<Record<string, Pace>> = {
  'at once': () => Promise.resolve(),
  'after a turn of the loop': turn,
  'now and then late': (piece) => (piece % 7 === 3 ? delay(3) : turn()),
};

describe('the bytes of an object', () => {
  const openStore = withRawStores();
  const sendAll = onHead((socket: Socket) => {
    socket.write(found(BODY.length));
    socket.write(BODY);
  });

  for (const [pace, pause] of Object.entries(PACES))
    it(`arrive whole and in order where the reader asks for more ${pace}, over one connection`, async () => {
      const store = await openStore(sendAll);
      for (let time = 0; time < 5; time += 1) assert.equal(await hashOf(store, pause), SHA256);
      assert.equal(store.connections(), 1);
    });

  it('arrive whole over TLS', async () => {
    const server = createServer(await makeCertificate(), (socket) => sendAll(socket));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const http = createStoreHttp();
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      const aws = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const store = openStoreAt({ aws }, undefined, { http });
      for (const pause of Object.values(PACES)) assert.equal(await hashOf(store, pause), SHA256);
    } finally {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
      http.close();
      server.close();
    }
  });

  it('arrive where the head comes byte by byte, after an interim response', async () => {
    const head = `HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n${found(5)}`;
    const dripping = async (socket: Socket) => {
      for (const byte of head) {
        socket.write(byte);
        await turn();
      }
      socket.write('12345');
    };
    const store = await openStore(onHead((socket) => void dripping(socket)));
    const sha256 = createHash('sha256').update('12345').digest('hex');
    assert.equal(await hashOf(store, turn), sha256);
  });

  for (const pieces of [[9 * MIB + 13], [1, 3 * MIB, 6 * MIB + 12]])
    it(`arrive whole where no length is announced, in chunks of ${pieces.join(', ')} bytes`, async () => {
      const store = await openStore(
        onHead((socket) => {
          socket.write('HTTP/1.1 200 OK\r\netag: "e"\r\ntransfer-encoding: chunked\r\n\r\n');
          let at = 0;
          for (const length of pieces) {
            socket.write(`${length.toString(16)}\r\n`);
            socket.write(BODY.subarray(at, (at += length)));
            socket.write('\r\n');
          }
          socket.write('0\r\n\r\n');
        }),
      );
      for (const pause of Object.values(PACES)) assert.equal(await hashOf(store, pause), SHA256);
    });

  const refusals: Readonly<Record<string, string>> = {
    'of known length': `content-length: ${ERROR.length}\r\n\r\n${ERROR}`,
    'in chunks': `transfer-encoding: chunked\r\n\r\n${chunked(ERROR)}`,
    'that ends with the connection': `connection: close\r\n\r\n${ERROR}`,
  };
  for (const [form, rest] of Object.entries(refusals))
    it(`are refused by an error document ${form}`, async () => {
      const store = await openStore(
        onHead((socket) => {
          socket.write(`HTTP/1.1 503 Slow Down\r\n${rest}`);
          if (rest.startsWith('connection')) socket.end();
        }),
      );
      await assert.rejects(store.open('k', OPENED), failsAs('throttled', true));
    });

  const broken: Readonly<Record<string, string>> = {
    'a head without an end': `${found(5).slice(0, -2)}${'x: y\r\n'.repeat(4_000)}`,
    'a header that is no field': found(5).replace('etag', 'e tag'),
    'a length that is no number': found(5).replace('length: 5', 'length: 5x'),
    'more bytes than announced': `${found(5)}123456`,
    'a chunk that is longer than its size':
      'HTTP/1.1 200 OK\r\netag: "e"\r\ntransfer-encoding: chunked\r\n\r\n1\r\nxyz\r\n0\r\n\r\n',
    'a chunk without a size': 'HTTP/1.1 503 x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
  };
  for (const [what, text] of Object.entries(broken))
    it(`are refused after ${what}`, async () => {
      const store = await openStore(saying(text));
      await assert.rejects(hashOf(store, turn), failsAs('unreachable', true));
    });

  it('are asked for again where the kept connection is stale, and only there', async () => {
    const store = await openStore((socket, index) =>
      onHead((_socket, before) => {
        if (index === 1 && before > 0) socket.destroy();
        else socket.write(`${found(5)}12345`);
      })(socket),
    );
    const hashes = [await hashOf(store, turn), await hashOf(store, turn)];
    assert.equal(hashes[0], hashes[1]);
    assert.equal(store.connections(), 2);
    const gone = await openStore(onHead((socket) => void socket.destroy()));
    await assert.rejects(gone.open('k', OPENED), failsAs('unreachable', true));
    assert.equal(gone.connections(), 1);
  });

  it('are not read from a connection on which more has arrived than was asked for', async () => {
    const store = await openStore(
      onHead((socket) => {
        socket.write(`${found(5)}12345`);
        setTimeout(() => socket.write(`${found(5)}other`), 20);
      }),
    );
    const first = await hashOf(store, turn);
    await delay(100);
    assert.equal(await hashOf(store, turn), first);
    assert.equal(store.connections(), 2);
  });

  it('end with the reason of the signal, in the middle too', async () => {
    const store = await openStore(onHead((socket) => void socket.write(found(BODY.length))));
    const stop = new AbortController();
    const opened = await store.open('k', OPENED, { signal: stop.signal });
    const reason = new Error('called off');
    setTimeout(() => stop.abort(reason), 20);
    await assert.rejects(
      async () => {
        for await (const _piece of opened.body);
      },
      (error) => error === reason,
    );
  });
});
