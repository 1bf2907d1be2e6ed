import assert from 'node:assert/strict';
import type { Client } from '@temporalio/client';
import { uploadWorkflowId } from '../../messages/names.ts';
import {
  call,
  createCustomer,
  eventually,
  untilLogged,
  type Customer,
} from '../harness/customer.ts';
import { payloadKey, textsIn } from '../harness/payload-keys.ts';
import { openTemporalClient } from '../harness/temporal.ts';
import { startIsolatedService, type IsolatedService } from '../servers.ts';

interface Deleted {
  readonly fileId: string;
  readonly requestIds: readonly string[];
}

/** What Temporal stores, and what happens to runs whose keys change. */
describe('encrypted payloads', () => {
  const [k1, k2] = [payloadKey('k1'), payloadKey('k2')];
  let isolated: IsolatedService;
  let customer: Customer;
  /** Of the API with the first key. */
  let at: string;
  /** Decodes nothing. */
  let temporal: Client;

  before(async () => {
    isolated = await startIsolatedService({
      environment: { DEFAULT_PLAN: 'growth', WORKER_QUEUES: 'uploads' },
    });
    const { stack, service } = isolated;
    customer = await createCustomer(stack, service.baseUrl, ['aws']);
    temporal = await openTemporalClient(stack);
  });
  after(async () => {
    await temporal?.connection.close();
    await isolated?.service.stop();
  });

  /** The API and the worker that run from now on. */
  async function runWith(keys: string): Promise<string> {
    const { service } = isolated;
    const environment = { TEMPORAL_PAYLOAD_KEYS: keys };
    const old = [...service.workers];
    const [api] = await Promise.all([
      service.addApi(environment),
      service.addWorker(environment),
      ...old.map((worker) => worker.stop()),
    ]);
    return api.url;
  }

  async function init(at: string, requestId: string): Promise<string> {
    const body = { fileName: 'a', contentType: 'text/plain', fileSizeBytes: 1, priority: 'cold' };
    const options = { bearer: customer.apiKey, requestId, body };
    const answer = await call(at, 'POST /v1/upload/init', options);
    assert.equal(answer.status, 201, answer.text);
    return String(answer.body['fileId']);
  }

  /** The store refuses the API's delete, so that the workflow does it. */
  async function remove(at: string, fileId: string, requestId: string): Promise<void> {
    const fault = { effect: 'internal_error', operation: 'DeleteObject', times: 1 } as const;
    isolated.stack.cloud?.double.addFault(fault);
    const options = { bearer: customer.apiKey, requestId };
    const answer = await call(at, `DELETE /v1/file/${fileId}`, options);
    assert.equal(answer.status, 202, answer.text);
  }
  const untilDeleted = async (fileId: string) =>
    await eventually('the workflow deletes the file', async () => {
      return (await customer.get(fileId)).text.includes('"file_deleted"') && (await isIdle(fileId));
    });
  /** The run waits for the end of the window, so its first work is done. */
  const isIdle = async (fileId: string) => (await historyOf(fileId)).includes('timerStarted');
  const historyOf = async (fileId: string) =>
    textsIn(await temporal.workflow.getHandle(uploadWorkflowId(fileId)).fetchHistory());
  const storedOf = async (fileId: string) =>
    (await historyOf(fileId)) +
    textsIn(
      await temporal.workflowService.describeWorkflowExecution({
        namespace: temporal.options.namespace,
        execution: { workflowId: uploadWorkflowId(fileId) },
      }),
    );

  async function beginAndDelete(at: string): Promise<Deleted> {
    const requestIds = [`init.${crypto.randomUUID()}`, `delete.${crypto.randomUUID()}`] as const;
    const fileId = await init(at, requestIds[0]);
    await remove(at, fileId, requestIds[1]);
    await untilDeleted(fileId);
    return { fileId, requestIds };
  }

  it('hide ids, requests, summaries and results; without a key all of them are readable, and a run goes on with one', async () => {
    const secretsOf = ({ requestIds }: Deleted) => [
      customer.accountId,
      ...requestIds,
      'upload of 1 byte',
      '"status":"deleted"',
    ];
    const plain = await beginAndDelete(isolated.service.baseUrl);
    const readable = await storedOf(plain.fileId);
    for (const secret of secretsOf(plain)) assert.ok(readable.includes(secret), secret);

    const [requestId, before] = [`delete.${crypto.randomUUID()}`, `init.${crypto.randomUUID()}`];
    const begun = await init(isolated.service.baseUrl, before);
    at = await runWith(k1);
    const encrypted = await beginAndDelete(at);
    const hidden = await storedOf(encrypted.fileId);
    assert.match(hidden, /binary\/encrypted/);
    for (const secret of secretsOf(encrypted)) assert.ok(!hidden.includes(secret), secret);
    const worker = isolated.service.workers.at(-1) ?? assert.fail();
    for (const requestId of encrypted.requestIds.slice(1)) await untilLogged(worker, requestId);

    await remove(at, begun, requestId);
    await untilDeleted(begun);
    const ofBegun = await historyOf(begun);
    assert.ok(ofBegun.includes(before), 'the start stays as it was written');
    assert.ok(!ofBegun.includes(requestId), 'the signal is encrypted');
  });

  it('of an old key are read with the new one in front; of an unknown key they fail the workflow task by name, until a worker has it', async () => {
    const [locked, rotated] = [await init(at, 'a'), await init(at, 'a')];
    at = await runWith(k2);
    await remove(at, locked, 'b');
    const worker = isolated.service.workers.at(-1) ?? assert.fail();
    await untilLogged(worker, 'encrypted with the key \\"k1\\"');
    at = await runWith(`${k2},${k1}`);
    await untilDeleted(locked);
    await remove(at, rotated, 'b');
    await untilDeleted(rotated);
    const ofRotated = await historyOf(rotated);
    assert.ok(ofRotated.includes('encryption-key-id: k1'), 'the start has the old key');
    assert.ok(ofRotated.includes('encryption-key-id: k2'), 'the rest has the new one');
  });
});
