import assert from 'node:assert/strict';
import { type StorageRoutingClient, StorageRoutingError } from '../../../sdk/src/index.ts';
import { mayRepeat, parseRetryAfter, waitBeforeRepeat } from '../../../sdk/src/http/retry.ts';
import {
  type Answer,
  breakOff,
  clientFor,
  errorOf,
  hang,
  inTurn,
  json,
  refusal,
  startServer,
} from './servers.ts';

type Call = (client: StorageRoutingClient) => Promise<unknown>;

const reading: Record<string, Call> = {
  me: (client) => client.me(),
  health: (client) => client.health(),
  getFile: (client) => client.getFile('f-1'),
  complete: (client) => client.complete('f-1'),
  deleteFile: (client) => client.deleteFile('f-1'),
  'providers.save': (client) =>
    client.providers.save({
      provider: 'b2',
      accessKeyId: 'id',
      secretAccessKey: 'secret',
      bucketName: 'bucket',
      region: 'eu-central-003',
    }),
  'providers.list': (client) => client.providers.list(),
  'providers.delete': (client) => client.providers.delete('b2'),
  'providers.test': (client) => client.providers.test('b2'),
  'apiKey.get': (client) => client.apiKey.get(),
  'billing.subscription': (client) => client.billing.subscription(),
  'billing.portal': (client) => client.billing.portal(),
  'scanner.serviceIdentity': (client) => client.scanner.serviceIdentity(),
  'scanner.connect': (client) =>
    client.scanner.connect({ roleArn: 'r', externalId: 'e', regions: ['us-east-1'] }),
  'scanner.connections': (client) => client.scanner.connections(),
  'scanner.results': (client) => client.scanner.results('s'),
  'scanner.history': (client) => client.scanner.history(),
  'migrations.approve': (client) => client.migrations.approve('r', { targetProvider: 'b2' }),
  'migrations.get': (client) => client.migrations.get('m'),
  'migrations.cancel': (client) => client.migrations.cancel('m'),
};

const starting: Record<string, Call> = {
  init: (client) => client.init({ fileName: 'a.txt', contentType: 'text/plain', fileSizeBytes: 5 }),
  'apiKey.regenerate': (client) => client.apiKey.regenerate(),
  'keys.rotate': (client) => client.keys.rotate(),
  'billing.checkout': (client) => client.billing.checkout({ plan: 'starter' }),
  'scanner.start': (client) => client.scanner.start('c'),
  'scanner.disconnect': (client) => client.scanner.disconnect('c'),
};

/** An answer that is valid for every call. */
const success = json(200, {
  fileId: 'f-1',
  presignedUrl: 'https://store.example/x',
  savedVsAws: 0,
  requiredHeaders: {},
});

const transient: Record<string, Answer> = {
  'a broken connection': breakOff,
  'a 502': refusal(502, 'provider_error'),
  'a 502 of a proxy': (_request, response) => void response.writeHead(502).end('<html>bad</html>'),
  'a 503': refusal(503, 'unavailable'),
  'a 504': refusal(504, 'unavailable'),
};

const lasting: [number, string][] = [
  [400, 'invalid_request'],
  [401, 'unauthorized'],
  [402, 'plan_limit'],
  [404, 'file_not_found'],
  [409, 'file_not_on_provider'],
  [410, 'file_deleted'],
  [500, 'internal_error'],
  [503, 'billing_not_configured'],
];

describe('what is sent again', () => {
  for (const [name, call] of Object.entries(reading)) {
    for (const [failure, answer] of Object.entries(transient)) {
      // spec: retries.client-repeats-gets, retries.file-get
      it(`${name} is, after ${failure}`, async () => {
        const server = await startServer(inTurn(answer, success));
        await call(clientFor(server).client);
        assert.equal(server.arrived.length, 2);
      });
    }
  }

  for (const [name, call] of Object.entries(starting)) {
    for (const [failure, answer] of Object.entries(transient)) {
      // spec: retries.client-repeats-gets
      it(`${name} is not, after ${failure}`, async () => {
        const server = await startServer(inTurn(answer, success));
        await errorOf(call(clientFor(server).client));
        assert.equal(server.arrived.length, 1);
      });
    }
  }

  for (const [name, call] of Object.entries({ ...reading, ...starting })) {
    // spec: retries.client-repeats-gets, retries.file-get
    it(`${name} is, after a 429, not before the time that the service named`, async () => {
      const server = await startServer(
        inTurn(refusal(429, 'rate_limited', { 'retry-after': '60' }), success),
      );
      const { client, waits } = clientFor(server);
      await call(client);
      assert.equal(server.arrived.length, 2);
      assert.deepEqual(waits, [60_500]);
    });

    // spec: retries.client-repeats-gets, retries.file-get
    it(`${name} is, where the connection is refused`, async () => {
      const server = await startServer(success);
      await server.close();
      const { client, waits } = clientFor(server);
      const error = await errorOf(call(client));
      assert.equal(error.code, 'connection_failed');
      assert.equal(waits.length, 3);
    });

    // spec: retries.client-repeats-gets
    it(`${name} is not, after a refusal that will not pass`, async () => {
      for (const [status, code] of lasting) {
        const server = await startServer(refusal(status, code));
        const error = await errorOf(call(clientFor(server).client));
        assert.deepEqual([error.status, error.code], [status, code]);
        assert.equal(server.arrived.length, 1);
      }
    });
  }

  it('repeats a safe call after a timeout, and no call that starts work', async () => {
    const server = await startServer(hang);
    const { client } = clientFor(server, { timeoutMs: 1_000, maxRetries: 1 });
    assert.equal((await errorOf(client.me())).code, 'timeout');
    assert.equal(server.arrived.length, 2);
    assert.equal((await errorOf(client.keys.rotate())).code, 'timeout');
    assert.equal(server.arrived.length, 3);
  });

  it('treats an incomplete answer body as a broken connection', async () => {
    const half: Answer = (_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"acc', () => response.socket?.destroy());
    };
    const server = await startServer(inTurn(half, success));
    await clientFor(server).client.me();
    assert.equal(server.arrived.length, 2);
    const other = await startServer(inTurn(half, success));
    assert.equal((await errorOf(clientFor(other).client.keys.rotate())).code, 'connection_lost');
    assert.equal(other.arrived.length, 1);
  });

  it('treats an unknown host name as a failed connection', async () => {
    const { client } = clientFor({ url: 'http://nowhere.invalid' }, { maxRetries: 0 });
    assert.equal((await errorOf(client.me())).code, 'connection_failed');
  });

  it('repeats no call more often than maxRetries', async () => {
    const server = await startServer(refusal(503, 'unavailable'));
    const { client, waits } = clientFor(server, { maxRetries: 2 });
    assert.equal((await errorOf(client.me())).code, 'unavailable');
    assert.equal(server.arrived.length, 3);
    assert.deepEqual(waits, [188, 375]);
    await errorOf(clientFor(server, { maxRetries: 0 }).client.me());
    assert.equal(server.arrived.length, 4);
  });

  it('repeats no call where the service requests a wait over two minutes', async () => {
    const server = await startServer(refusal(429, 'rate_limited', { 'retry-after': '121' }));
    const { client, waits } = clientFor(server);
    const error = await errorOf(client.me());
    assert.equal(error.retryAfterMs, 121_000);
    assert.deepEqual(waits, []);
  });

  it('sends the same X-Request-ID with every attempt, and a new one with the next call', async () => {
    const server = await startServer(inTurn(refusal(503, 'unavailable'), breakOff, success));
    const { client } = clientFor(server);
    await client.me();
    await client.me();
    const ids = server.arrived.map(({ headers }) => headers['x-request-id']);
    assert.equal(ids.length, 4);
    assert.match(String(ids[0]), /^[0-9a-f-]{36}$/);
    assert.deepEqual(ids.slice(0, 3), [ids[0], ids[0], ids[0]]);
    assert.notEqual(ids[3], ids[0]);
  });

  it('requests the dashboard token before each attempt', async () => {
    const server = await startServer(inTurn(refusal(503, 'unavailable'), success));
    let asked = 0;
    const dashboardToken = async (): Promise<string> => `token-${(asked += 1)}`;
    await clientFor(server, { dashboardToken }).client.providers.list();
    const sent = server.arrived.map(({ headers }) => headers.authorization);
    assert.deepEqual(sent, ['Bearer token-1', 'Bearer token-2']);
  });
});

describe('the retry rules', () => {
  const failure = (code: string, status?: number, retryAfterMs?: number): StorageRoutingError =>
    new StorageRoutingError({ code, message: code, status, retryAfterMs });

  it('never repeat an aborted call', () => {
    assert.equal(mayRepeat(failure('aborted'), 'safe'), false);
  });

  it('double the wait up to eight seconds, with at least half of it fixed', () => {
    const ceilings = [250, 500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000];
    for (const [attempt, ceilingMs] of ceilings.entries()) {
      assert.equal(
        waitBeforeRepeat(failure('unavailable', 503), attempt, () => 0),
        ceilingMs / 2,
      );
      const longest = waitBeforeRepeat(failure('unavailable', 503), attempt, () => 0.999999);
      assert.equal(longest, ceilingMs);
    }
  });

  it('wait at least as long as requested, with one second of jitter', () => {
    const limited = failure('rate_limited', 429, 60_000);
    assert.equal(
      waitBeforeRepeat(limited, 0, () => 0),
      60_000,
    );
    assert.equal(
      waitBeforeRepeat(limited, 5, () => 0.999999),
      61_000,
    );
    assert.equal(
      waitBeforeRepeat(failure('x', 429, 120_000), 0, () => 0),
      120_000,
    );
    assert.equal(
      waitBeforeRepeat(failure('x', 429, 120_001), 0, () => 0),
      undefined,
    );
  });

  it('parse Retry-After as seconds or a date only', () => {
    const nowMs = Date.parse('2026-11-20T12:00:00Z');
    assert.equal(parseRetryAfter('60', nowMs), 60_000);
    assert.equal(parseRetryAfter(' 0 ', nowMs), 0);
    assert.equal(parseRetryAfter('Fri, 20 Nov 2026 12:00:30 GMT', nowMs), 30_000);
    assert.equal(parseRetryAfter('Fri, 20 Nov 2026 11:00:00 GMT', nowMs), 0);
    for (const value of [null, '', 'soon', '-5', '1.5', '2026-11-20']) {
      assert.equal(parseRetryAfter(value, nowMs), undefined);
    }
  });

  it('compare a date in Retry-After with the given clock', async () => {
    const date = 'Fri, 20 Nov 2026 12:00:30 GMT';
    const server = await startServer(
      inTurn(refusal(429, 'rate_limited', { 'retry-after': date }), success),
    );
    const now = (): number => Date.parse('2026-11-20T12:00:00Z');
    const { client, waits } = clientFor(server, {}, { now });
    await client.me();
    assert.deepEqual(waits, [30_500]);
  });
});
