import assert from 'node:assert/strict';
import { CLOCK } from '../../../sdk/src/http/settings.ts';
import type { Retry, StorageRoutingClient } from '../../../sdk/src/index.ts';
import { errorOf, inTurn, json, refusal, serve } from './servers.ts';
import { startUpload } from './uploads.ts';

interface WaitOptions {
  onState?: (state: string) => void;
  onRetry?: (retry: Retry) => void;
  signal?: AbortSignal;
  pollMs?: number;
}

type Wait = (client: StorageRoutingClient, options?: WaitOptions) => Promise<{ status: string }>;

const told = ({ onState, ...options }: WaitOptions) => ({
  ...options,
  onProgress: ({ status }: { status: string }) => onState?.(status),
});
const WAITS: [name: string, running: string, ends: string, wait: Wait][] = [
  [
    'scanner.waitFor',
    'queued running',
    'completed failed',
    ({ scanner }, options = {}) => scanner.waitFor('s', told(options)),
  ],
  [
    'migrations.waitFor',
    'queued planning copying verifying',
    'completed completed_with_failures failed cancelled',
    ({ migrations }, options = {}) => migrations.waitFor('m', told(options)),
  ],
];

const state = (status: string) => json(200, { status, completedAt: null });
const ended = (status: string) => json(200, { status, completedAt: '2026-11-20T12:00:00.000Z' });
const limited = refusal(429, 'rate_limited', { 'retry-after': '60' });

for (const [name, states, ends, wait] of WAITS)
  describe(name, () => {
    const running = states.split(' ');
    const [first = ''] = running;
    for (const end of ends.split(' ')) {
      // spec: scanner-sequence.poll
      it(`asks until the state is ${end}`, async () => {
        const answers = [...running.map(state), ended(end), state('too often')];
        const { client, waits } = await serve(inTurn(...answers));
        const seen: string[] = [];
        const onState = (status: string) => seen.push(status);
        assert.equal((await wait(client, { pollMs: 7, onState })).status, end);
        assert.deepEqual(seen, [...running, end]);
        assert.deepEqual(waits, Array(running.length).fill(7));
      });
    }

    it('tells of progress, and of the pauses that a rate limit asks for', async () => {
      const { client, waits } = await serve(
        inTurn(state(first), limited, limited, state(first), ended('completed')),
      );
      const heard: (string | number)[] = [];
      await wait(client, {
        onState: (status) => heard.push(status),
        onRetry: ({ error, attempt, waitMs }) => heard.push(error.code, attempt, waitMs),
      });
      const limits = (attempt: number) => ['rate_limited', attempt, 60_500];
      assert.deepEqual(heard, [first, limits(1), limits(2), first, 'completed'].flat());
      assert.deepEqual(waits, [2_000, 60_500, 60_500, 2_000]);
    });

    it('ends at once with the signal, in the middle of a pause and between two polls', async () => {
      const stopped = new AbortController();
      const { signal } = stopped;
      // The real wait: it would last a minute.
      const { client, server } = await serve(limited, {}, { sleep: CLOCK.sleep });
      const onRetry = () => void setImmediate(() => stopped.abort());
      assert.equal((await errorOf(wait(client, { onRetry, signal }))).code, 'aborted');
      assert.equal(server.arrived.length, 1);
      const between = new AbortController();
      const sleep = async () => between.abort();
      const polled = await serve(state(first), {}, { sleep });
      const error = await errorOf(wait(polled.client, { signal: between.signal }));
      assert.deepEqual([error.code, polled.server.arrived.length], ['aborted', 1]);
    });

    it('ends where a callback throws', async () => {
      const { client, server } = await serve(inTurn(limited, state(first)));
      const cause = new Error('no terminal');
      const fail = (): never => {
        throw cause;
      };
      for (const [callback, options] of [
        ['onRetry', { onRetry: fail }],
        ['onProgress', { onState: fail }],
      ] as const) {
        const error = await errorOf(wait(client, options));
        assert.deepEqual([error.code, error.cause], ['aborted', cause]);
        assert.match(error.message, new RegExp(callback));
      }
      assert.equal(server.arrived.length, 2);
    });
  });

describe('onRetry', () => {
  it('tells of an upload that waits, before and after its bytes', async () => {
    const retried: string[] = [];
    const once = (earlier: number) => (earlier === 0 ? limited : undefined);
    const { client } = await startUpload(5, { init: once, complete: once });
    await client.upload({
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
