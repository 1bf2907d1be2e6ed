import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { rolePolicy, SCAN_PERMISSIONS } from '../../../adapters/cloud-account/permissions.ts';
import { isSoon } from '../../../dev/probes.ts';
import type { Stack } from '../../../dev/stack.ts';
import { StorageRoutingError, type ScanResult } from '../../../sdk/src/index.ts';
import { loadWorkflowBundle } from '../../../worker/bundle.ts';
import { quietRuntime } from '../../runtime.ts';
import { localServers, localService } from '../../servers.ts';
import { openDatabase } from '../service/customer.ts';
import { createCloudCustomer, trustPolicy, type CloudCustomer } from './cloud-customer.ts';

const MIB = 2 ** 20;
/** The newest ones: each takes a fifth of a second. */
const MOST_REPLAYED = 15;

/** Which operation of the ledger needs which permission. */
const PERMISSION_OF: Readonly<Record<string, string>> = {
  ListBuckets: 's3:ListAllMyBuckets',
  ListObjectsV2: 's3:ListBucket',
  ListObjectVersions: 's3:ListBucketVersions',
  GetBucketVersioning: 's3:GetBucketVersioning',
  GetBucketLifecycleConfiguration: 's3:GetLifecycleConfiguration',
  ListMultipartUploads: 's3:ListBucketMultipartUploads',
  ListParts: 's3:ListMultipartUploadParts',
};

async function refusal(call: Promise<unknown>): Promise<StorageRoutingError> {
  const error = await call.then(
    () => assert.fail('it was allowed'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof StorageRoutingError, String(error));
  return error;
}

const codesOf = (findings: readonly { code: string }[]) => findings.map(({ code }) => code);

describe('a scan', function () {
  this.timeout(60_000);
  let stack: Stack;
  let baseUrl: string;
  let customer: CloudCustomer;

  before(async () => {
    quietRuntime();
    ({ stack } = await localServers());
    ({ baseUrl } = await localService());
  });
  beforeEach(async () => {
    customer = await createCloudCustomer(stack, baseUrl);
  });
  afterEach(() => customer.double.clearFaults());

  /** A bucket with one of everything that a scan reads. */
  function seedEverything(name = 'everything'): string {
    const bucket = customer.bucket(name);
    customer.double.putBucket({ name: bucket, versioning: 'Enabled' });
    customer.double.seed({
      bucket,
      objects: [
        { key: 'a/one.txt', size: MIB, lastModified: '2026-01-01T00:00:00Z' },
        { key: 'a/one.txt', size: 2 * MIB, lastModified: '2026-01-02T00:00:00Z' },
        { key: 'gone.txt', size: MIB, lastModified: '2026-01-01T00:00:00Z' },
        { key: 'gone.txt', deleteMarker: true, lastModified: '2026-01-02T00:00:00Z' },
      ],
      uploads: [{ key: 'never.bin', partSizes: [5 * MIB, 5 * MIB] }],
    });
    return bucket;
  }

  /** Makes every list call take its time, so that a scan can be met while it runs. */
  const slowDown = (latencyMs = 400) =>
    customer.double.addFault({
      effect: 'latency',
      operation: 'ListObject*',
      bucket: `*-${customer.awsAccount}`,
      latencyMs,
    });

  it('of an empty account says that there is nothing to do', async () => {
    const scan = await customer.scan();
    assert.equal(scan.status, 'completed');
    assert.equal(scan.source, 'stored');
    assert.deepEqual(scan.buckets, []);
    assert.equal(scan.decisionReport?.verdict, 'stay');
    assert.equal(scan.progress.percent, 100);
  });

  it('makes exactly the calls that the role allows, each of them', async () => {
    seedEverything();
    const plain = customer.bucket('plain');
    customer.double.seed({ bucket: plain, objects: [{ key: 'x', size: 1 }] });
    customer.double.resetCounters();
    const scan = await customer.scan();
    assert.equal(scan.status, 'completed');
    assert.deepEqual(scan.summary.coverage, []);
    const asked = customer.double
      .requests()
      .filter(({ service, caller }) => service === 's3' && caller?.includes(customer.awsAccount));
    assert.ok(asked.every(({ status }) => status === 200 || status === 404));
    const used = new Set(asked.map(({ operation }) => PERMISSION_OF[operation] ?? operation));
    const allowed = Object.values(SCAN_PERMISSIONS).map(({ action }) => action);
    assert.deepEqual([...used].sort(), allowed.sort());
    // Connecting has asked for the buckets once, and the scan once more.
    const lists = asked.filter(({ operation }) => operation.startsWith('List')).length - 1;
    assert.deepEqual(scan.requests.list, lists);
    assert.equal(scan.requests.other, asked.length - 1 - lists);
    assert.equal(
      scan.requests.costUsd,
      Number(((scan.requests.list * 0.005 + scan.requests.other * 0.0004) / 1000).toFixed(6)),
    );
  });

  for (const permission of Object.values(SCAN_PERMISSIONS)) {
    const { action, withoutIt } = permission;
    if (withoutIt === null) continue;
    it(`goes on without ${action}, and says what it does not know`, async () => {
      const bucket = seedEverything();
      if (action === 's3:ListBucket') {
        customer.double.putBucket({ name: bucket, versioning: 'Suspended' });
      }
      const allowed = rolePolicy();
      customer.putRole({
        policies: [
          allowed,
          { Version: '2012-10-17', Statement: [{ Effect: 'Deny', Action: action, Resource: '*' }] },
        ],
      });
      const other = customer.bucket('other');
      customer.double.seed({ bucket: other, objects: [{ key: 'x', size: 7 }] });
      const scan = await customer.scan();
      assert.equal(scan.status, 'completed');
      assert.equal(scan.progress.bucketsDone, 2);
      const gaps = scan.summary.coverage.filter((gap) => gap.bucket === bucket) ?? [];
      if (action === 's3:ListBucket') {
        const unread = scan.buckets.find(({ name }) => name === other);
        assert.equal(unread?.error?.code, 'provider_error');
        assert.deepEqual(scan.summary.coverage, [
          { bucket: other, missing: action, effect: withoutIt },
        ]);
        return;
      }
      assert.deepEqual(gaps, [{ bucket, missing: action, effect: withoutIt }]);
      assert.equal(scan.buckets.find(({ name }) => name === bucket)?.objects, 1);
      assert.equal(scan.buckets.find(({ name }) => name === bucket)?.error, null);
    });
  }

  it('reports a bucket that cannot be read with its reason, and reads the rest', async () => {
    const broken = customer.bucket('broken');
    const fine = customer.bucket('fine');
    customer.double.seed({ bucket: fine, objects: [{ key: 'x', size: 7 }] });
    customer.double.addFault({ effect: 'access_denied', bucket: broken });
    const scan = await customer.scan();
    assert.equal(scan.status, 'completed');
    const [first, second] = scan.buckets;
    assert.equal(first?.name, broken);
    assert.equal(first?.error?.code, 'provider_error');
    assert.match(first?.error?.message ?? '', /refused/);
    assert.deepEqual(first?.findings, []);
    assert.equal(second?.objects, 1);
    assert.match(await customer.client.scanner.report(scan.scanId), /not read/);
  });

  it('reads 300 buckets, and is short to tell', async () => {
    for (let index = 0; index < 300; index += 1) {
      const bucket = customer.bucket(`many-${index}`);
      customer.double.seed({ bucket, objects: [{ key: `a/${index}`, size: index }] });
    }
    const connectionId = await customer.connect();
    const { scanId } = await customer.client.scanner.start(connectionId);
    const scan = await customer.ended(scanId);
    assert.equal(scan.status, 'completed');
    assert.equal(scan.buckets.length, 300);
    assert.equal(scan.summary.bytes, (300 * 299) / 2);
    const connection = await Connection.connect({
      address: stack.environment['TEMPORAL_ADDRESS'] ?? '',
    });
    const handle = new Client({ connection }).workflow.getHandle(`scan/${connectionId}`);
    const { events } = await handle.fetchHistory();
    await connection.close();
    assert.ok((events?.length ?? 0) < 3_000, `${events?.length} events`);
  });

  it('leaves out the buckets of other regions', async () => {
    customer.bucket('here', 'us-west-2');
    customer.bucket('there', 'ap-southeast-1');
    const scan = await customer.scan();
    assert.deepEqual(
      scan.buckets.map(({ name, region }) => [name, region]),
      [[customer.bucketName('here'), 'us-west-2']],
    );
  });

  it('goes on through SlowDown, errors, and answers that break off', async () => {
    const bucket = customer.bucket('rough');
    customer.double.seed({
      bucket,
      generated: [{ count: 12_000, keyPattern: 'k/{i:6}', size: 1000 }],
    });
    for (const effect of ['slow_down', 'internal_error', 'cut'] as const) {
      customer.double.addFault({ effect, operation: 'ListObjectsV2', bucket, skip: 2, times: 3 });
    }
    const scan = await customer.scan();
    assert.equal(scan.status, 'completed');
    assert.equal(scan.summary.objects, 12_000);
    assert.equal(scan.summary.bytes, 12_000_000);
  });

  it('assumes the role again where its session ends in the middle', async () => {
    const bucket = customer.bucket('long');
    customer.double.seed({
      bucket,
      generated: [{ count: 30_000, keyPattern: 'k/{i:6}', size: 1000 }],
    });
    slowDown(150);
    const { scanId } = await customer.client.scanner.start(await customer.connect());
    await running(scanId);
    assert.ok(customer.double.expireSessions({ roleArn: customer.roleArn }) > 0);
    const scan = await customer.ended(scanId);
    assert.equal(scan.status, 'completed');
    assert.equal(scan.summary.objects, 30_000);
    assert.deepEqual(scan.summary.coverage, []);
  });

  it('fails, and says why, where the role is taken away in the middle', async () => {
    const bucket = customer.bucket('taken');
    customer.double.seed({
      bucket,
      generated: [{ count: 30_000, keyPattern: 'k/{i:6}', size: 1000 }],
    });
    slowDown(200);
    const { scanId } = await customer.client.scanner.start(await customer.connect());
    await running(scanId);
    customer.putRole({ trustPolicy: trustPolicy({ 'sts:ExternalId': randomUUID() }) });
    customer.double.revokeSessions({ roleArn: customer.roleArn });
    const scan = await customer.ended(scanId);
    assert.equal(scan.status, 'failed');
    assert.equal(scan.error?.code, 'role_not_assumable');
    assert.match(scan.error?.message ?? '', /trust policy/);
    const { items } = await customer.client.scanner.history();
    assert.equal(items[0]?.status, 'failed');
  });

  async function running(scanId: string): Promise<ScanResult> {
    let seen: ScanResult | undefined;
    const isRunning = async () => {
      seen = await customer.client.scanner.results(scanId);
      return seen.status === 'running' && seen.requests.list > 0;
    };
    assert.ok(await isSoon(isRunning, { withinMs: 10_000, everyMs: 20 }), JSON.stringify(seen));
    assert.ok(seen);
    return seen;
  }

  it('shows itself live while it runs, with empty lists, and from the database afterwards', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const bucket = customer.bucket(name);
      customer.double.seed({ bucket, objects: [{ key: 'x', size: 7 }] });
    }
    slowDown();
    const { scanId } = await customer.client.scanner.start(await customer.connect());
    const live = await running(scanId);
    assert.equal(live.source, 'live');
    assert.equal(live.progress.bucketsTotal, 6);
    assert.ok(live.progress.percent < 100);
    assert.deepEqual([live.buckets, live.recommendations], [[], []]);
    assert.deepEqual([live.decisionReport, live.completedAt], [null, null]);
    assert.deepEqual([live.summary.objects, live.summary.findings], [0, []]);
    const early = await refusal(customer.client.scanner.report(scanId));
    assert.deepEqual([early.status, early.code], [409, 'scan_not_completed']);
    const done = await customer.ended(scanId);
    assert.equal(done.source, 'stored');
    assert.deepEqual(done.progress, {
      bucketsTotal: 6,
      bucketsDone: 6,
      objects: 6,
      bytes: 42,
      percent: 100,
    });
  });

  it('is the only one of its connection, also where ten are asked for at once', async () => {
    customer.double.seed({ bucket: customer.bucket('b'), objects: [{ key: 'x' }] });
    slowDown(600);
    const connectionId = await customer.connect();
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () =>
        customer.client.scanner.start(connectionId).then(
          ({ scanId }) => scanId,
          (error: StorageRoutingError) => error.code,
        ),
      ),
    );
    const started = outcomes.filter((outcome) => outcome !== 'scan_already_running');
    assert.equal(started.length, 1, outcomes.join(' '));
    const busy = await refusal(customer.client.scanner.disconnect(connectionId));
    assert.deepEqual([busy.status, busy.code], [409, 'scan_already_running']);
    await customer.ended(started[0] ?? '');
    const again = await customer.client.scanner.start(connectionId);
    assert.equal((await customer.ended(again.scanId)).status, 'completed');
  });

  it('runs beside the scan of another connection', async () => {
    const other = await createCloudCustomer(stack, baseUrl);
    customer.double.seed({ bucket: customer.bucket('mine'), objects: [{ key: 'x', size: 1 }] });
    other.double.seed({ bucket: other.bucket('theirs'), objects: [{ key: 'y', size: 2 }] });
    const [mine, theirs] = await Promise.all([customer.scan(), other.scan()]);
    assert.deepEqual([mine.summary?.bytes, theirs.summary?.bytes], [1, 2]);
    const foreign = await refusal(other.client.scanner.results(mine.scanId));
    assert.deepEqual([foreign.status, foreign.code], [404, 'scan_not_found']);
    assert.equal((await refusal(other.client.scanner.report(mine.scanId))).code, 'scan_not_found');
    assert.equal((await other.client.scanner.history()).items.length, 1);
  });

  it('counts against the plan; a refused start costs nothing and leaves nothing', async () => {
    const connectionId = await customer.connect();
    const database = await openDatabase(stack);
    await database.db
      .collection<{ _id: string }>('accounts')
      .updateOne({ _id: customer.accountId }, { $set: { plan: 'free' } });
    await database.close();
    customer.double.seed({ bucket: customer.bucket('b'), objects: [{ key: 'x' }] });
    slowDown(600);
    const { scanId } = await customer.client.scanner.start(connectionId);
    // While it runs, that is the answer, whatever the plan would say.
    const busy = await refusal(customer.client.scanner.start(connectionId));
    assert.equal(busy.code, 'scan_already_running');
    await customer.ended(scanId);
    for (const _ of [1, 2]) {
      const refused = await refusal(customer.client.scanner.start(connectionId));
      assert.deepEqual([refused.status, refused.code], [402, 'plan_limit']);
    }
    const { items } = await customer.client.scanner.history();
    assert.deepEqual(
      items.map((item) => item.scanId),
      [scanId],
    );
  });

  it('of an unknown connection is refused, and so is a result that nobody has', async () => {
    const unknown = await refusal(customer.client.scanner.start(randomUUID()));
    assert.deepEqual([unknown.status, unknown.code], [404, 'connection_not_found']);
    assert.equal((await refusal(customer.client.scanner.results(randomUUID()))).status, 404);
  });

  it('has neither keys nor secrets in its history, and shows its buckets to an operator', async () => {
    const bucket = customer.bucket('private');
    const canary = `canary-${randomUUID()}`;
    customer.double.seed({
      bucket,
      objects: [{ key: `folder/${canary}.txt`, size: 1 }],
      uploads: [{ key: `${canary}-upload`, partSizes: [1] }],
    });
    const connectionId = await customer.connect();
    const { scanId } = await customer.client.scanner.start(connectionId);
    await customer.ended(scanId);
    const connection = await Connection.connect({
      address: stack.environment['TEMPORAL_ADDRESS'] ?? '',
    });
    try {
      const client = new Client({ connection });
      const handle = client.workflow.getHandle(`scan/${connectionId}`);
      const history = historyToJSON(await handle.fetchHistory());
      const decoded = history.replaceAll(/"data": ?"([A-Za-z0-9+/=]+)"/g, (_match, data: string) =>
        Buffer.from(data, 'base64').toString(),
      );
      assert.ok(decoded.includes(bucket));
      for (const secret of [canary, customer.externalId, customer.roleArn]) {
        assert.ok(!decoded.includes(secret), secret);
      }
      const { memo, searchAttributes } = await handle.describe();
      assert.equal(memo?.['scanId'], scanId);
      assert.deepEqual(searchAttributes['Phase'], ['completed']);
      assert.deepEqual(searchAttributes['Kind'], ['scan']);
    } finally {
      await connection.close();
    }
  });

  it('finds what lies about', async () => {
    const bucket = seedEverything();
    const scan = await customer.scan();
    const found = scan.buckets[0];
    assert.deepEqual(codesOf(found?.findings ?? []), [
      'incomplete_multipart_uploads',
      'old_versions',
      'no_abort_multipart_rule',
      'no_lifecycle_rule',
    ]);
    assert.equal(found?.name, bucket);
    assert.equal(found?.objects, 1);
    assert.equal(found?.bytes, 2 * MIB);
    const [uploads, versions] = found?.findings ?? [];
    assert.deepEqual([uploads?.objects, uploads?.bytes], [1, 10 * MIB]);
    assert.deepEqual([versions?.objects, versions?.bytes], [2, 2 * MIB]);
  });

  it('goes the same way again when its history is replayed, for everything that happened above', async () => {
    const connection = await Connection.connect({
      address: stack.environment['TEMPORAL_ADDRESS'] ?? '',
    });
    try {
      const { workflow } = new Client({ connection });
      const workflowBundle = await loadWorkflowBundle();
      let replayed = 0;
      for await (const { workflowId, runId } of workflow.list({
        query: 'WorkflowType = "scan" AND ExecutionStatus = "Completed"',
      })) {
        const history = await workflow.getHandle(workflowId, runId).fetchHistory();
        await Worker.runReplayHistory({ workflowBundle }, history, workflowId);
        replayed += 1;
        if (replayed === MOST_REPLAYED) break;
      }
      assert.equal(replayed, MOST_REPLAYED);
    } finally {
      await connection.close();
    }
  });
});
