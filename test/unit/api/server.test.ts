import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { eventually } from '../../acceptance/eventually.ts';
import { HttpServer } from '../../../api/http/server.ts';
import { listening } from '../../harness/listening.ts';
import { hearAll, openConnection, readAnswer } from './raw-client.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const running: Server[] = [];
const ASKING = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const LONGER_THAN_A_LINGER_MS = 1_200;

/** Blocks the event loop, as on an overloaded machine: no timer runs, no socket is read. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

type Served = Promise<[HttpServer, string]>;
async function serve(listener: RequestListener, settings: object = {}): Served {
  const http = new HttpServer(listener);
  const server = Object.assign(http.server, settings);
  running.push(server);
  return [http, `http://127.0.0.1:${await listening(server)}`];
}

/** Short timeouts for tests. */
const IMPATIENT = { headersTimeout: 100, requestTimeout: 100, connectionsCheckingInterval: 20 };

describe('the HTTP server', () => {
  afterEach(() => {
    for (const server of running.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });
  const echo: RequestListener = (_request, response) => void response.end('served');
  const pending: RequestListener = (incoming) => void incoming.resume();

  async function refuses(origin: string, text: string, status: number): Promise<void> {
    const socket = await openConnection(origin);
    socket.write(text);
    const answer = readAnswer(await hearAll(socket));
    assert.ok(answer, 'the connection was closed without an answer');
    assert.equal(answer.status, status);
    assert.match(answer.headers['x-request-id'] ?? '', UUID);
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
    assert.equal(answer.headers['content-length'], String(Buffer.byteLength(answer.body)));
    assert.equal(answer.headers['connection'], 'close');
    const { error, code } = JSON.parse(answer.body) as { error: string; code: string };
    assert.equal(code, 'invalid_request');
    assert.ok(error.length > 0);
  }

  const POST = 'POST / HTTP/1.1\r\nhost: a\r\n';
  const longTarget = `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nhost: a\r\n\r\n`;
  /** Further ones are in test/acceptance/requests.test.ts. */
  const twice = 'authorization: Bearer a\r\nAuthorization: Bearer b';
  const endless = { ...IMPATIENT, headersTimeout: 99 };
  for (const [what, text, status, settings] of [
    ['a header with a space in its name', 'GET / HTTP/1.1\r\nhost: a\r\nho st: a\r\n\r\n', 400],
    ['two lengths', `${POST}content-length: 1\r\ncontent-length: 2\r\n\r\n`, 400],
    ['two hosts', 'GET / HTTP/1.1\r\nhost: a\r\nHost: b\r\n\r\n', 400],
    ['two authorizations', `GET / HTTP/1.1\r\nhost: a\r\n${twice}\r\n\r\n`, 400],
    ['a body in broken chunks', `${POST}transfer-encoding: chunked\r\n\r\nnonsense\r\n`, 400],
    ['a target that is longer than a head may be', longTarget, 400],
    ['a body that does not end', `${POST}content-length: 10\r\n\r\n{`, 408, endless],
    ['headers that do not end', `${POST}x-slow: `, 408, { headersTimeout: 100 }],
  ] as [string, string, number, object?][])
    // spec: errors.body
    it(`answers ${status} in its own form to ${what}`, async () => {
      const [, origin] = await serve(pending, settings);
      const startedAt = performance.now();
      await refuses(origin, text, status);
      assert.ok(performance.now() - startedAt < 2_000);
    });

  it('writes nothing into an answer that has started', async () => {
    const [, origin] = await serve((_request, response) => void response.write('half'));
    const socket = await openConnection(origin);
    const heard = hearAll(socket);
    socket.write('POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n');
    await once(socket, 'data');
    socket.write('nonsense\r\n');
    assert.equal((await heard).split('HTTP/1.1').length, 2, 'one status line');
  });

  it('answers 405 to CONNECT', async () => {
    const [, origin] = await serve(echo);
    const socket = await openConnection(origin);
    socket.write('CONNECT a:443 HTTP/1.1\r\nhost: a:443\r\n\r\n');
    const answer = readAnswer(await hearAll(socket));
    assert.equal(answer?.status, 405);
    assert.equal((JSON.parse(answer.body) as { code: string }).code, 'method_not_allowed');
  });

  describe('requests that are sent ahead', () => {
    it('are answered in order', async () => {
      const [, origin] = await serve((request, response) => {
        // The later ones are ready first.
        setTimeout(() => response.end(request.url), 20 - Number(request.url?.slice(1)));
      });
      const socket = await openConnection(origin);
      const heard = hearAll(socket);
      const asked = Array.from({ length: 16 }, (_, index) => `/${index}`);
      const last = 'GET /last HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n';
      const text = asked.slice(1).map((path) => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`);
      socket.write(text.join('') + last);
      const bodies = [...(await heard).matchAll(/^(\/\w+?)(?:HTTP|$)/gm)];
      const answered = bodies.map(([, path]) => path);
      assert.deepEqual(answered, [...asked.slice(1), '/last']);
    });

    for (const [what, refused, statuses] of [
      ['two hosts', 'GET /twice HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n', [400]],
      ['no HTTP at all', 'HELLO\r\n\r\n', [400]],
      ['CONNECT', 'CONNECT a:443 HTTP/1.1\r\nhost: a:443\r\n\r\n', [405]],
      ['a body in broken chunks', `${chunked('/waits')}nonsense\r\n`, [400]],
      ['a broken body of which nobody waits', `${chunked('/refuses')}nonsense\r\n`, [403]],
    ] as [string, string, number[]][])
      it(`are answered before the refusal of one behind them, which is the last: ${what}`, async () => {
        const called: string[] = [];
        const [, origin] = await serve((request, response) => {
          called.push(request.url ?? '');
          if (request.url === '/refuses') response.writeHead(403).end();
          else if (request.method === 'GET') setTimeout(() => response.end(request.url), 20);
        });
        const socket = await openConnection(origin);
        const heard = hearAll(socket);
        const asked = ['/first', '/second'].map(
          (path) => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`,
        );
        socket.write(`${asked.join('')}${refused}GET /behind HTTP/1.1\r\nhost: a\r\n\r\n`);
        const text = await heard;
        const seen = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
        assert.deepEqual(seen, [200, 200, ...statuses], text);
        assert.match(text, /200 OK[^]*\/first[^]*200 OK[^]*\/second/);
        assert.deepEqual(called.slice(0, 2), ['/first', '/second']);
        assert.ok(!called.includes('/twice') && !called.includes('/behind'), String(called));
      });

    it('end the connection where more than 16 wait for an answer', async () => {
      let calls = 0;
      const [, origin] = await serve(() => void (calls += 1));
      const socket = await openConnection(origin);
      socket.write(ASKING.repeat(300));
      await once(socket, 'close');
      assert.equal(calls, 16);
    });

    it('are all closed with their connection, and end the streams of their answers', async () => {
      const streams: Readable[] = [];
      let closed = 0;
      const [, origin] = await serve((_request, response) => {
        response.once('close', () => (closed += 1));
        const body = new Readable({ read() {} });
        pipeline(body, response, () => {});
        streams.push(body);
      });
      const socket = await openConnection(origin);
      socket.write(ASKING.repeat(3));
      await eventually(async () => assert.equal(streams.length, 3));
      socket.destroy();
      await eventually(async () => assert.ok(streams.every((each) => each.destroyed)));
      assert.equal(closed, 3);
    });

    it('hold no more than the beginning of a streamed answer while the client does not read', async () => {
      const piece = Buffer.alloc(64 * 1024, 'x');
      let produced = 0;
      const [{ server }, origin] = await serve((_request, response) => {
        const endless = new Readable({
          read() {
            produced += piece.length;
            this.push(piece);
          },
        });
        endless.pipe(response);
      });
      const accepted = once(server, 'connection') as Promise<[Socket]>;
      const socket = await openConnection(origin);
      socket.pause();
      socket.write(ASKING.repeat(16));
      const [held] = await accepted;
      await once(held, 'data');
      let before = -1;
      while (before < produced) {
        before = produced;
        await wait(100);
      }
      // The buffers of the kernel hold some megabytes of the first answer.
      assert.ok(produced < 16 * 2 ** 20, `${produced} bytes`);
      socket.destroy();
    });
  });

  it('closes a connection on which nothing moves', async () => {
    const large = Buffer.alloc(64 * 2 ** 20);
    const [{ server }, origin] = await serve((_request, response) => void response.end(large), {
      timeout: 200,
    });
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const socket = await openConnection(origin);
    socket.pause();
    socket.write(ASKING);
    const [held] = await accepted;
    await once(held, 'close');
    socket.destroy();
  });

  describe('draining', () => {
    /** A server that answers on command. */
    async function serveSlowly() {
      let release = () => {};
      const released = new Promise<void>((resolve) => (release = resolve));
      let tellArrived = () => {};
      const arrived = new Promise<void>((resolve) => (tellArrived = resolve));
      const [server, origin] = await serve((_request, response) => {
        tellArrived();
        void released.then(() => response.end('served'));
      });
      return { server, origin, arrived, release };
    }

    it('finishes a running request with connection: close, and ends soon after', async () => {
      const { server, origin, arrived, release } = await serveSlowly();
      const agent = new Agent({ keepAlive: true });
      const answer = ask(origin, agent);
      await arrived;
      const startedAt = performance.now();
      const drained = server.drain(3_000);
      release();
      const { statusCode, headers } = await answer;
      assert.deepEqual([statusCode, headers.connection], [200, 'close']);
      await drained;
      const tookMs = performance.now() - startedAt;
      agent.destroy();
      assert.ok(tookMs < 2_500, `it waited ${Math.round(tookMs)} ms for an idle connection`);
    });

    it('accepts no new connection after a moment', async () => {
      const { server, origin, arrived, release } = await serveSlowly();
      const answer = ask(origin, new Agent());
      await arrived;
      const drained = server.drain(10_000);
      const knock = async () => (await openConnection(origin)).destroy();
      await eventually(() => assert.rejects(knock(), { code: 'ECONNREFUSED' }));
      release();
      assert.equal((await answer).statusCode, 200);
      await drained;
    });

    it('serves the connections that wait in the backlog of the kernel', async () => {
      const [server, origin] = await serve(echo);
      const { port } = new URL(origin);
      // The kernel has accepted the connections by the time this returns; the server has not.
      const sockets = Array.from({ length: 30 }, () => connect(Number(port), '127.0.0.1'));
      await Promise.resolve();
      const drained = server.drain(3_000);
      const answers = sockets.map(async (socket) => {
        socket.end(ASKING);
        return readAnswer(await hearAll(socket))?.body;
      });
      assert.deepEqual(new Set(await Promise.all(answers)), new Set(['served']));
      await drained;
    });

    it('answers with connection: close what arrived on a keep-alive connection while the event loop was blocked', async () => {
      const [server, origin] = await serve(echo);
      const socket = await openConnection(origin);
      socket.write(ASKING);
      await once(socket, 'data');
      const drained = server.drain(10_000);
      await nextTurn();
      socket.write(ASKING);
      standStill(LONGER_THAN_A_LINGER_MS);
      const said = hearAll(socket);
      await drained;
      assert.match(await said, /^HTTP\/1\.1 200 OK\r\n(?:.+\r\n)*Connection: close\r\n/);
    });

    it('aborts requests that exceed the time limit', async () => {
      const { server, origin, arrived } = await serveSlowly();
      const cut = assert.rejects(ask(origin, new Agent()), { code: 'ECONNRESET' });
      await arrived;
      const startedAt = performance.now();
      await server.drain(100);
      const tookMs = performance.now() - startedAt;
      assert.ok(tookMs >= 95 && tookMs < 5_000, `${tookMs} ms`);
      await cut;
    });
  });
});

function chunked(path: string): string {
  return `POST ${path} HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n`;
}

async function ask(origin: string, agent: Agent): Promise<IncomingMessage> {
  const outgoing = request(origin, { agent });
  outgoing.end();
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  answer.resume();
  await once(answer, 'end');
  return answer;
}
