import assert from 'node:assert/strict';
import { CLOCK } from '../../../sdk/src/http/settings.ts';
import type { Retry, StorageRoutingClient } from '../../../sdk/src/index.ts';
import { type Answer, clientFor, errorOf, inTurn, json, refusal, startServer } from './servers.ts';

type Told = string | number;

interface Wait {
  running: Answer;
  ended: Answer;
  wait: (
    client: StorageRoutingClient,
    options: {
      onState: (state: string) => void;
      onRetry: (retry: Retry) => void;
      signal?: AbortSignal;
    },
  ) => Promise<{ status: string }>;
}

const waits: Record<string, Wait> = {
  'scanner.waitFor': {
    running: json(200, { status: 'running', completedAt: null }),
    ended: json(200, { status: 'completed' }),
    wait: ({ scanner }, { onState, ...options }) =>
      scanner.waitFor('s', { ...options, onProgress: ({ status }) => onState(status) }),
  },
  'migrations.waitFor': {
    running: json(200, { status: 'copying', completedAt: null }),
    ended: json(200, { status: 'completed' }),
    wait: ({ migrations }, { onState, ...options }) =>
      migrations.waitFor('m', { ...options, onProgress: ({ status }) => onState(status) }),
  },
};

const limited = refusal(429, 'rate_limited', { 'retry-after': '60' });

for (const [name, { running, ended, wait }] of Object.entries(waits)) {
  describe(name, () => {
    it('tells of progress, and of the pauses that a rate limit asks for', async () => {
      const server = await startServer(inTurn(running, limited, limited, running, ended));
      const { client, waits: slept } = clientFor(server);
      const told: Told[] = [];
      const { status } = await wait(client, {
        onState: (state) => told.push(state),
        onRetry: ({ error, attempt, waitMs }) => told.push(error.code, attempt, waitMs),
      });
      assert.equal(status, 'completed');
      const state = name === 'scanner.waitFor' ? 'running' : 'copying';
      const limits = (attempt: number): Told[] => ['rate_limited', attempt, 60_500];
      assert.deepEqual(told, [state, limits(1), limits(2), state, 'completed'].flat());
      assert.deepEqual(slept, [2_000, 60_500, 60_500, 2_000]);
    });

    it('ends at once with the signal, in the middle of a pause', async () => {
      const server = await startServer(limited);
      const stopped = new AbortController();
      // The real wait: it would last a minute.
      const { client } = clientFor(server, {}, { sleep: CLOCK.sleep });
      const error = await errorOf(
        wait(client, {
          onState: () => assert.fail('no state was seen'),
          onRetry: () => setImmediate(() => stopped.abort()),
          signal: stopped.signal,
        }),
      );
      assert.equal(error.code, 'aborted');
      assert.equal(server.arrived.length, 1);
    });

    it('ends where a callback throws', async () => {
      const server = await startServer(inTurn(limited, running));
      const { client } = clientFor(server);
      const broken = new Error('no terminal');
      const onState = (): void => assert.fail('not reached');
      const onRetry = (): never => {
        throw broken;
      };
      const error = await errorOf(wait(client, { onState, onRetry }));
      assert.deepEqual([error.code, error.cause], ['aborted', broken]);
      assert.match(error.message, /onRetry/);
    });
  });
}

describe('onRetry', () => {
  it('tells of an upload that waits, before and after its bytes', async () => {
    const retried: string[] = [];
    const store = await startServer(json(200, {}));
    const init = json(201, {
      fileId: 'f',
      provider: 'r2',
      savedVsAws: 0,
      requiredHeaders: {},
      presignedUrl: `${store.url}/o`,
      expiresAt: '',
    });
    const service = await startServer((request, response) => {
      const calls = service.arrived.filter(({ path }) => path === request.path).length;
      const isInit = request.path.endsWith('/init');
      const answer = isInit ? init : json(200, { fileId: 'f', status: 'active' });
      (calls === 1 ? limited : answer)(request, response);
    });
    await clientFor(service).client.upload({
      source: Buffer.from('hello'),
      fileName: 'a',
      onRetry: ({ error }) => retried.push(error.message),
    });
    assert.deepEqual(retried, [
      'POST /v1/upload/init 429: because of rate_limited',
      'POST /v1/upload/complete 429: because of rate_limited',
    ]);
  });
});
