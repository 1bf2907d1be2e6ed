import assert from 'node:assert/strict';
import type { Service, ServiceProcess } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import {
  createCustomer,
  eventually,
  openDatabase,
  type Customer,
  type StoredDocument,
} from '../harness/customer.ts';
import { assertInvariants } from '../harness/invariants.ts';
import { startIsolatedService } from '../servers.ts';

const UPLOADS = 60;

describe('the analytics of an account', () => {
  let stack: Stack;
  let service: Service;
  let worker: ServiceProcess;
  let customer: Customer;
  let database: Awaited<ReturnType<typeof openDatabase>>;

  before(async () => {
    const environment = { DEFAULT_PLAN: 'growth' };
    ({ stack, service } = await startIsolatedService({ environment, apiCount: 2, workerCount: 0 }));
    worker = await service.addWorker({ WORKER_QUEUES: 'uploads' });
    database = await openDatabase(stack);
    customer = await createCustomer(stack, service.baseUrl, ['aws', 'r2', 'b2']);
  });
  after(async () => {
    await database?.close();
    await service?.stop();
  });

  const read = async (name: string) => await database.read(name, { accountId: customer.accountId });
  const get = async (path: string, at?: string) => {
    const answer = await customer.manage(`GET /v1/analytics/${path}`, undefined, at);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };

  /** Summed over the usage records one by one. */
  async function expectedSummary() {
    const [usage, files] = await Promise.all([read('usage'), read('files')]);
    const sum = (records: readonly StoredDocument[], field: string) =>
      records.reduce((total, record) => total + Number(record[field]), 0);
    const routed = (records: readonly StoredDocument[]) => ({
      gbRouted: sum(records, 'sizeBytes') / 1e9,
      savedVsAwsUsd: sum(records, 'savedVsAws') / 1e6,
    });
    const count = (...statuses: string[]) =>
      files.filter(({ status }) => statuses.includes(status ?? '')).length;
    const byProvider = ['aws', 'r2', 'b2'].flatMap((provider) => {
      const records = usage.filter((record) => record['provider'] === provider);
      return records.length === 0 ? [] : [{ provider, files: records.length, ...routed(records) }];
    });
    const month = new Date().toISOString().slice(0, 7);
    return {
      files: {
        pending: count('pending'),
        active: count('active'),
        deleted: count('deleting', 'deleted'),
        expired: count('expired'),
      },
      ...routed(usage),
      byProvider,
      currentMonth: { month, uploads: usage.length, ...routed(usage) },
    };
  }

  // spec: endpoint.analytics-summary
  it(`equal the usage records of ${UPLOADS} uploads that are completed three times at once and deleted while the worker is killed`, async () => {
    const urls = service.apis.map(({ url }) => url);
    let done = 0;
    const insist = async (isDone: () => Promise<boolean>) => {
      await eventually('a call succeeds', async () => await isDone().catch(() => false));
      done += 1;
    };
    const uploads = await Promise.all(
      Array.from({ length: UPLOADS }, async (_, index) => {
        const priority = (['hot', 'archive', 'cold'] as const)[index % 3] ?? 'hot';
        const announcement = { sizeBytes: 10 + index, priority };
        // Every sixth one stays without its bytes.
        return await (index % 6 === 5 ? customer.init(announcement) : customer.send(announcement));
      }),
    );
    const lives = uploads.map(async ({ fileId }, index) => {
      const at = urls[index % urls.length];
      const other = urls[(index + 1) % urls.length];
      const complete = async () => {
        const three = [at, other, at].map((url) => customer.complete(fileId, url));
        const answers = await Promise.all(three);
        return answers.some(({ status }) => status === 200 || status === 410);
      };
      const remove = async () => (await customer.delete(fileId, other)).status === 200;
      if (index % 6 === 5) return index % 12 === 5 ? await insist(remove) : undefined;
      if (index % 4 === 3) return await Promise.all([insist(complete), insist(remove)]);
      await insist(complete);
      if (index % 4 === 1) await insist(remove);
    });
    await eventually('some move on', async () => done > 5);
    await worker.kill('SIGKILL');
    await worker.restart();
    await Promise.all(lives);
    const isCounted = async () =>
      (await read('files')).every((file) => file['totalsPending'] === undefined);
    await eventually('nothing is owed to the sums', isCounted);

    const expected = await expectedSummary();
    const { files, byProvider, currentMonth } = expected;
    assert.ok(files.deleted > 15 && files.active > 15 && files.pending === 5);
    for (const url of urls) assert.deepEqual(await get('summary', url), expected);
    const { months } = (await get('monthly')) as { months: object[] };
    assert.deepEqual(months.at(-1), { ...currentMonth, byProvider });
    const { usage } = (await customer.call('GET /v1/me')).body as {
      usage: { gbRouted: number; uploads: number };
    };
    assert.deepEqual(
      [usage.gbRouted, usage.uploads],
      [currentMonth.gbRouted, currentMonth.uploads],
    );
  });

  it('list files of the same moment by their id, and no place that a file left which was never inserted', async () => {
    const files = database.db.collection<StoredDocument>('files');
    const stored = await read('files');
    const [first = '', second = ''] = stored.map(({ _id }) => _id).toSorted();
    const createdAt = new Date('2099-01-01T00:00:00.000Z');
    await files.updateMany({ _id: { $in: [first, second] } }, { $set: { createdAt } });
    await files.insertOne({
      _id: crypto.randomUUID(),
      accountId: customer.accountId,
      status: 'expired',
      tombstone: true,
      createdAt,
    });
    const items: string[] = [];
    for (let offset = 0; offset < UPLOADS; offset += 25) {
      const page = await get(`routing-history?limit=25&offset=${offset}`);
      assert.equal(page['total'], UPLOADS);
      items.push(...(page['items'] as { fileId: string }[]).map(({ fileId }) => fileId));
    }
    assert.deepEqual(items.slice(0, 2), [first, second]);
    assert.deepEqual(items.toSorted(), stored.map(({ _id }) => _id).toSorted());
  });

  it('leaves every invariant intact', async () => {
    await assertInvariants({ stack, service });
  });
});
