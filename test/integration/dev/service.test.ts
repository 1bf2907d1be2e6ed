import assert from 'node:assert/strict';
import { takeFreePort } from '../../../dev/system/ports.ts';
import { createProcesses, type Processes } from '../../../dev/system/processes.ts';
import { startService } from '../../../dev/service.ts';
import { isGone } from './fixtures/run.ts';

const FIXTURES = 'test/integration/dev/fixtures';

describe('the service as processes', () => {
  let processes: Processes;
  beforeEach(() => {
    processes = createProcesses(() => {});
  });
  afterEach(async () => await processes.stopAll());

  const options = { entries: { api: `${FIXTURES}/api.ts`, worker: `${FIXTURES}/worker.ts` } };
  const pidAt = async (url: string) => ((await (await fetch(url)).json()) as { pid: number }).pid;

  it('has several API processes, each with an address and a log of its own', async () => {
    const port = await takeFreePort();
    const environment = { DEFAULT_PLAN: 'growth' };
    const service = await startService(
      { processes, environment },
      { ...options, port, apiCount: 2 },
    );
    assert.equal(service.baseUrl, `http://127.0.0.1:${port}`);
    const third = await service.addApi({ DEFAULT_PLAN: 'free' });
    const pids = await Promise.all(service.apis.map(async ({ url }) => await pidAt(url)));
    assert.equal(new Set(pids).size, 3);
    assert.deepEqual(
      pids,
      service.apis.map(({ pid }) => pid),
    );
    assert.match((await service.apis[0]?.readLog()) ?? '', /api of plan growth/);
    assert.match(await third.readLog(), /api of plan free/);
    assert.equal(service.workers.length, 1);
    await service.stop();
    for (const pid of pids) assert.ok(await isGone(pid));
  });

  it('restarts at the same address after a kill', async () => {
    const service = await startService(
      { processes, environment: {} },
      { ...options, workerCount: 0 },
    );
    const [api] = service.apis;
    assert.ok(api);
    const before = await pidAt(service.baseUrl);
    await api.kill('SIGKILL');
    await assert.rejects(fetch(service.baseUrl));
    await api.restart();
    assert.notEqual(await pidAt(service.baseUrl), before);
    assert.equal(await pidAt(service.baseUrl), api.pid);
  });

  it('reports why an API cannot start', async () => {
    const missing = {
      ...options,
      workerCount: 0,
      entries: { api: 'no/such/file.ts', worker: 'no/such/file.ts' },
    };
    await assert.rejects(
      startService({ processes, environment: {} }, missing),
      /api ended unexpectedly[^]*no\/such\/file/,
    );
  });
});
