import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { StorageRoutingError } from '../../../sdk/src/index.ts';
import { assertRefusal, cloudCustomerPerTest, sharedDatabase } from '../customers.ts';
import { eventually } from '../../acceptance/eventually.ts';
import { slowDown, trustPolicy, untilRunning } from '../../harness/cloud-customer.ts';

const MANY = { count: 30_000, keyPattern: 'k/{i:6}', size: 1000 };

describe('a scan', () => {
  const database = sharedDatabase();
  const customer = cloudCustomerPerTest();

  // spec: state.scan
  it('fails with the reason when the role is removed midway', async () => {
    const bucket = customer.bucket('taken');
    customer.double.seed({ bucket, generated: [MANY] });
    slowDown(customer, 200);
    const { scanId } = await customer.client.scanner.start(await customer.connect());
    await untilRunning(customer, scanId);
    customer.putRole({ trustPolicy: trustPolicy({ 'sts:ExternalId': randomUUID() }) });
    customer.double.revokeSessions({ roleArn: customer.roleArn });
    const scan = await customer.ended(scanId);
    assert.deepEqual([scan.status, scan.error?.code], ['failed', 'role_not_assumable']);
    assert.match(scan.error?.message ?? '', /trust policy/);
    const { items } = await customer.client.scanner.history();
    assert.equal(items[0]?.status, 'failed');
  });

  // spec: scanner-sequence.job, state.scan
  it('shows itself live with its buckets while it runs, and from the database afterwards', async () => {
    const [small, large] = [customer.bucket('a'), customer.bucket('b')];
    customer.double.seed({ bucket: small, objects: [{ key: 'x', size: 7 }] });
    customer.double.seed({ bucket: large, generated: [MANY] });
    // A slice of a bucket takes eight seconds; this one takes longer.
    const latency = { effect: 'latency', operation: 'ListObject*', latencyMs: 2_500 } as const;
    customer.double.addFault({ ...latency, bucket: large });
    const { scanner } = customer.client;
    const { scanId } = await scanner.start(await customer.connect());
    const live = await untilRunning(customer, scanId);
    assert.equal(live.source, 'live');
    assert.equal(live.progress.bucketsTotal, 2);
    assert.ok(live.progress.percent < 100);
    assert.deepEqual([live.buckets, live.recommendations], [[], []]);
    assert.deepEqual([live.decisionReport, live.completedAt], [null, null]);
    assert.deepEqual([live.summary.objects, live.summary.findings], [0, []]);
    await assertRefusal(scanner.report(scanId), 409, 'scan_not_completed');
    await eventually(async () => {
      const { buckets } = await scanner.progress(scanId);
      const of = (name: string) => buckets.find((bucket) => bucket.name === name);
      const done = { name: small, state: 'done', objects: 1, bytes: 7, error: null };
      assert.deepEqual(of(small), done);
      const { state, objects = 0, bytes } = of(large) ?? {};
      assert.equal(state, 'reading');
      assert.ok(objects > 0 && objects < 30_000);
      assert.equal(bytes, objects * 1000);
    });
    customer.double.clearFaults();
    const done = await customer.ended(scanId);
    assert.equal(done.source, 'stored');
    const [objects, bytes] = [30_001, 30_000_007];
    const progress = { bucketsTotal: 2, bucketsDone: 2, objects, bytes, percent: 100 };
    assert.deepEqual(done.progress, progress);
    assert.deepEqual(await scanner.progress(scanId), { buckets: [] });
  });

  // spec: errors.scan-already-running, plans.entitlements, retries.scan
  it('is the only one of its connection, of ten at once, and counts against the plan; a refused start leaves nothing', async () => {
    const { scanner } = customer.client;
    const connectionId = await customer.connect();
    await database.db
      .collection<{ _id: string }>('accounts')
      .updateOne({ _id: customer.accountId }, { $set: { plan: 'free' } });
    customer.double.seed({ bucket: customer.bucket('b'), objects: [{ key: 'x' }] });
    slowDown(customer, 600);
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () =>
        scanner.start(connectionId).then(
          ({ scanId }) => scanId,
          (error: StorageRoutingError) => error.code,
        ),
      ),
    );
    // A running scan answers 409 before the plan is checked.
    const [scanId = '', ...more] = outcomes.filter((outcome) => outcome !== 'scan_already_running');
    assert.deepEqual(more, []);
    await assertRefusal(scanner.disconnect(connectionId), 409, 'scan_already_running');
    await customer.ended(scanId);
    for (const _ of [1, 2]) await assertRefusal(scanner.start(connectionId), 402, 'plan_limit');
    const { items } = await scanner.history();
    assert.deepEqual(
      items.map((item) => item.scanId),
      [scanId],
    );
  });
});
