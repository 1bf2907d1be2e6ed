import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { openTemporal } from '../../adapters/temporal/open.ts';
import { NO_KEYS } from '../../adapters/temporal/payload-codec.ts';
import type { Service, ServiceProcess } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import { RECONCILE_QUOTA_WORKFLOW, TASK_QUEUES } from '../../messages/names.ts';
import {
  call,
  createCustomer,
  eventually,
  IN_TIME_MS,
  openDatabase,
  untilLogged,
  type Answer,
  type Customer,
  type Upload,
} from '../harness/customer.ts';
import { assertInvariants } from '../harness/invariants.ts';
import { openMongoProxy } from '../harness/mongo-proxy.ts';
import { startOwnStack, startServiceOn } from '../servers.ts';

/** A database that takes so long for each answer. */
const SLOW_MS = 2_000;
/** Of an init while Temporal is gone. */
const QUICKLY_MS = 1_000;
const LONG_IN_TIME_MS = 15_500;
/** As in docker-compose.yml. */
const PROBE_TIMEOUT_MS = 5_000;
/** Three failed probes at intervals of 10 s restart a process. */
const OUTAGE_MS = 30_000;
/** A line of Prometheus' text format: name, labels and value. */
const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;

describe('the service through outages', function () {
  this.timeout(180_000);
  let stack: Stack;
  let service: Service;
  let api: ServiceProcess;
  let worker: ServiceProcess;
  let customer: Customer;
  let database: Awaited<ReturnType<typeof openDatabase>>;
  let active: Upload;

  before(async () => {
    stack = await startOwnStack({ persistent: true });
    const environment = { DEFAULT_PLAN: 'growth' };
    service = await startServiceOn(stack, { environment, workerCount: 0 });
    [api = assert.fail()] = service.apis;
    database = await openDatabase(stack);
    customer = await createCustomer(stack, service.baseUrl, ['aws', 'r2']);
    active = await customer.send();
    assert.equal((await customer.complete(active.fileId)).status, 200);
  });
  beforeEach(async () => await untilWell());
  after(async () => {
    await database?.close();
    await service?.stop();
    await stack?.stop();
  });

  const untilWell = async () =>
    await eventually('it is ready', async () => {
      return (await call(service.baseUrl, 'GET /ready')).status === 200;
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
  const dropped = async () => (await read('upload_starts_dropped_total')).get('') ?? 0;
  const ofQueue = async (metric: string, queue: string) =>
    (await read(metric)).get(`queue="${queue}"`);

  async function probe(path: string, of = worker): Promise<{ status: number; text: string }> {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    const response = await fetch(`${of.url}${path}`, { signal });
    return { status: response.status, text: await response.text() };
  }
  const becomes = async (path: string, status: number, of = worker) =>
    await eventually(`${path} is ${status}`, async () => (await probe(path, of)).status === status);

  it('shows the durations of calls by route and status, and the backlog of the workers', async () => {
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

  it('has probes of a worker, beside its metrics', async () => {
    await becomes('/ready', 200);
    assert.deepEqual(JSON.parse((await probe('/health')).text), {
      status: 'ok',
      queues: TASK_QUEUES.map((queue) => ({ queue, state: 'polling' })),
    });
    assert.deepEqual(JSON.parse((await probe('/ready')).text).dependencies, {
      mongodb: 'up',
      temporal: 'up',
    });
    assert.match((await probe('/metrics')).text, /^temporal_/m);
    assert.equal((await probe('/v1/me')).status, 404);
    assert.equal((await fetch(`${worker.url}/health`, { method: 'POST' })).status, 404);
  });

  it('does not answer the probes of a worker whose event loop stands still', async () => {
    await worker.pause();
    await assert.rejects(probe('/health'), { name: 'TimeoutError' });
    worker.resume();
    await becomes('/health', 200);
  });

  it('carries uploads through their life while Temporal is gone, makes up for their workflows, and shows its worker as not ready and never as dead', async () => {
    const [waiting, toDelete, completed] = [
      await customer.send(),
      await customer.init(),
      await customer.send(),
    ];
    assert.equal((await customer.complete(completed.fileId)).status, 200);
    const booked = await customer.uploadsBooked();
    await stack.temporal?.kill('SIGKILL');
    // Those that find out that it is gone, and one that knows.
    const first = await Promise.all([customer.announce(), customer.announce()]);
    await eventually('the starts are dropped', async () => (await dropped()) === 2);
    const last = await customer.announce();
    assert.equal(await dropped(), 3);
    for (const { status, text, ms } of [...first, last]) {
      assert.equal(status, 201, text);
      assert.ok(ms < QUICKLY_MS, `it took ${ms} ms`);
    }
    const whole = await customer.send();
    const answers = await Promise.all([
      customer.complete(waiting.fileId),
      customer.complete(active.fileId),
      customer.get(active.fileId),
      customer.delete(toDelete.fileId),
      customer.delete(completed.fileId),
      customer.call('GET /v1/me'),
      customer.complete(whole.fileId),
    ]);
    for (const { status, text, ms } of answers) {
      assert.equal(status, 200, text);
      assert.ok(ms < IN_TIME_MS, `it took ${ms} ms`);
    }
    assert.equal((await customer.get(waiting.fileId)).body['status'], 'active');
    assert.equal(await customer.uploadsBooked(), booked + 3, 'a pending file was deleted');
    const { body: health } = await call(service.baseUrl, 'GET /health');
    assert.equal(health['status'], 'degraded');
    assert.equal((await call(service.baseUrl, 'GET /ready')).status, 200);

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

    await untilWell();
    // A repeated complete is answered from the file, which may be ahead of the usage records.
    await eventually('the usage is recorded once', async () => {
      return (await database.read('usage', { _id: waiting.fileId })).length === 1;
    });
    assert.equal(await customer.uploadsBooked(), booked + 3);
    assert.equal((await customer.announce()).status, 201);
    const pending = [...first, last].map(({ body }) => String(body['fileId']));
    await eventually('the workflows are started', async () => {
      const files = await database.read('files', { _id: { $in: pending } });
      return files.every(({ unstarted, status }) => status === 'pending' && !unstarted);
    });
  });

  it('shows a worker that lacks the certificates of TLS to Temporal as dead', async () => {
    const other = await service.addWorker({
      TEMPORAL_TLS: 'true',
      SSL_CERT_FILE: '/dev/null',
      SSL_CERT_DIR: '/nonexistent',
    });
    await untilLogged(other, 'NativeCertsNotFound');
    await becomes('/health', 503, other);
    await other.stop();
  });

  it('carries out a delete that nobody repeats where Temporal and the store hung', async () => {
    const { fileId } = await customer.send({ priority: 'hot' });
    assert.equal((await customer.complete(fileId)).status, 200);
    await stack.temporal?.pause();
    await stack.r2?.pause();
    let deleted: Answer;
    try {
      deleted = await customer.delete(fileId);
    } finally {
      stack.r2?.resume();
      stack.temporal?.resume();
    }
    assert.deepEqual([deleted.status, deleted.body], [202, { fileId, status: 'deleting' }]);
    assert.ok(deleted.ms < IN_TIME_MS, `it took ${deleted.ms} ms`);
    await untilWell();
    const isDeleted = async () =>
      (await database.read('files', { _id: fileId, status: 'deleted' })).length === 1;
    await eventually('the file is deleted', isDeleted);
  });

  it('answers in time where a store never does, beside a slow database', async () => {
    const proxy = await openMongoProxy(stack.environment['MONGODB_URI'] ?? '');
    const slow = await service.addApi({ MONGODB_URI: proxy.uri });
    const who = await createCustomer(stack, service.baseUrl, ['aws']);
    const { fileId } = await who.send({ priority: 'cold' });
    stack.cloud?.double.addFault({ effect: 'hang', service: 's3' });
    proxy.slowDown(SLOW_MS);
    try {
      const asked = { provider: 'aws', origin: 'https://app.example' };
      const [tested, completed] = await Promise.all([
        who.manage('POST /v1/providers/test', asked, slow.url),
        who.complete(fileId, slow.url),
      ]);
      assert.deepEqual([tested.status, tested.body['ok']], [200, false], tested.text);
      assert.deepEqual([completed.status, completed.body['code']], [502, 'provider_error']);
      for (const { ms } of [tested, completed]) assert.ok(ms < LONG_IN_TIME_MS, `it took ${ms} ms`);
    } finally {
      stack.cloud?.double.clearFaults();
      await slow.stop();
      await proxy.close();
    }
  });

  it('keeps valid tokens valid without the identity provider', async () => {
    const { identity } = stack;
    assert.ok(identity);
    const later = identity.issueToken({ account: 'new-account', algorithm: 'RS256' });
    await identity.close();
    const ask = (bearer: string) => call(service.baseUrl, 'GET /v1/providers', { bearer });
    assert.equal((await ask(customer.token)).status, 200);
    assert.equal((await ask(later)).status, 200);
  });

  it('leaves every invariant intact', async () => {
    await assertInvariants({ stack, service });
  });
});
