import assert from 'node:assert/strict';
import process from 'node:process';
import type { ServiceProcess } from '../../dev/service.ts';
import { createCustomer } from '../harness/customer.ts';
import { createLeanClient } from '../harness/lean-client.ts';
import { isLongForm } from '../long-form.ts';
import { startIsolatedService, type IsolatedService } from '../servers.ts';

const REQUESTS = isLongForm ? 1_000_000 : 150_000;
const CALLERS = 16;
/** Of the calls about one file. A new file for each call would measure the database. */
const ROUNDS = 16;
/** How often the process is measured over the run. */
const SAMPLES = 60;
const MOST_GROWTH = 0.1;
const METRICS = {
  resident: 'process_resident_memory_bytes',
  heap: 'nodejs_heap_size_used_bytes',
} as const;

describe('the memory of an API process', function () {
  this.timeout((REQUESTS / 20) * 1_000 + 120_000);
  let isolated: IsolatedService;
  let api: ServiceProcess;
  let client: ReturnType<typeof createLeanClient>;
  before(async () => {
    isolated = await startIsolatedService({
      workerCount: 0,
      environment: { LOG_LEVEL: 'warn', RATE_LIMIT_KEY: '10000000', DEFAULT_PLAN: 'enterprise' },
    });
    const { stack, service } = isolated;
    [api = assert.fail()] = service.apis;
    client = createLeanClient(await createCustomer(stack, service.baseUrl, ['r2']), CALLERS);
  });
  after(async () => {
    client?.close();
    await isolated?.service.stop();
  });

  /** Announces a file, looks for it in vain, is refused here and there, and deletes it: 100 calls. */
  async function callMixed(): Promise<number> {
    const { ask } = client;
    const file = { fileName: 'a.txt', contentType: 'text/plain', fileSizeBytes: 8 };
    const { status, text } = await ask('POST', '/v1/upload/init', file);
    assert.equal(status, 201, text);
    const { fileId } = JSON.parse(text) as { fileId: string };
    let calls = 1;
    const expect = async (expected: number, ...call: Parameters<typeof ask>) => {
      const answer = await ask(...call);
      assert.equal(answer.status, expected, `${call[0]} ${call[1]}: ${answer.text}`);
      calls += 1;
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      await expect(200, 'GET', `/v1/file/${fileId}`);
      await expect(200, 'GET', '/v1/me');
      await expect(409, 'POST', '/v1/upload/complete', { fileId });
      await expect(404, 'GET', `/v1/nowhere/${fileId}`);
      await expect(400, 'POST', '/v1/upload/init', { ...file, [fileId]: 1 });
      await expect(200, 'GET', '/health');
    }
    await expect(200, 'DELETE', `/v1/file/${fileId}`);
    await expect(410, 'GET', `/v1/file/${fileId}`);
    await expect(410, 'GET', `/v1/file/${fileId}`);
    return calls;
  }

  async function measure(): Promise<Record<keyof typeof METRICS, number>> {
    const text = await (await fetch(`${api.metricsUrl}/metrics`)).text();
    const valueOf = (name: string) => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]);
    return { resident: valueOf(METRICS.resident), heap: valueOf(METRICS.heap) };
  }

  it(`grows by at most 10 % in the second half of ${REQUESTS} requests`, async () => {
    const samples: Awaited<ReturnType<typeof measure>>[] = [];
    let made = 0;
    const call = async () => {
      while (made < REQUESTS) {
        const calls = await callMixed();
        made += calls;
        if (made < (samples.length + 1) * (REQUESTS / SAMPLES)) continue;
        samples.push({ resident: Number.NaN, heap: Number.NaN });
        const place = samples.length - 1;
        samples[place] = await measure();
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, call));
    assert.ok(samples.length >= SAMPLES - 1, `${samples.length} samples`);
    const half = Math.floor(samples.length / 2);
    const report: string[] = [];
    // The heap is a saw: its lowest values are what is left after a collection.
    const levels = {
      resident: (part: readonly number[]) => part.toSorted((a, b) => a - b)[part.length >> 1] ?? 0,
      heap: (part: readonly number[]) => Math.min(...part),
    };
    for (const kind of ['resident', 'heap'] as const) {
      const values = samples.map((sample) => sample[kind]);
      assert.ok(values.every(Number.isFinite), kind);
      const level = levels[kind];
      const [middle, end] = [level(values.slice(half - 6, half + 6)), level(values.slice(-12))];
      const growth = end / middle - 1;
      report.push(`${kind} ${mib(middle)} to ${mib(end)} MiB (${(growth * 100).toFixed(1)} %)`);
      assert.ok(growth <= MOST_GROWTH, report.join(', '));
    }
    process.stdout.write(`      ${report.join(', ')}\n`);
  });
});

function mib(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}
