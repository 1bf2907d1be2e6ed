import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import {
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  NotFound,
  S3Client,
} from '@aws-sdk/client-s3';
import { toCredentials } from '../../dev/first-account.ts';
import { startService, type Service, type ServiceProcess } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import {
  createCustomer,
  eventually,
  openDatabase,
  type Customer,
  type StoredDocument,
} from '../harness/customer.ts';
import { assertInvariants } from '../harness/invariants.ts';
import { openMongoProxy, type MongoProxy } from '../harness/mongo-proxy.ts';
import { startOwnStack } from '../servers.ts';
import { KILL_POINTS, type End, type KillPoint } from './upload-fixtures/kill-points.ts';
import { STORIES } from './upload-fixtures/stories.ts';

/** Seconds, so that the window of every upload closes within the suite. */
const WINDOW = { UPLOAD_URL_SECONDS: '6', UPLOAD_GRACE_SECONDS: '2' };
/** What follows from a change is due after 15 s, and the sweep runs every 60 s. */
const LONGEST_STUCK_MS = 75_000;
/** For the sweep itself, and the window of an upload that waits for its end. */
const SLACK_MS = 20_000;

/** What follows a kill. */
interface Recovery {
  readonly customer: Customer;
  readonly killedAt: number;
  /** The file at rest, and when it was. */
  readonly atRest: Promise<{ file: StoredDocument; at: number }>;
}

describe('a process that is killed', () => {
  let stack: Stack;
  let service: Service;
  let database: Awaited<ReturnType<typeof openDatabase>>;
  const lines: Partial<Record<'api' | 'worker', MongoProxy>> = {};
  const processes: Partial<Record<'api' | 'worker', ServiceProcess>> = {};
  let lastKillAt = 0;
  const recoveries = new Map<KillPoint, Recovery>();

  before(async () => {
    stack = await startOwnStack();
    const uri = stack.environment['MONGODB_URI'] ?? '';
    lines.api = await openMongoProxy(uri);
    lines.worker = await openMongoProxy(uri);
    const environment = { ...WINDOW, DEFAULT_PLAN: 'growth', MONGODB_URI: lines.api.uri };
    service = await startService(stack, { environment, workerCount: 0 });
    const [api] = service.apis;
    assert.ok(api);
    processes.api = api;
    processes.worker = await service.addWorker({
      MONGODB_URI: lines.worker.uri,
      WORKER_QUEUES: 'uploads',
    });
    database = await openDatabase(stack);
  });
  after(async () => {
    await database?.close();
    await service?.stop();
    await Promise.all([lines.api?.close(), lines.worker?.close()]);
    await stack?.stop();
  });

  for (const point of KILL_POINTS) {
    it(`at a ${point.story}, the ${point.process} after ${point.after}, is replaced`, async () => {
      const victim = processes[point.process];
      const line = lines[point.process];
      assert.ok(victim && line);
      // The double takes faults; the other store runs what it is told.
      const customer = await createCustomer(stack, service.baseUrl, ['aws']);
      const { fileId, go } = await STORIES[point.story]({ customer, stack });
      const reached = line.stopAt({ ...point.write, about: fileId });
      const call = go().catch((error: unknown) => error);
      await reached;
      await victim.kill('SIGKILL');
      lastKillAt = performance.now();
      line.mend();
      await victim.restart();
      await call;
      const atRest = untilAtRest(customer, fileId, point.end);
      recoveries.set(point, { customer, killedAt: lastKillAt, atRest });
    });
  }

  for (const point of KILL_POINTS) {
    it(`at a ${point.story}, the ${point.process} after ${point.after}, leaves the file ${point.end.status}, counted once`, async () => {
      const recovery = recoveries.get(point);
      assert.ok(recovery);
      const { file: found, at } = await recovery.atRest;
      // Later kills of the same suite delay it: what counts is the time with all processes alive.
      const ms = at - Math.max(recovery.killedAt, Math.min(at, lastKillAt));
      assert.ok(ms < LONGEST_STUCK_MS + SLACK_MS, `it took ${ms} ms`);
      await assertFigures(recovery.customer, point.end);
      await assertStore(stack, String(found['objectKey']), point.end.status === 'active');
    });
  }

  /** Resolves when nothing is left to do. Reads the database only: other processes are killed meanwhile. */
  async function untilAtRest(
    { accountId }: Customer,
    fileId: string | undefined,
    end: End,
  ): Promise<{ file: StoredDocument; at: number }> {
    const filter = fileId === undefined ? { accountId } : { _id: fileId };
    let file: StoredDocument | undefined;
    await eventually(`the file of ${accountId} is at rest`, async () => {
      await wait(200);
      [file] = await database.read('files', filter);
      return file?.status === end.status && isAtRest(file);
    });
    const at = performance.now();
    assert.ok(file);
    return { file, at };
  }

  async function assertFigures(customer: Customer, end: End): Promise<void> {
    const { accountId } = customer;
    assert.equal((await database.read('usage', { accountId })).length, end.recorded);
    const { body } = await customer.call('GET /v1/me');
    const { uploads, uploadsBooked, gbBooked } = body['usage'] as Record<string, number>;
    assert.deepEqual([uploads, uploadsBooked], [end.recorded, end.booked]);
    if (end.booked === 0) assert.equal(gbBooked, 0);
    const summary = await customer.manage('GET /v1/analytics/summary');
    const counts = { pending: 0, active: 0, deleted: 0, expired: 0, [end.status]: 1 };
    assert.deepEqual(summary.body['files'], counts);
  }

  it('leaves every invariant intact', async () => {
    await assertInvariants({ stack, service });
  });
});

/** Nothing is left to do but the last look, a minute after the window. */
function isAtRest(file: StoredDocument): boolean {
  const { totalsPending, nextAttemptAt, lookAgainAt, lastLookAt } = file;
  if (totalsPending !== undefined) return false;
  const isLast = lookAgainAt instanceof Date && Number(lookAgainAt) === Number(lastLookAt);
  return nextAttemptAt === undefined || isLast;
}

/** The object is there or not, and no multipart upload is left behind. */
async function assertStore(stack: Stack, key: string, isThere: boolean): Promise<void> {
  const { accessKeyId, secretAccessKey, bucketName, region } = toCredentials(
    'aws',
    stack.environment,
  );
  const client = new S3Client({
    endpoint: stack.environment['PROVIDER_ENDPOINT_AWS'] ?? '',
    forcePathStyle: true,
    region,
    credentials: { accessKeyId, secretAccessKey },
  });
  const target = { Bucket: bucketName, Key: key };
  const found = await client.send(new HeadObjectCommand(target)).then(
    () => true,
    (error: unknown) => {
      if (error instanceof NotFound) return false;
      throw error;
    },
  );
  assert.equal(found, isThere, `${key} at the store`);
  const { Uploads = [] } = await client.send(
    new ListMultipartUploadsCommand({ Bucket: bucketName, Prefix: key }),
  );
  assert.deepEqual(Uploads, []);
  client.destroy();
}
