import assert from 'node:assert/strict';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import type { Service } from '../../dev/service.ts';
import { startBalancer, type Balancer } from '../harness/balancer.ts';
import { createCustomer } from '../harness/customer.ts';
import { createLeanClient, type Ask } from '../harness/lean-client.ts';
import { startIsolatedService } from '../servers.ts';

const CALLERS = 40;
const CALLS_PER_SECOND = 100;
const BETWEEN_RESTARTS_MS = 4_000;
const BYTES = 'x'.repeat(8);

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
    client = createLeanClient(await createCustomer(isolated.stack, balancer.url, ['r2']), CALLERS);
  });
  after(async () => {
    client?.close();
    await balancer?.close();
    await service?.stop();
  });

  it('loses no call and no acknowledged file under 100 calls a second', async () => {
    const { ask } = client;
    const load = keepCalling(ask);
    await wait(BETWEEN_RESTARTS_MS);
    for (const one of [...service.apis, ...service.workers]) {
      await one.stop();
      await one.restart();
      await wait(BETWEEN_RESTARTS_MS);
    }
    const { counts, faults, active, deleted, seconds } = await load.end();
    const calls = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const rate = calls / seconds;
    process.stdout.write(`      ${Math.round(rate)} calls a second, ${JSON.stringify(counts)}\n`);
    assert.deepEqual(faults, []);
    assert.ok(rate > CALLS_PER_SECOND * 0.8, `${Math.round(rate)} a second`);
    assert.ok(active.size > 100 && deleted.size > 50, `${active.size} and ${deleted.size} files`);
    for (const fileId of active) {
      const { status, text } = await ask('GET', `/v1/file/${fileId}`);
      assert.equal(status, 200);
      const { downloadUrl } = JSON.parse(text) as { downloadUrl: string };
      const stored = await fetch(downloadUrl);
      assert.equal(await stored.text(), BYTES, fileId);
    }
    for (const fileId of deleted)
      assert.equal((await ask('GET', `/v1/file/${fileId}`)).status, 410, fileId);
  });
});

/** Callers that announce, send, complete, read and delete files, at a steady rate together. */
function keepCalling(ask: Ask) {
  const counts: Record<string, number> = {};
  const faults: string[] = [];
  const [active, deleted] = [new Set<string>(), new Set<string>()];
  const over = new AbortController();
  const startedAt = performance.now();

  /** Undefined: the call was refused as it may be, or lost. */
  async function call(what: string, expected: number, ...given: Parameters<Ask>) {
    const begunAt = performance.now();
    try {
      const { status, headers, text } = await ask(...given);
      counts[`${what} ${status}`] = (counts[`${what} ${status}`] ?? 0) + 1;
      if (status === expected) return JSON.parse(text) as unknown;
      const mayWait = what === 'init' && status === 503 && Number(headers['retry-after']) > 0;
      if (!mayWait) faults.push(`${what}: ${status} ${text}`);
    } catch (error) {
      faults.push(`${what}: ${(error as NodeJS.ErrnoException).code ?? String(error)}`);
    } finally {
      const paceMs = (CALLERS * 1_000) / CALLS_PER_SECOND;
      await wait(Math.max(0, paceMs - (performance.now() - begunAt)));
    }
    return undefined;
  }

  async function runFile(index: number): Promise<void> {
    const file = { fileName: 'a.txt', contentType: 'text/plain', fileSizeBytes: BYTES.length };
    const begun = await call('init', 201, 'POST', '/v1/upload/init', file);
    if (!begun) return;
    const { fileId, presignedUrl, requiredHeaders } = begun as {
      fileId: string;
      presignedUrl: string;
      requiredHeaders: Record<string, string>;
    };
    const put = { method: 'PUT', headers: requiredHeaders, body: BYTES };
    assert.equal((await fetch(presignedUrl, put)).status, 200);
    if (!(await call('complete', 200, 'POST', '/v1/upload/complete', { fileId }))) return;
    active.add(fileId);
    await call('get', 200, 'GET', `/v1/file/${fileId}`);
    await call('me', 200, 'GET', '/v1/me');
    if (index % 3 !== 0) return;
    active.delete(fileId);
    if (await call('delete', 200, 'DELETE', `/v1/file/${fileId}`)) deleted.add(fileId);
  }

  const run = async () => {
    for (let index = 0; !over.signal.aborted; index += 1) await runFile(index);
  };
  const callers = Array.from({ length: CALLERS }, run);
  return {
    async end() {
      over.abort();
      await Promise.all(callers);
      const seconds = (performance.now() - startedAt) / 1_000;
      return { counts, faults, active, deleted, seconds };
    },
  };
}
