import assert from 'node:assert/strict';
import type { ServiceProcess } from '../../dev/service.ts';
import { uploadWorkflowId } from '../../messages/names.ts';
import {
  createCustomer,
  eventually,
  openDatabase,
  type Customer,
  type Upload,
} from '../harness/customer.ts';
import { createLeanClient } from '../harness/lean-client.ts';
import { openTemporalClient } from '../harness/temporal.ts';
import { openToxiproxy, type ProxiedServer, type Toxiproxy } from '../harness/toxiproxy.ts';
import { startIsolatedService, type IsolatedService } from '../servers.ts';

/** An init that waited for its start, which takes two seconds, would take longer. */
const QUICKLY_MS = 2_000;
/** The windows close within the suite, or after it. */
const SHORT = { UPLOAD_URL_SECONDS: '10', UPLOAD_GRACE_SECONDS: '2' };
const LONG = { UPLOAD_URL_SECONDS: '600' };
const FILES = 20;
/** The queue of the starts has so many. */
const PLACES = 1_000;
/** Fewer than the starts that have an answer in four seconds: while Temporal is slow, each gets a place. */
const CALLERS = 24;

describe('the starts of uploads, with a Temporal that', function () {
  this.timeout(180_000);
  let isolated: IsolatedService;
  let worker: ServiceProcess;
  let proxies: Toxiproxy;
  let database: Awaited<ReturnType<typeof openDatabase>>;

  before(async () => {
    isolated = await startIsolatedService({ environment: { DEFAULT_PLAN: 'enterprise' } });
    [worker = assert.fail()] = isolated.service.workers;
    proxies = await openToxiproxy(isolated.stack);
    database = await openDatabase(isolated.stack);
  });
  after(async () => {
    await database?.close();
    await isolated?.service.stop();
  });

  /** A customer of an API that has a connection to Temporal, through a proxy. */
  async function open(name: string, environment: Record<string, string>) {
    const { stack, service } = isolated;
    const proxied = await proxies.open(name, stack.environment['TEMPORAL_ADDRESS'] ?? '');
    const api = await service.addApi({ TEMPORAL_ADDRESS: proxied.host, ...environment });
    const customer = await createCustomer(stack, service.baseUrl, ['r2']);
    assert.equal((await customer.announce({}, api.url)).status, 201);
    await eventually('it is started', async () => (await queued(api)) === 0);
    return { proxied, api, customer };
  }
  async function read({ metricsUrl }: ServiceProcess, name: string): Promise<number> {
    const text = await (await fetch(`${metricsUrl}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  }
  const queued = (api: ServiceProcess) => read(api, 'upload_starts_queued');
  const dropped = (api: ServiceProcess) => read(api, 'upload_starts_dropped_total');
  const filesOf = ({ accountId }: Customer, which: object = {}) =>
    database.read('files', { accountId, ...which });

  /** Each file of the customer has had one workflow, and each is booked. */
  async function assertStartedOnce(customer: Customer): Promise<void> {
    const files = await filesOf(customer);
    const expected = files.map(({ _id }) => uploadWorkflowId(_id)).toSorted();
    const { connection, workflow } = await openTemporalClient(isolated.stack);
    let found: string[] = [];
    await eventually('all workflows are listed', async () => {
      found = [];
      for await (const { workflowId } of workflow.list({
        query: `AccountId = "${customer.accountId}"`,
      }))
        found.push(workflowId);
      return found.length >= expected.length;
    });
    assert.deepEqual(found.toSorted(), expected);
    await connection.close();
    assert.equal(await customer.uploadsBooked(), files.length);
  }

  it('takes two seconds for each: no init waits for it, and every file is settled', async () => {
    const { proxied, api, customer } = await open('slow', SHORT);
    await proxied.poison('two seconds of latency');
    for (let count = 0; count < FILES; count += 1) {
      const { status, text, body, ms } = await customer.announce({}, api.url);
      assert.equal(status, 201, text);
      assert.ok(ms < QUICKLY_MS, `it took ${ms} ms`);
      const upload = { ...(body as unknown as Upload), bytes: Buffer.alloc(8) };
      if (count % 2 === 0) await customer.put(upload);
    }
    assert.ok((await queued(api)) > 0, 'they are not started yet');
    await eventually('all are started', async () => (await queued(api)) === 0);
    assert.equal(await dropped(api), 0);
    await eventually('all are settled', async () => {
      return (await filesOf(customer, { status: 'pending' })).length === 0;
    });
    assert.equal((await filesOf(customer, { status: 'active' })).length, FILES / 2);
    await eventually('the others are given back', async () => {
      return (await customer.uploadsBooked()) === FILES / 2;
    });
  });

  it('is slow and then hangs, and a queue that is full: inits wait, their starts are dropped, and made up for once each', async () => {
    const { proxied, api, customer } = await open('full', LONG);
    const begun = await fill(proxied, api, customer);
    const files = await filesOf(customer);
    assert.equal(files.length, begun + 1, 'each was announced with 201');
    await eventually('no start waits', async () => (await queued(api)) === 0);
    const unstarted = await filesOf(customer, { unstarted: true });
    assert.equal(unstarted.length, await dropped(api));
    assert.ok(unstarted.length > PLACES);

    await proxied.heal();
    worker.resume();
    await eventually('all are started', async () => {
      return (await filesOf(customer, { unstarted: true })).length === 0;
    });
    await assertStartedOnce(customer);
    await eventually('starts are taken again', async () => {
      const known = await dropped(api);
      assert.equal((await customer.announce({}, api.url)).status, 201);
      return (await dropped(api)) === known;
    });
  });

  /** Announces files until starts are dropped; how many. Nobody makes up for them meanwhile. */
  async function fill(proxied: ProxiedServer, api: ServiceProcess, customer: Customer) {
    await worker.pause();
    await proxied.poison('two seconds of latency');
    const { ask, close } = createLeanClient({ baseUrl: api.url, apiKey: customer.apiKey }, CALLERS);
    const file = { fileName: 'a.txt', contentType: 'text/plain', fileSizeBytes: 8 };
    const over = new AbortController();
    let begun = 0;
    const announce = async () => {
      while (!over.signal.aborted) {
        const { status, text } = await ask('POST', '/v1/upload/init', file);
        assert.equal(status, 201, text);
        begun += 1;
      }
    };
    const callers = Promise.all(Array.from({ length: CALLERS }, announce));
    callers.catch(() => undefined);
    // On a busy machine a start may last too long: what is queued is dropped, and what follows.
    await eventually('the queue is full, or dropped', async () => {
      return (await queued(api)) >= PLACES || (await dropped(api)) > PLACES;
    });
    await proxied.poison('a connection that hangs');
    await eventually('starts are dropped', async () => (await dropped(api)) > 0);
    over.abort();
    await callers;
    close();
    return begun;
  }
});
