import assert from 'node:assert/strict';
import { createCache } from '../../../dev/system/cache.ts';
import { takeFreePort } from '../../../dev/system/ports.ts';
import { createProcesses } from '../../../dev/system/processes.ts';
import { createProgress } from '../../../dev/system/progress.ts';
import { findProgram } from '../../../dev/services/service.ts';
import { findTimeSkippingServer } from '../../../dev/services/time-skipping.ts';
import { stripeMockProcess } from '../../../dev/services/stripe-mock.ts';
import { toxiproxyProcess } from '../../../dev/services/toxiproxy.ts';
import { services } from '../../../dev/services/services.ts';
import { startTimeSkipping } from '../../harness/time-skipping.ts';

describe('the servers that only tests use', function () {
  this.timeout(10 * 60_000);
  const progress = createProgress();
  const resolverContext = { progress, cache: createCache(progress) };

  it('skip a day', async () => {
    const path = await findTimeSkippingServer(resolverContext);
    const environment = await startTimeSkipping(path);
    const startedAt = Date.now();
    const before = await environment.currentTimeMs();
    await environment.sleep('1 day');
    assert.ok((await environment.currentTimeMs()) - before >= 24 * 3_600_000);
    assert.ok(Date.now() - startedAt < 60_000);
    await environment.teardown();
  });

  it('answer like Stripe to a request with a key', async () => {
    const processes = createProcesses(() => {});
    const port = await takeFreePort();
    await processes.start(
      stripeMockProcess(await findProgram(services.stripeMock, resolverContext), port),
    );
    const ask = async (headers: Record<string, string>) =>
      (await fetch(`http://127.0.0.1:${port}/v1/prices`, { headers })).status;
    assert.equal(await ask({}), 401);
    assert.equal(await ask({ authorization: 'Bearer sk_test_1' }), 200);
    await processes.stopAll();
  });

  it('proxy a connection', async () => {
    const processes = createProcesses(() => {});
    const [port, listen] = await Promise.all([takeFreePort(), takeFreePort()]);
    await processes.start(
      toxiproxyProcess(await findProgram(services.toxiproxy, resolverContext), port),
    );
    const control = `http://127.0.0.1:${port}`;
    const proxy = { name: 'itself', listen: `127.0.0.1:${listen}`, upstream: `127.0.0.1:${port}` };
    await fetch(`${control}/proxies`, { method: 'POST', body: JSON.stringify(proxy) });
    const answer = await fetch(`http://127.0.0.1:${listen}/version`);
    assert.equal(answer.status, 200);
    await processes.stopAll();
  });
});
