import assert from 'node:assert/strict';
import { isSoon } from '../../dev/system/probes.ts';
import { createCloudCustomer } from '../harness/cloud-customer.ts';
import { eventually, openDatabase } from '../harness/customer.ts';
import { localServers, localService, startIsolatedService } from '../servers.ts';

/** Longer than a slice of a bucket. */
const WATCHED_MS = 10_000;

describe('the bill of a scan', () => {
  it('is asked for once, also where the worker dies between the bill and the metrics', async () => {
    const { stack, service } = await startIsolatedService({
      environment: { DEFAULT_PLAN: 'growth', WORKER_QUEUES: 'scans' },
    });
    const [worker] = service.workers;
    const customer = await createCloudCustomer(stack, service.baseUrl);
    const { double, awsAccount } = customer;
    double.seed({ bucket: customer.bucket('a'), objects: [{ key: 'x', size: 7 }] });
    double.addFault({ effect: 'hang', service: 'monitoring', operation: 'ListMetrics', times: 1 });
    const asked = (operation: string) =>
      double
        .requests()
        .filter((each) => each.operation === operation && each.caller?.includes(awsAccount)).length;
    const { scanId } = await customer.client.scanner.start(await customer.connect());
    await eventually('metrics are asked for', async () => asked('ListMetrics') > 0);
    await worker?.kill('SIGKILL');
    await worker?.restart();
    const ended = await customer.ended(scanId);
    assert.equal(ended.status, 'completed', JSON.stringify(ended));
    assert.deepEqual([ended.summary.coverage, asked('GetCostAndUsage')], [[], 1]);
    await service.stop();
  });
});

describe('the end of a scan', () => {
  // spec: state.scan
  it('is said of one that failed when no bucket is read any more', async () => {
    const { stack } = await localServers();
    const { baseUrl } = await localService();
    const customer = await createCloudCustomer(stack, baseUrl);
    const { double } = customer;
    const delay = (bucket: string, latencyMs: number) =>
      double.addFault({ effect: 'latency', operation: 'ListObjectsV2', bucket, latencyMs });
    const quick = customer.bucket('a');
    double.seed({ bucket: quick, objects: [{ key: 'x', size: 7 }] });
    delay(quick, 2_500);
    const slow = ['b', 'c', 'd'].map((name) => customer.bucket(name));
    for (const bucket of slow) {
      double.seed({ bucket, generated: [{ count: 60_000, keyPattern: 'k/{i:6}', size: 1000 }] });
      delay(bucket, 800);
    }
    double.seed({ bucket: customer.bucket('e'), objects: [{ key: 'x', size: 7 }] });

    // The double serves other tests as well.
    const countPages = (buckets = slow) =>
      double
        .requests()
        .filter(({ operation }) => operation === 'ListObjectsV2')
        .filter(({ bucket }) => buckets.includes(bucket ?? '')).length;
    const areRead = () => Promise.resolve(slow.every((bucket) => countPages([bucket]) > 0));
    const connectionId = await customer.connect();
    const { scanId } = await customer.client.scanner.start(connectionId);
    assert.ok(await isSoon(areRead, { withinMs: 60_000, everyMs: 20 }));
    // The slices that run have read it already; the next bucket's cannot begin.
    const database = await openDatabase(stack);
    await database.db.collection<{ _id: string }>('connections').deleteOne({ _id: connectionId });
    await database.close();
    const ended = await customer.ended(scanId);
    assert.equal(ended.status, 'failed', JSON.stringify(ended));
    assert.equal(ended.error?.code, 'connection_not_found');
    assert.ok(ended.progress.objects > 7, 'other buckets were being read');

    const pages = countPages();
    const isRead = () => Promise.resolve(countPages() > pages);
    assert.equal(await isSoon(isRead, { withinMs: WATCHED_MS, everyMs: 200 }), false);
    double.clearFaults();
    assert.deepEqual(await customer.client.scanner.results(scanId), ended);
  });
});
