import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { migrationWorkflowId } from '../../../messages/names.ts';
import { createCustomer, eventually } from '../../harness/customer.ts';
import { objectsOf, untilCopied } from '../../harness/migration-customer.ts';
import { startedUpload } from '../../harness/temporal.ts';
import { withoutSummary } from '../../harness/workflow-runs.ts';
import { localMigrationService } from '../../servers.ts';
import { customerWith, sharedTemporal } from '../customers.ts';

const GUIDE = new URL('../../../docs/operations.md', import.meta.url);
const OBJECTS = 100;
/** A row of the guide's table of views: the name with its link, and the query. */
const VIEW = /^\| \[([^\]]+)\]\((\S+)\)\s*\| `([^`]+)`/gm;

describe('what an operator sees in Temporal', () => {
  const temporal = sharedTemporal(localMigrationService);

  const handleOf = (recommendationId: string) =>
    temporal.workflow.getHandle(migrationWorkflowId(recommendationId));
  const closed = async (recommendationId: string) => {
    const seen = () => handleOf(recommendationId).describe();
    await eventually('it is closed', async () => (await seen()).status.name !== 'RUNNING');
    const { status, searchAttributes } = await seen();
    return [status.name, searchAttributes['Phase']?.[0]];
  };
  const currentDetails = async (recommendationId: string): Promise<string> => {
    const metadata = await handleOf(recommendationId).query<{ currentDetails?: string }>(
      '__temporal_workflow_metadata',
    );
    return metadata.currentDetails ?? '';
  };

  /** A customer with a recommended move of slow objects. */
  async function recommend() {
    const customer = await customerWith(objectsOf(OBJECTS, () => 200_000));
    const slow = { effect: 'latency', operation: 'GetObject', latencyMs: 200 } as const;
    customer.addFaults([{ ...slow, side: 'source' }]);
    const { recommendationId } = await customer.recommend();
    return { customer, recommendationId };
  }

  async function approve({ customer, recommendationId }: Awaited<ReturnType<typeof recommend>>) {
    const migrationId = await customer.approve(recommendationId);
    await untilCopied({ customer, migrationId });
    return { migrationId, ended: () => customer.migrated(migrationId) };
  }

  it('is what a waiting move and a waiting upload wait for', async () => {
    const { customer, recommendationId } = await recommend();
    const waiting = await handleOf(recommendationId).describe();
    const { status, searchAttributes } = waiting;
    assert.deepEqual([status.name, searchAttributes['Phase']?.[0]], ['RUNNING', 'waiting']);
    const summary = (await waiting.staticSummary()) ?? '';
    assert.match(summary, /^move of \S+ to r2; can be approved until \d{4}-/);
    const details = (await waiting.staticDetails()) ?? '';
    assert.match(details, /: 100 objects, 20 MB; saves \$\d+\.\d\d a month\./);
    assert.match(details, /waits, without a worker, until the move is approved or superseded/);

    const { stack, service } = await localMigrationService();
    const uploader = await createCustomer(stack, service.baseUrl);
    const { fileId } = await uploader.init();
    const upload = await (await startedUpload(temporal, fileId)).describe();
    assert.match((await upload.staticDetails()) ?? '', /^The window closes at \d{4}-\S+Z\./);
    customer.double.clearFaults();
  });

  it('is that a superseded recommendation is completed, with its reason', async () => {
    const { customer, recommendationId } = await recommend();
    await customer.recommend();
    assert.deepEqual(await closed(recommendationId), ['COMPLETED', 'superseded']);
    assert.deepEqual(await handleOf(recommendationId).result(), { status: 'superseded' });
    const said = '**superseded**: a newer scan has superseded the recommended move.';
    assert.equal(await currentDetails(recommendationId), said);
    customer.double.clearFaults();
  });

  for (const who of ['its owner', 'an operator']) {
    it(`is that a migration which ${who} cancels is cancelled, with sizes for people`, async () => {
      const move = await recommend();
      const { migrationId, ended } = await approve(move);
      assert.match(
        await currentDetails(move.recommendationId),
        /of 100; [\d.]+ (MB|KB|bytes) of 20 MB copied, [\d.]+ (MB|KB|bytes)\/s\./,
      );
      if (who === 'its owner') await move.customer.client.migrations.cancel(migrationId);
      else await handleOf(move.recommendationId).cancel();
      const { status, error } = await ended();
      assert.deepEqual([status, error], ['cancelled', null]);
      assert.deepEqual(await closed(move.recommendationId), ['CANCELLED', 'cancelled']);
      move.customer.double.clearFaults();
    });
  }

  it('is a button that ends a wait and leaves the recommendation open', async () => {
    const { customer, recommendationId } = await recommend();
    await handleOf(recommendationId).cancel();
    assert.deepEqual(await closed(recommendationId), ['CANCELLED', 'waiting']);
    const open = await customer.client.scanner.recommendations({ status: 'open' });
    assert.deepEqual([open.total, open.items[0]?.recommendationId], [1, recommendationId]);
    const { ended } = await approve({ customer, recommendationId });
    customer.double.clearFaults();
    assert.equal((await ended()).status, 'completed');
    assert.deepEqual(await closed(recommendationId), ['COMPLETED', 'completed']);
  });

  it('is what each activity does, in words', async () => {
    for await (const { workflowId, runId } of temporal.workflow.list({ pageSize: 1_000 })) {
      const history = await temporal.workflow.getHandle(workflowId, runId).fetchHistory();
      assert.deepEqual(withoutSummary(history), [], workflowId);
    }
  });

  it('is found by the views of the guide', async () => {
    const guide = await readFile(GUIDE, 'utf8');
    const views = [...guide.matchAll(VIEW)];
    assert.ok(views.length >= 6, guide);
    for (const [, name, link, query = ''] of views) {
      const address = new URL(link ?? '');
      assert.equal(address.searchParams.get('query'), query, name);
      await temporal.workflow.count(query);
    }
    const { count } = await temporal.workflow.count(
      views.find(([, name]) => name === 'Cancelled migrations')?.[3] ?? '',
    );
    assert.ok(count >= 3, `${count}`);
  });
});
