import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { startService, type Service, type ServiceProcess } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import { eventually, untilLogged } from '../harness/customer.ts';
import { startOwnStack } from '../servers.ts';

/** As in docker-compose.yml. */
const PROBE_TIMEOUT_MS = 5_000;
/** Three failed probes at intervals of 10 s restart a process. */
const OUTAGE_MS = 30_000;

describe("a worker's probes", function () {
  this.timeout(180_000);
  let stack: Stack;
  let service: Service;
  let worker: ServiceProcess;

  before(async () => {
    stack = await startOwnStack({ persistent: true });
    service = await startService(stack, { workerCount: 1 });
    [worker = assert.fail()] = service.workers;
  });
  after(async () => {
    await service?.stop();
    await stack?.stop();
  });

  async function probe(path: string, of = worker): Promise<{ status: number; text: string }> {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    const response = await fetch(`${of.url}${path}`, { signal });
    return { status: response.status, text: await response.text() };
  }
  const becomes = async (path: string, status: number, of = worker) =>
    await eventually(`${path} is ${status}`, async () => (await probe(path, of)).status === status);

  it('are answered beside the metrics', async () => {
    await becomes('/ready', 200);
    assert.deepEqual(JSON.parse((await probe('/health')).text), {
      status: 'ok',
      queues: ['uploads', 'scans', 'migrations'].map((queue) => ({ queue, state: 'polling' })),
    });
    assert.deepEqual(JSON.parse((await probe('/ready')).text).dependencies, {
      mongodb: 'up',
      temporal: 'up',
    });
    assert.match((await probe('/metrics')).text, /^temporal_/m);
    assert.equal((await probe('/v1/me')).status, 404);
    assert.equal((await fetch(`${worker.url}/health`, { method: 'POST' })).status, 404);
  });

  it('are not answered while its event loop stands still', async () => {
    await worker.pause();
    await assert.rejects(probe('/health'), { name: 'TimeoutError' });
    worker.resume();
    await becomes('/health', 200);
  });

  it('tell an outage of Temporal as not ready, and never as dead', async () => {
    await stack.temporal?.kill('SIGKILL');
    await becomes('/ready', 503);
    assert.match((await probe('/ready')).text, /"temporal":"down"/);
    const endsAt = performance.now() + OUTAGE_MS;
    while (performance.now() < endsAt) {
      assert.equal((await probe('/health')).status, 200);
      assert.equal((await probe('/ready')).status, 503);
      await wait(500);
    }
    await stack.temporal?.restart();
    await becomes('/ready', 200);
  });

  it('tell a worker that lacks the certificates of TLS to Temporal as dead', async () => {
    const other = await service.addWorker({
      TEMPORAL_TLS: 'true',
      SSL_CERT_FILE: '/dev/null',
      SSL_CERT_DIR: '/nonexistent',
    });
    await untilLogged(other, 'NativeCertsNotFound');
    await becomes('/health', 503, other);
    await other.stop();
  });

  it('are answered by a worker that starts without Temporal, and polls once it is there', async () => {
    await stack.temporal?.kill('SIGKILL');
    const other = await service.addWorker();
    await untilLogged(other, 'cannot connect to Temporal yet');
    assert.equal((await probe('/health', other)).status, 200);
    assert.equal((await probe('/ready', other)).status, 503);
    assert.deepEqual(await probe('/metrics', other), { status: 200, text: '' });

    await stack.temporal?.restart();
    await becomes('/ready', 200, other);
    assert.match((await probe('/metrics', other)).text, /^temporal_/m);
    await other.stop();
    const lines = (await other.readLog()).trim().split('\n');
    for (const line of lines) assert.equal(JSON.parse(line).name, 'worker', line);
    // Temporal's own runtime still reports to this log.
    assert.ok(lines.some((line) => line.includes('Worker state changed')));
  });
});
