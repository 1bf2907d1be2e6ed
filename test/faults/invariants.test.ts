import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { Service } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import { uploadWorkflowId } from '../../messages/names.ts';
import { createCustomer, eventually, openDatabase, type Customer } from '../harness/customer.ts';
import {
  recordAcknowledgements,
  type Acknowledgements,
} from '../harness/invariants/acknowledgements.ts';
import { assertInvariants, findViolations, openBucket } from '../harness/invariants.ts';
import { createMigrationCustomer, type MigrationCustomer } from '../harness/migration-customer.ts';
import { openTemporalClient } from '../harness/temporal.ts';
import { localServers, startIsolatedService } from '../servers.ts';
import { BREAKS, changeQuota, removeDocument, type World } from './invariant-breaks.ts';

describe('the checker of the invariants', () => {
  let stack: Stack;
  let service: Service;
  let database: World['database'];
  let temporal: Client;
  let r2: ReturnType<typeof openBucket>;
  let aws: ReturnType<typeof openBucket>;
  let customer: Customer;
  let migrating: MigrationCustomer;
  let acknowledged: Acknowledgements;
  let extraLog = '';
  const ids = { pending: '', active: '', deleted: '' };

  before(async () => {
    const { cloud } = (await localServers()).stack;
    assert.ok(cloud);
    const environment = { DEFAULT_PLAN: 'growth', PROVIDER_ENDPOINT_B2: cloud.s3Endpoint };
    ({ stack, service } = await startIsolatedService({ environment }));
    database = await openDatabase(stack);
    temporal = await openTemporalClient(stack);
    r2 = openBucket('r2', stack);
    aws = openBucket('aws', stack);
    acknowledged = recordAcknowledgements();
    customer = await createCustomer(stack, service.baseUrl, ['r2'], acknowledged.send);
    migrating = await createMigrationCustomer(stack, service.baseUrl);
    cloud.double.resetCounters();
    ids.pending = (await customer.init()).fileId;
    ids.active = (await customer.send()).fileId;
    assert.equal((await customer.complete(ids.active)).status, 200);
    ids.deleted = (await customer.init()).fileId;
    assert.equal((await customer.delete(ids.deleted)).status, 200);
  });
  after(async () => {
    r2?.s3.destroy();
    aws?.s3.destroy();
    await temporal?.connection.close();
    await database?.close();
    await service?.stop();
  });

  const options = () => ({
    stack,
    service: {
      apis: [...service.apis, { readLog: () => Promise.resolve(extraLog) }],
      workers: service.workers,
    },
    acknowledged,
    migrating: [migrating],
  });
  const world = (): World => ({
    database,
    s3: r2.s3,
    bucket: r2.name,
    elsewhere: aws,
    customer,
    migrating,
    ids,
    log: (text) => void (extraLog = text),
  });

  it('finds nothing while nothing is broken', async () => {
    await assertInvariants(options());
    assert.deepEqual(await findViolations(options()), []);
  });

  for (const [invariant, what, breakIt] of BREAKS) {
    it(`names ${what}`, async () => {
      const { id, mend } = await breakIt(world());
      try {
        const found = await findViolations(options());
        const named = found.filter((violation) => violation.invariant === invariant);
        const text = JSON.stringify(found);
        assert.equal(named.length >= 1, true, text);
        assert.ok(
          named.some(({ ids }) => ids.some((each) => each.includes(id))),
          text,
        );
      } finally {
        await mend();
      }
      assert.deepEqual(await findViolations(options()), []);
    });
  }

  it('leaves out the accounts that are named', async () => {
    const { mend } = await removeDocument(world(), 'usage', ids.active);
    const left = { ...options(), acknowledged: { files: new Map() } };
    const found = await findViolations({ ...left, leftOut: [customer.accountId] });
    await mend();
    assert.deepEqual(found, []);
  });

  it('takes back a booking without a file by the reconciliation of the service', async () => {
    await changeQuota(world(), 1);
    await assertInvariants(options());
  });

  it('waits for the service, and then names a pending file without a workflow', async () => {
    await temporal.workflow.getHandle(uploadWorkflowId(ids.pending)).terminate('on purpose');
    const found = await findViolations(options());
    assert.deepEqual(found, [{ invariant: 'workflow', ids: [ids.pending] }]);
  });

  it('names a workflow whose input has a file name', async () => {
    const workflowId = `leak/${randomUUID()}`;
    const leaking = await temporal.workflow.start('upload', {
      workflowId,
      taskQueue: 'nobody',
      args: [{ fileName: 'report.txt' }],
    });
    await leaking.terminate('on purpose');
    await eventually('the history is listed', async () =>
      (await findViolations(options())).some(
        ({ invariant, ids: where }) =>
          invariant === 'privacy' && where.some((each) => each.startsWith(workflowId)),
      ),
    );
  });
});
