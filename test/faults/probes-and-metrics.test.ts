import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { openTemporal } from '../../adapters/temporal/open.ts';
import { NO_KEYS } from '../../adapters/temporal/payload-codec.ts';
import { startService, type Service, type ServiceProcess } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import { RECONCILE_QUOTA_WORKFLOW, TASK_QUEUES } from '../../messages/names.ts';
import { createCustomer, eventually, untilLogged } from '../harness/customer.ts';
import { startOwnStack } from '../servers.ts';

/** As in docker-compose.yml. */
const PROBE_TIMEOUT_MS = 5_000;
/** Three failed probes at intervals of 10 s restart a process. */
const OUTAGE_MS = 30_000;
/** A line of Prometheus' text format: name, labels and value. */
const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;

describe('what operators see of a process', function () {
  this.timeout(180_000);
  let stack: Stack;
  let service: Service;
  let api: ServiceProcess;
  let worker: ServiceProcess;

  before(async () => {
    stack = await startOwnStack({ persistent: true });
    service = await startService(stack, { workerCount: 0 });
    [api = assert.fail()] = service.apis;
  });
  after(async () => {
    await service?.stop();
    await stack?.stop();
  });

  /** The values of a metric of the API by their labels. */
  async function read(wanted: string): Promise<Map<string, number>> {
    const text = await (await fetch(`${api.metricsUrl}/metrics`)).text();
    const values = new Map<string, number>();
    for (const line of text.split('\n').filter((each) => each !== '' && !each.startsWith('#'))) {
      const [, name, labels = '', value] = LINE.exec(line) ?? assert.fail(`not a metric: ${line}`);
      if (name === wanted) values.set(labels, Number(value));
    }
    return values;
  }
  const ofQueue = async (metric: string, queue: string) =>
    (await read(metric)).get(`queue="${queue}"`);

  async function probe(path: string, of = worker): Promise<{ status: number; text: string }> {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    const response = await fetch(`${of.url}${path}`, { signal });
    return { status: response.status, text: await response.text() };
  }
  const becomes = async (path: string, status: number, of = worker) =>
    await eventually(`${path} is ${status}`, async () => (await probe(path, of)).status === status);

  it('are the durations of calls by route and status, and the backlog of the workers', async () => {
    const customer = await createCustomer(stack, service.baseUrl);
    await customer.call('GET /v1/me');
    const calls = await read('http_request_duration_seconds_count');
    assert.ok((calls.get('method="GET",route="/v1/me",status="200"') ?? 0) >= 1);

    const address = stack.environment['TEMPORAL_ADDRESS'] ?? '';
    const temporal = openTemporal(
      { address, namespace: 'default', payloadKeys: NO_KEYS },
      { current: () => undefined },
    );
    const waiting = { taskQueue: 'uploads', workflowId: 'waits-for-a-worker' };
    await temporal.client.workflow.start(RECONCILE_QUOTA_WORKFLOW, waiting);
    await temporal.close();
    await eventually('the backlog shows, and how old it is', async () => {
      const age = (await ofQueue('task_queue_backlog_age_seconds', 'uploads')) ?? 0;
      return (await ofQueue('task_queue_backlog', 'uploads')) === 1 && age >= 1;
    });
    assert.equal(await ofQueue('task_queue_backlog', 'scans'), 0);

    worker = await service.addWorker();
    // The server's count is some seconds behind.
    await eventually('one worker has processed it', async () => {
      const [backlog, pollers] = [
        await read('task_queue_backlog'),
        await read('task_queue_pollers'),
      ];
      return TASK_QUEUES.every(
        (queue) => backlog.get(`queue="${queue}"`) === 0 && pollers.get(`queue="${queue}"`) === 1,
      );
    });
  });

  it('are the probes of a worker, beside its metrics', async () => {
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

  it('are no answers to probes while its event loop stands still', async () => {
    await worker.pause();
    await assert.rejects(probe('/health'), { name: 'TimeoutError' });
    worker.resume();
    await becomes('/health', 200);
  });

  it('tell an outage of Temporal as not ready and never as dead, and metrics without backlogs', async () => {
    await stack.temporal?.kill('SIGKILL');
    await becomes('/ready', 503);
    assert.match((await probe('/ready')).text, /"temporal":"down"/);
    assert.equal((await read('task_queue_backlog')).size, 0);
    assert.ok((await read('process_resident_memory_bytes')).size > 0);
    const endsAt = performance.now() + OUTAGE_MS;
    while (performance.now() < endsAt) {
      assert.equal((await probe('/health')).status, 200);
      assert.equal((await probe('/ready')).status, 503);
      await wait(500);
    }

    // A worker that starts meanwhile answers, and polls once Temporal is there.
    const other = await service.addWorker();
    await untilLogged(other, 'cannot connect to Temporal yet');
    assert.equal((await probe('/health', other)).status, 200);
    assert.equal((await probe('/ready', other)).status, 503);
    assert.deepEqual(await probe('/metrics', other), { status: 200, text: '' });
    await stack.temporal?.restart();
    await becomes('/ready', 200);
    await becomes('/ready', 200, other);
    assert.match((await probe('/metrics', other)).text, /^temporal_/m);
    await other.stop();
    const lines = (await other.readLog()).trim().split('\n');
    for (const line of lines) assert.equal(JSON.parse(line).name, 'worker', line);
    // Temporal's own runtime still reports to this log.
    assert.ok(lines.some((line) => line.includes('Worker state changed')));
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
});
