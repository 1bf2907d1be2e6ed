import assert from 'node:assert/strict';
import { NO_KEYS } from '../../adapters/temporal/payload-codec.ts';
import { startService, type Service } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import { openTemporal } from '../../adapters/temporal/open.ts';
import { RECONCILE_QUOTA_WORKFLOW, TASK_QUEUES } from '../../messages/names.ts';
import { createCustomer, eventually, type Customer } from '../harness/customer.ts';
import { startOwnStack } from '../servers.ts';

/** A line of Prometheus' text format: name, labels and value. */
const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;

describe('the metrics', () => {
  let stack: Stack;
  let service: Service;
  let customer: Customer;
  before(async () => {
    stack = await startOwnStack();
    service = await startService(stack, { workerCount: 0 });
    customer = await createCustomer(stack, service.baseUrl);
  });
  after(async () => {
    await service?.stop();
    await stack?.stop();
  });

  /** The values of a metric by their labels. */
  async function read(url: string, wanted: string): Promise<Map<string, number>> {
    const text = await (await fetch(`${url}/metrics`)).text();
    const values = new Map<string, number>();
    for (const line of text.split('\n').filter((each) => each !== '' && !each.startsWith('#'))) {
      const [, name, labels = '', value] = LINE.exec(line) ?? assert.fail(`not a metric: ${line}`);
      if (name === wanted) values.set(labels, Number(value));
    }
    return values;
  }
  const ofQueue = (values: Map<string, number>, queue: string) => values.get(`queue="${queue}"`);

  it('of the API show call durations by route and status, and the backlog of the workers', async () => {
    const [api] = service.apis;
    assert.ok(api);
    const all = async (name: string) => await read(api.metricsUrl, name);
    await customer.call('GET /v1/me');
    const calls = await all('http_request_duration_seconds_count');
    assert.ok((calls.get('method="GET",route="/v1/me",status="200"') ?? 0) >= 1);

    const { client, close } = openTemporal(
      {
        address: stack.environment['TEMPORAL_ADDRESS'] ?? '',
        namespace: 'default',
        payloadKeys: NO_KEYS,
      },
      { current: () => undefined },
    );
    const wait = { taskQueue: 'uploads', workflowId: 'waits-for-a-worker' };
    await client.workflow.start(RECONCILE_QUOTA_WORKFLOW, wait);
    await close();
    await eventually('the backlog shows, and how old it is', async () => {
      const [backlog, age] = [
        await all('task_queue_backlog'),
        await all('task_queue_backlog_age_seconds'),
      ];
      return ofQueue(backlog, 'uploads') === 1 && (ofQueue(age, 'uploads') ?? 0) >= 1;
    });
    assert.equal(ofQueue(await all('task_queue_backlog'), 'scans'), 0);

    await service.addWorker();
    // The server's count is some seconds behind.
    const workedOff = async () => {
      const [backlog, pollers] = [await all('task_queue_backlog'), await all('task_queue_pollers')];
      return TASK_QUEUES.every(
        (queue) => ofQueue(backlog, queue) === 0 && ofQueue(pollers, queue) === 1,
      );
    };
    await eventually('one worker has processed it', workedOff);
  });

  it('of the API are served without the backlogs while Temporal is down', async () => {
    const [api] = service.apis;
    assert.ok(api);
    await stack.temporal?.kill('SIGKILL');
    assert.equal((await read(api.metricsUrl, 'task_queue_backlog')).size, 0);
    assert.ok((await read(api.metricsUrl, 'process_resident_memory_bytes')).size > 0);
    await stack.temporal?.restart();
  });
});
