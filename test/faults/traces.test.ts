import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { uploadWorkflowId } from '../../messages/names.ts';
import { loadWorkflowBundle } from '../../worker/bundle.ts';
import { createCustomer, eventually, untilLogged, type Customer } from '../harness/customer.ts';
import { openTemporalClient, startedUpload } from '../harness/temporal.ts';
import {
  startTraceCollector,
  type CollectedSpan,
  type TraceCollector,
} from '../harness/trace-collector.ts';
import { installQuietRuntime } from '../runtime.ts';
import {
  localServers,
  localService,
  startIsolatedService,
  type IsolatedService,
} from '../servers.ts';

const CALLERS_TRACE = randomBytes(16).toString('hex');
const FILE_NAME = 'a-private-name.txt';

/** One upload whose delete the store refuses first, so that its workflow runs. */
describe('the spans of an upload', () => {
  let collector: TraceCollector;
  let isolated: IsolatedService;
  let customer: Customer;
  let fileId: string;
  let trace: readonly CollectedSpan[];
  const requestId = `traced.${randomUUID()}`;

  before(async () => {
    collector = await startTraceCollector();
    isolated = await startIsolatedService({
      environment: {
        DEFAULT_PLAN: 'growth',
        WORKER_QUEUES: 'uploads',
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
        OTEL_BSP_SCHEDULE_DELAY: '200',
        UPLOAD_URL_SECONDS: '3',
        UPLOAD_GRACE_SECONDS: '0',
      },
    });
    const { stack, service } = isolated;
    customer = await createCustomer(stack, service.baseUrl, ['aws']);
    const answer = await fetch(`${service.baseUrl}/v1/upload/init`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${customer.apiKey}`,
        'content-type': 'application/json',
        'x-request-id': requestId,
        traceparent: `00-${CALLERS_TRACE}-${randomBytes(8).toString('hex')}-01`,
      },
      body: JSON.stringify({ fileName: FILE_NAME, contentType: 'text/plain', fileSizeBytes: 1 }),
    });
    ({ fileId } = (await answer.json()) as { fileId: string });
    const fault = { effect: 'internal_error', operation: 'DeleteObject', times: 1 } as const;
    stack.cloud?.double.addFault(fault);
    assert.equal((await customer.delete(fileId)).status, 202);
    await eventually('the workflow ends', () =>
      Promise.resolve(spanOf('RunWorkflow:upload') !== undefined),
    );
    const { traceId } = spanOf('POST /v1/upload/init') ?? {};
    trace = collector.spans.filter((span) => span.traceId === traceId);
  });
  after(async () => {
    await isolated?.service.stop();
    collector?.close();
  });

  const spanOf = (name: string) =>
    collector.spans.find((span) => span.name === name && isOfUpload(span));
  const isOfUpload = ({ name, attributes }: CollectedSpan) =>
    name !== 'POST /v1/upload/init' || attributes['request.id'] === requestId;
  const found = (name: string): CollectedSpan => {
    const span = trace.find((each) => each.name === name);
    assert.ok(span, `${name} is not among ${trace.map((each) => each.name).join(', ')}`);
    return span;
  };

  it('lead from the request over the workflow and the activity to the store', () => {
    const path = [
      ['api', 'POST /v1/upload/init'],
      ['api', 'StartWorkflow:upload'],
      ['worker', 'RunWorkflow:upload'],
      ['worker', 'StartActivity:attemptUpload'],
      ['worker', 'RunActivity:attemptUpload'],
      ['worker', 'DELETE aws'],
    ] as const;
    let parent: CollectedSpan | undefined;
    for (const [service, name] of path) {
      const span: CollectedSpan = found(name);
      assert.equal(span.service, service, name);
      if (parent) assert.equal(span.parentSpanId, parent.spanId, name);
      parent = span;
    }
    const { attributes } = found('POST /v1/upload/init');
    assert.equal(attributes['http.response.status_code'], '201');
    assert.equal(attributes['http.route'], '/v1/upload/init');
    assert.equal(parent?.attributes['store.provider'], 'aws');
  });

  it('link the trace of the caller, and do not continue it', () => {
    const { traceId, links, parentSpanId } = found('POST /v1/upload/init');
    assert.notEqual(traceId, CALLERS_TRACE);
    assert.equal(parentSpanId, undefined);
    assert.deepEqual(
      links.map((link) => link.traceId),
      [CALLERS_TRACE],
    );
  });

  it('have no file name, key, address, secret or query', () => {
    const { environment } = isolated.stack;
    const { hostname } = new URL(environment['PROVIDER_ENDPOINT_AWS'] ?? '');
    const text = collector.text();
    for (const secret of [FILE_NAME, 'uploads/', customer.apiKey, customer.token, 'X-Amz', '?'])
      assert.ok(!text.includes(secret), secret);
    assert.ok(!text.includes(`${hostname}:`), 'the address of a store');
  });

  it('are in the log lines of both processes', async () => {
    const { apis, workers } = isolated.service;
    const traceId = found('RunWorkflow:upload').traceId;
    for (const each of [...apis, ...workers]) await untilLogged(each, `"traceId":"${traceId}"`);
  });

  it('leave a history that workflows replay with and without traces', async () => {
    installQuietRuntime();
    const temporal = await openTemporalClient(isolated.stack);
    const history = await temporal.workflow.getHandle(uploadWorkflowId(fileId)).fetchHistory();
    await temporal.connection.close();
    assert.ok(historyToJSON(history).includes('_tracer-data'));
    const sinks = { exporter: { export: { fn: () => {} } } };
    for (const traced of [false, true]) {
      const workflowBundle = await loadWorkflowBundle({ encodesFailures: false, traced });
      await Worker.runReplayHistory({ workflowBundle, sinks }, history, uploadWorkflowId(fileId));
    }
  });
});

describe('without a collector', () => {
  /** Ends the processes, and reads what each of them had loaded. */
  async function loadedBy(environment: Record<string, string>): Promise<string[]> {
    const folder = await mkdtemp(join(tmpdir(), 'loaded-modules-'));
    const file = join(folder, 'modules');
    const preload = join(import.meta.dirname, '../harness/loaded-modules.cjs');
    const { service } = await startIsolatedService({
      environment: {
        LOADED_MODULES: file,
        NODE_OPTIONS: `--require ${preload}`,
        WORKER_QUEUES: 'uploads',
        ...environment,
      },
    });
    // They write it when they end.
    await Promise.all([...service.apis, ...service.workers].map((each) => each.stop()));
    const lines = (await readFile(file, 'utf8')).trim().split('\n');
    await rm(folder, { recursive: true });
    return lines;
  }
  /** prom-client loads the interface for itself. */
  const isLibrary = (line: string) =>
    /@opentelemetry\/(?!api\/)|interceptors-opentelemetry/.test(line);

  it('nothing of OpenTelemetry is loaded; with one it is', async () => {
    const off = await loadedBy({});
    assert.equal(off.length, 2, 'the API and the worker');
    assert.ok(!off.some(isLibrary), off.join('\n'));
    const on = await loadedBy({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' });
    assert.ok(on.length === 2 && on.every(isLibrary));
  });

  it('no header of a trace is in a history', async () => {
    const { stack } = await localServers();
    const { baseUrl } = await localService();
    const { fileId } = await (await createCustomer(stack, baseUrl)).init();
    const temporal = await openTemporalClient(stack);
    const history = await (await startedUpload(temporal, fileId)).fetchHistory();
    await temporal.connection.close();
    assert.ok(historyToJSON(history).includes('request-id'));
    assert.ok(!historyToJSON(history).includes('_tracer-data'));
  });
});
