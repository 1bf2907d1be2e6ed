import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createStoreHttp } from '../../adapters/object-store/http-client.ts';
import { sendBuffered } from '../../adapters/object-store/http-messages.ts';
import { listening } from '../harness/listening.ts';

const CALLS = 3_000;
/** Longer than a call takes on a busy machine. */
const TIMEOUT_MS = 2_000;
/** Calls kept 2 to 7 KB each where `AbortSignal.any` bounded them. */
const MOST_KEPT_BYTES = 1_000;

describe('the memory that calls to a store leave', function () {
  this.timeout(60_000);
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let server: Server;
  let port: number;
  before(async () => {
    server = createServer((_incoming, outgoing) => outgoing.writeHead(404).end());
    port = await listening(server);
  });
  after(() => server?.close());

  const CASES = {
    'with a time-out': {},
    'with a time-out and a signal that lives on': { signal: new AbortController().signal },
  };
  for (const [name, options] of Object.entries(CASES))
    it(`is nothing, ${name}`, async () => {
      const http = createStoreHttp({ deadline: { remainingMs: () => TIMEOUT_MS } });
      const request = {
        address: {
          provider: 'aws' as const,
          protocol: 'http:' as const,
          hostname: '127.0.0.1',
          port,
          pathPrefix: '',
        },
        method: 'HEAD',
        path: '/bucket/key',
        headers: {},
      };
      const heapAfter = async (calls: number): Promise<number> => {
        for (let n = 0; n < calls; n += 1)
          await sendBuffered(http, request, { timeoutMs: TIMEOUT_MS, ...options });
        // Until the timers of these calls have fired.
        await pause(TIMEOUT_MS + 200);
        collect();
        return process.memoryUsage().heapUsed;
      };
      const warm = await heapAfter(CALLS / 4);
      const keptBytes = ((await heapAfter(CALLS)) - warm) / CALLS;
      http.close();
      assert.ok(keptBytes < MOST_KEPT_BYTES, `${Math.round(keptBytes)} bytes a call`);
    });
});
