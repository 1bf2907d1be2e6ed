import assert from 'node:assert/strict';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import type { Service } from '../../dev/service.ts';
import { startBalancer, type Balancer } from '../harness/balancer.ts';
import { createCustomer } from '../harness/customer.ts';
import { createLeanClient } from '../harness/lean-client.ts';
import { keepCalling, requireKept } from '../harness/steady-calls.ts';
import { startIsolatedService } from '../servers.ts';

const LOAD = { callers: 40, callsPerSecond: 100 };
const BETWEEN_RESTARTS_MS = 4_000;

describe('a rolling restart of two API processes and two workers', () => {
  let service: Service;
  let balancer: Balancer;
  let client: ReturnType<typeof createLeanClient>;
  before(async () => {
    const isolated = await startIsolatedService({
      apiCount: 2,
      workerCount: 2,
      environment: { LOG_LEVEL: 'warn', DEFAULT_PLAN: 'enterprise', WORKER_QUEUES: 'uploads' },
    });
    ({ service } = isolated);
    balancer = await startBalancer(service.apis.map(({ url }) => url));
    const customer = await createCustomer(isolated.stack, balancer.url, ['r2']);
    client = createLeanClient(customer, LOAD.callers);
  });
  after(async () => {
    client?.close();
    await balancer?.close();
    await service?.stop();
  });

  it('loses no call and no acknowledged file under 100 calls a second', async () => {
    const { ask } = client;
    const load = keepCalling(ask, LOAD);
    await wait(BETWEEN_RESTARTS_MS);
    for (const one of [...service.apis, ...service.workers]) {
      await one.stop();
      await one.restart();
      await wait(BETWEEN_RESTARTS_MS);
    }
    const made = await load.end();
    const { counts, faults, active, deleted, seconds } = made;
    const calls = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const rate = calls / seconds;
    process.stdout.write(`      ${Math.round(rate)} calls a second, ${JSON.stringify(counts)}\n`);
    assert.deepEqual(faults, []);
    assert.ok(rate > LOAD.callsPerSecond * 0.8, `${Math.round(rate)} a second`);
    assert.ok(active.size > 100 && deleted.size > 50, `${active.size} and ${deleted.size} files`);
    await requireKept(ask, made);
  });
});
