import assert from 'node:assert/strict';
import { scanWorkflowId } from '../../messages/names.ts';
import { createCloudCustomer } from '../harness/cloud-customer.ts';
import { openTemporalClient } from '../harness/temporal.ts';
import { localServers, localService } from '../servers.ts';

const BUCKETS = 120;
const MOST_EVENTS_EACH = 10;

describe('a scan of many buckets', () => {
  it('reads each of them, with a short history', async () => {
    const { stack } = await localServers();
    const { baseUrl } = await localService();
    const customer = await createCloudCustomer(stack, baseUrl);
    for (let index = 0; index < BUCKETS; index += 1) {
      const bucket = customer.bucket(`many-${index}`);
      customer.double.seed({ bucket, objects: [{ key: `a/${index}`, size: index }] });
    }
    const connectionId = await customer.connect();
    const { scanId } = await customer.client.scanner.start(connectionId);
    const scan = await customer.ended(scanId);
    assert.equal(scan.status, 'completed');
    assert.equal(scan.buckets.length, BUCKETS);
    assert.equal(scan.summary.bytes, (BUCKETS * (BUCKETS - 1)) / 2);
    const temporal = await openTemporalClient(stack);
    const handle = temporal.workflow.getHandle(scanWorkflowId(connectionId));
    const { events } = await handle.fetchHistory();
    await temporal.connection.close();
    assert.ok((events?.length ?? 0) < MOST_EVENTS_EACH * BUCKETS, `${events?.length} events`);
  });
});
