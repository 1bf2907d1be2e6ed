import assert from 'node:assert/strict';
import type { Service } from '../../../dev/service.ts';
import { uploadWorkflowId } from '../../../messages/names.ts';
import { localServers, localService } from '../../servers.ts';
import { newCustomer, sharedTemporal } from '../customers.ts';
import { call, eventually, type Customer, type Upload } from '../../harness/customer.ts';

type LogLine = Readonly<Partial<Record<'requestId' | 'activityType' | 'path', string>>>;

/** From the log line of the HTTP call to those of its activities in another process. */
describe('the id of a request', () => {
  const temporal = sharedTemporal();
  let service: Service;
  let customer: Customer;
  before(async () => {
    service = await localService();
    customer = await newCustomer('aws');
  });

  const linesOf = async (processes: Service['workers'], requestId: string): Promise<LogLine[]> => {
    const logs = await Promise.all(processes.map(async (each) => await each.readLog()));
    return logs
      .flatMap((log) => log.split('\n'))
      .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as LogLine] : []))
      .filter((line) => line.requestId === requestId);
  };
  const ask = async (route: string, requestId: string, body?: object) =>
    await call(service.baseUrl, route, { bearer: customer.apiKey, requestId, body });
  const activitiesOf = async (requestId: string) =>
    new Set((await linesOf(service.workers, requestId)).map(({ activityType }) => activityType));

  it('is in the memo of the workflow, in the log line of the call, and of each activity that it caused', async () => {
    const { double } = (await localServers()).stack.cloud ?? {};
    const unique = crypto.randomUUID();
    const announced = { fileName: 'a', contentType: 'text/plain', fileSizeBytes: 1 };
    const { body } = await ask('POST /v1/upload/init', `init.${unique}`, announced);
    const fileId = String(body['fileId']);
    const { presignedUrl, requiredHeaders: headers } = body as unknown as Upload;
    await fetch(presignedUrl, { method: 'PUT', headers, body: 'x' });
    const completed = await ask('POST /v1/upload/complete', `complete.${unique}`, { fileId });
    // The store refuses the API's delete, so that a worker continues it.
    double?.addFault({ effect: 'internal_error', operation: 'DeleteObject', times: 1 });
    const deleted = await ask(`DELETE /v1/file/${fileId}`, `delete.${unique}`);
    assert.deepEqual([completed.status, deleted.status], [200, 202]);
    for (const [id, path] of [
      [`complete.${unique}`, '/v1/upload/complete'],
      [`delete.${unique}`, `/v1/file/${fileId}`],
    ] as const) {
      const paths = async () => (await linesOf(service.apis, id)).map((line) => line.path);
      // The log is written beside the answer.
      await eventually('the API logs the call', async () => (await paths()).length > 0);
      assert.deepEqual(await paths(), [path]);
    }
    await eventually('the worker logs the delete', async () => {
      const seen = await activitiesOf(`delete.${unique}`);
      return seen.has('attemptUpload');
    });
    const { memo } = await temporal.workflow.getHandle(uploadWorkflowId(fileId)).describe();
    assert.equal(memo?.['requestId'], `init.${unique}`, 'it stays that of the start');
    // Each line belongs to one request.
    assert.equal((await activitiesOf(`complete.${unique}`)).size, 0);
  });
});
