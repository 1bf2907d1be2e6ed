import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Service } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import { roundUsd } from '../../domain/pricing/money.ts';
import { createCloudCustomer, type CloudCustomer } from '../harness/cloud-customer.ts';
import { eventually, openDatabase } from '../harness/customer.ts';
import { itInLanes } from '../harness/side-by-side.ts';
import { openTemporalClient } from '../harness/temporal.ts';
import { startIsolatedService } from '../servers.ts';

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
const GIB = 2 ** 30;
const CONNECTIONS = 6;
const PRICE_BOOK = new URL('../../data/price-book.json', import.meta.url);
/** Of AWS's first bands, so that what a scan finds costs twice as much to store. */
const FACTOR = 2;
/** Of the bucket, and a month: more than what is stored, and not so much that B2 would bill the egress. */
const STORED_GB = 40;
const READ_GB = 60;
const STORED_USD = 0.92;
const PLAN_OF_ONE_SCAN = 'free';

describe('standing advice', function () {
  this.timeout(240_000);
  let stack: Stack;
  let service: Service;
  /** Those with the price book of the build. */
  let workers: Service['workers'];
  let database: Awaited<ReturnType<typeof openDatabase>>;
  let folder: string;

  before(async () => {
    ({ stack, service } = await startIsolatedService({
      workerCount: 2,
      environment: { DEFAULT_PLAN: PLAN_OF_ONE_SCAN, WORKER_QUEUES: 'scans' },
    }));
    workers = [...service.workers];
    database = await openDatabase(stack);
    const temporal = await openTemporalClient(stack);
    // Beside those of the schedules, which begin at the next full minute.
    for (const type of ['sweepScans', 'sweepPrices'])
      await temporal.workflow.start(type, { taskQueue: 'scans', workflowId: `${type}-now` });
    await temporal.connection.close();
    folder = await mkdtemp(join(tmpdir(), 'price-book-'));
  });
  after(async () => {
    await database?.close();
    await service?.stop();
    if (folder) await rm(folder, { recursive: true });
  });

  async function connected() {
    const customer = await createCloudCustomer(stack, service.baseUrl, ['r2']);
    customer.readFromInternet(READ_GB);
    seed(customer, STORED_GB);
    return { customer, connectionId: await customer.connect() };
  }
  type Connected = Awaited<ReturnType<typeof connected>>;

  function seed(customer: CloudCustomer, count: number): void {
    customer.double.seed({
      bucket: customer.bucket('media'),
      generated: [
        {
          count,
          keyPattern: 'video/{i:4}.mp4',
          size: [GIB, GIB],
          lastModified: new Date(Date.now() - 20 * DAY_MS).toISOString(),
        },
      ],
    });
  }

  /** As if the time had passed while all was down. */
  async function makeDue({ connectionId }: Connected, at: Date): Promise<void> {
    await database.db
      .collection<{ _id: string }>('connections')
      .updateOne({ _id: connectionId }, { $set: { 'schedule.nextAt': at, nextAttemptAt: at } });
  }
  async function scheduleOf({ customer, connectionId }: Connected) {
    const { items } = await customer.client.scanner.connections();
    return items.find((each) => each.connectionId === connectionId)?.schedule ?? assert.fail();
  }
  const scansOf = async ({ connectionId }: Connected) =>
    await database.read('scans', { connectionId });

  const SCHEDULES = {
    async 'starts each scan that is due once, though its workers are killed meanwhile, and what was missed for weeks as one'() {
      const due = await Promise.all(Array.from({ length: CONNECTIONS }, () => connected()));
      for (const each of due) {
        const { scanner } = each.customer.client;
        const rule = { every: 'week', hourUtc: 3 } as const;
        const set = await scanner.setSchedule(each.connectionId, rule);
        assert.deepEqual(await scanner.setSchedule(each.connectionId, rule), set);
        assert.deepEqual([set.last, new Date(set.nextAt).getUTCHours()], [null, 3]);
        const nextAt = new Date(set.nextAt);
        await makeDue(each, new Date(nextAt.getTime() - 3 * WEEK_MS - DAY_MS));
      }
      const isSettled = async (each: Connected) => (await scheduleOf(each)).last !== null;
      // As soon as the first has been started, and again.
      for (const count of [1, CONNECTIONS - 1]) {
        await eventually(`${count} scans are started`, async () => {
          const started = await Promise.all(due.map(scansOf));
          return started.filter(({ length }) => length > 0).length >= count;
        });
        await Promise.all(workers.map((worker) => worker.kill()));
        await Promise.all(workers.map((worker) => worker.restart()));
      }
      for (const each of due) {
        await eventually('the due time is settled', () => isSettled(each));
        const { last, nextAt } = await scheduleOf(each);
        const [scan, ...others] = await scansOf(each);
        assert.deepEqual([last?.outcome, last?.scanId, others.length], ['started', scan?._id, 0]);
        const waitMs = Date.parse(nextAt) - Date.now();
        assert.ok(waitMs > 0 && waitMs <= WEEK_MS, nextAt);
        const { status } = await each.customer.ended(scan?._id ?? '');
        assert.equal(status, 'completed');
      }
      const [first = assert.fail()] = due;
      // The plan has one scan a month.
      await makeDue(first, new Date(Date.now() - 1_000));
      await eventually('the plan refuses', async () => {
        return (await scheduleOf(first)).last?.outcome === 'plan_limit';
      });
      await first.customer.client.scanner.removeSchedule(first.connectionId);
      const { items } = await first.customer.client.scanner.connections();
      assert.equal(items[0]?.schedule, null);
      const noted = await database.read('activities', { accountId: first.customer.accountId });
      const actions = noted.map(({ action }) => String(action));
      for (const action of ['schedule.saved', 'schedule.deleted'])
        assert.equal(actions.filter((each) => each === action).length, 1, action);
      assert.equal((await scansOf(first)).length, 1);
    },
  };

  async function writeBook(name: string, version: string, factor: number): Promise<string> {
    const book = JSON.parse(await readFile(PRICE_BOOK, 'utf8'));
    book.version = version;
    for (const { classes } of Object.values<Region>(book.providers.aws.regions))
      for (const { storagePerGbMonth } of Object.values(classes ?? {}))
        if (Array.isArray(storagePerGbMonth))
          for (const band of storagePerGbMonth) band.usd *= factor;
    const file = join(folder, name);
    await writeFile(file, JSON.stringify(book));
    return file;
  }

  const PRICES = {
    async 'decides again by a new price book, without a call to the cloud, once, though workers with the older one go on'() {
      const it = await connected();
      const { client, double } = it.customer;
      const { scanId } = await client.scanner.start(it.connectionId);
      const before = await it.customer.ended(scanId);
      assert.equal(before.revisions.length, 1);
      assert.deepEqual((await client.scanner.changes(scanId)).since, null);
      const calls = () =>
        double.requests().filter(({ bucket }) => bucket === it.customer.bucketName('media')).length;
      const sent = calls();
      const approved = await approvedMove();
      const file = await writeBook('new.json', 'next', FACTOR);
      await service.addWorker({ PRICE_BOOK_FILE: file });
      const isRevised = async () => (await client.scanner.results(scanId)).revisions.length > 1;
      await eventually('it is decided again', isRevised);

      const after = await client.scanner.results(scanId);
      const cost = before.summary.currentMonthlyCostUsd;
      const later = roundUsd(cost + STORED_USD * (FACTOR - 1));
      assert.equal(after.summary.currentMonthlyCostUsd, later);
      assert.equal(after.buckets[0]?.currentMonthlyCostUsd, later);
      assert.deepEqual(
        after.revisions.map((each) => [each.priceBook, each.currentMonthlyCostUsd]),
        [
          [before.revisions[0]?.priceBook, cost],
          ['next', later],
        ],
      );
      assert.deepEqual(
        [after.startedAt, after.completedAt, after.decisionReport?.priceBook, calls()],
        [before.startedAt, before.completedAt, 'next', sent],
      );
      const changes = await client.scanner.changes(scanId);
      assert.deepEqual(
        [changes.since?.scanId, changes.since?.priceBook, changes.costChangeUsd],
        [scanId, before.revisions[0]?.priceBook, STORED_USD],
      );
      assert.deepEqual(
        changes.causes.filter(({ usd }) => usd !== 0),
        [{ code: 'prices', usd: STORED_USD }],
      );
      const [old] = before.recommendations;
      const [present] = after.recommendations;
      assert.ok(old && present && present.monthlySavingsUsd > old.monthlySavingsUsd);
      assert.deepEqual(changes.recommendations.better, [present.recommendationId]);
      const kept = await client.scanner.recommendation(old.recommendationId);
      assert.deepEqual([kept.status, kept.supersededBy], ['superseded', present.recommendationId]);
      await assertIsCovered(approved);
      await assertStaysRevised(it, after.revisions.length);
    },
  };

  /** As if it had been approved after its scan: this plan has no migrations. */
  async function approvedMove() {
    const it = await connected();
    const { scanId } = await it.customer.client.scanner.start(it.connectionId);
    const { recommendations } = await it.customer.ended(scanId);
    const { recommendationId } =
      recommendations.find(({ kind }) => kind === 'move') ?? assert.fail('no move');
    const approval = { approvedAt: new Date(), targetProvider: 'r2', rounds: [] };
    await database.db
      .collection<{ _id: string }>('recommendations')
      .updateOne({ _id: recommendationId }, { $set: { status: 'approved', approval } });
    return { ...it, scanId, recommendationId };
  }

  async function assertIsCovered({
    customer: { client },
    scanId,
    recommendationId,
  }: Awaited<ReturnType<typeof approvedMove>>): Promise<void> {
    const isRevised = async () => (await client.scanner.results(scanId)).revisions.length > 1;
    await eventually('what is approved is decided again', isRevised);
    const { recommendations, summary } = await client.scanner.results(scanId);
    const moves = recommendations.filter(({ kind }) => kind === 'move');
    assert.deepEqual([moves, summary.findings], [[], []]);
    const [stored] = await database.read('recommendations', { _id: recommendationId });
    assert.equal(stored?.status, 'approved');
  }

  /** Sweeps of workers with an older price book change nothing. */
  async function assertStaysRevised({ customer, connectionId }: Connected, revisions: number) {
    const other = await connected();
    const started = await other.customer.client.scanner.start(other.connectionId);
    await other.customer.ended(started.scanId);
    // Either worker may conclude it; the newer price book decides in the end.
    await eventually('the other one is decided by the new prices too', async () => {
      const { decisionReport } = await other.customer.client.scanner.results(started.scanId);
      return decisionReport?.priceBook === 'next';
    });
    const [scan] = await scansOf({ customer, connectionId });
    const { revisions: present } = await customer.client.scanner.results(scan?._id ?? '');
    assert.equal(present.length, revisions);
  }

  itInLanes(SCHEDULES, PRICES);
});

interface Region {
  readonly classes?: Readonly<
    Record<string, { readonly storagePerGbMonth?: { usd: number }[] | number }>
  >;
}
