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
import { openMongoProxy, type MongoProxy, type Write } from '../harness/mongo-proxy.ts';
import { startOwnStack } from '../servers.ts';

/** Seconds, so that the window of every upload closes within the suite. */
const WINDOW = { UPLOAD_URL_SECONDS: '6', UPLOAD_GRACE_SECONDS: '2' };
/** What follows from a change is due after 15 s, and the sweep runs every 60 s. */
const LONGEST_STUCK_MS = 75_000;
/** For the sweep itself, and the window of an upload that waits for its end. */
const SLACK_MS = 20_000;
const SIZE = 9 * 2 ** 20;
const PART = 8 * 2 ** 20;

/** The figures of a customer with one upload, when nothing is left to do. */
interface End {
  readonly status: 'active' | 'deleted' | 'expired';
  readonly recorded: 0 | 1;
  readonly booked: 0 | 1;
}

const ACTIVE: End = { status: 'active', recorded: 1, booked: 1 };
const DELETED_ACTIVE: End = { status: 'deleted', recorded: 1, booked: 1 };
const DELETED_PENDING: End = { status: 'deleted', recorded: 0, booked: 0 };
const EXPIRED: End = { status: 'expired', recorded: 0, booked: 0 };

/** A process is killed at one write of a case. */
interface KillPoint {
  readonly story: keyof typeof STORIES;
  readonly process: 'api' | 'worker';
  readonly after: string;
  readonly write: Write;
  readonly end: End;
}

const file = (nth: number, when: Write['when'] = 'after'): Write => ({
  command: 'update',
  collection: 'files',
  nth,
  when,
});
const insertOf = (collection: string): Write => ({ command: 'insert', collection, when: 'after' });
const CHUNK: Write = { command: 'update', collection: 'usageTotalChunks', when: 'after' };

/** Every write of every transition, and every call to a store between two writes. */
const KILL_POINTS: readonly KillPoint[] = [
  ...(['complete', 'complete of parts'] as const).flatMap((story): KillPoint[] => [
    { story, process: 'api', after: 'the status', write: file(1), end: ACTIVE },
    { story, process: 'api', after: 'the usage record', write: insertOf('usage'), end: ACTIVE },
    { story, process: 'api', after: 'the totals', write: CHUNK, end: ACTIVE },
    { story, process: 'api', after: 'the end of the count', write: file(2), end: ACTIVE },
  ]),
  {
    story: 'complete of parts',
    process: 'api',
    after: 'the assembly at the store',
    write: file(1, 'before'),
    end: ACTIVE,
  },
  ...(
    [
      ['delete of a pending file', DELETED_PENDING],
      ['delete of an active file', DELETED_ACTIVE],
      ['delete of parts', DELETED_PENDING],
    ] as const
  ).flatMap(([story, end]): KillPoint[] => [
    { story, process: 'api', after: 'the status', write: file(1), end },
    { story, process: 'api', after: 'the totals', write: CHUNK, end },
    { story, process: 'api', after: 'the delete at the store', write: file(2, 'before'), end },
    { story, process: 'api', after: 'the end', write: file(2), end },
  ]),
  {
    story: 'init of parts',
    process: 'api',
    after: 'the insert',
    write: insertOf('files'),
    end: EXPIRED,
  },
  {
    story: 'init of parts',
    process: 'api',
    after: 'the creation at the store',
    write: file(1, 'before'),
    end: EXPIRED,
  },
  { story: 'init of parts', process: 'api', after: 'the end', write: file(1), end: EXPIRED },
  ...(['expiry', 'expiry of parts'] as const).flatMap((story): KillPoint[] => [
    { story, process: 'worker', after: 'the look', write: file(1, 'before'), end: EXPIRED },
    { story, process: 'worker', after: 'the status', write: file(1), end: EXPIRED },
    { story, process: 'worker', after: 'the totals', write: CHUNK, end: EXPIRED },
    { story, process: 'worker', after: 'the end of the count', write: file(2), end: EXPIRED },
  ]),
  ...(
    [
      ['the status', file(1)],
      ['the usage record', insertOf('usage')],
      ['the totals', CHUNK],
      ['the end of the count', file(2)],
    ] as const
  ).map(([after, write]): KillPoint => ({
    story: 'bytes without a complete',
    process: 'worker',
    after,
    write,
    end: ACTIVE,
  })),
  ...(
    [
      ['the delete at the store', file(1, 'before')],
      ['the end', file(1)],
    ] as const
  ).flatMap(([after, write]): KillPoint[] => [
    {
      story: 'delete that the store refused',
      process: 'worker',
      after,
      write,
      end: DELETED_ACTIVE,
    },
    {
      story: 'late PUT after a delete',
      process: 'worker',
      after,
      write,
      end: DELETED_PENDING,
    },
  ]),
];

/** What follows a kill. */
interface Recovery {
  readonly customer: Customer;
  readonly killedAt: number;
  /** The file at rest, and when it was. */
  readonly atRest: Promise<{ file: StoredDocument; at: number }>;
}

interface Stage {
  readonly customer: Customer;
  readonly stack: Stack;
}

/** What happens before the kill; the last call is not awaited. */
const STORIES = {
  async complete({ customer }: Stage) {
    const { fileId } = await customer.send();
    return { fileId, go: () => customer.complete(fileId) };
  },
  async 'complete of parts'({ customer }: Stage) {
    const fileId = await sendInParts(customer, [1, 2]);
    return { fileId, go: () => customer.complete(fileId) };
  },
  async 'delete of a pending file'({ customer }: Stage) {
    const { fileId } = await customer.send();
    return { fileId, go: () => customer.delete(fileId) };
  },
  async 'delete of an active file'({ customer }: Stage) {
    const { fileId } = await customer.send();
    assert.equal((await customer.complete(fileId)).status, 200);
    return { fileId, go: () => customer.delete(fileId) };
  },
  async 'delete of parts'({ customer }: Stage) {
    const fileId = await sendInParts(customer, [1]);
    return { fileId, go: () => customer.delete(fileId) };
  },
  'init of parts': ({ customer }: Stage) =>
    Promise.resolve({ fileId: undefined, go: () => initInParts(customer) }),
  async expiry({ customer }: Stage) {
    const { fileId } = await customer.init();
    return { fileId, go: nothing };
  },
  async 'expiry of parts'({ customer }: Stage) {
    return { fileId: await sendInParts(customer, [1]), go: nothing };
  },
  async 'bytes without a complete'({ customer }: Stage) {
    return { fileId: (await customer.send()).fileId, go: nothing };
  },
  async 'delete that the store refused'({ customer, stack }: Stage) {
    const { fileId } = await customer.send();
    assert.equal((await customer.complete(fileId)).status, 200);
    stack.cloud?.double.addFault({ effect: 'internal_error', operation: 'DeleteObject', times: 1 });
    return {
      fileId,
      go: async () => assert.equal((await customer.delete(fileId)).status, 202),
    };
  },
  async 'late PUT after a delete'({ customer }: Stage) {
    const upload = await customer.init();
    const { fileId } = upload;
    assert.equal((await customer.delete(fileId)).status, 200);
    await customer.put(upload);
    return { fileId, go: nothing };
  },
};

const nothing = () => Promise.resolve();

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
      return file?.status === end.status && file['nextAttemptAt'] === undefined;
    });
    const at = performance.now();
    assert.ok(file);
    assert.equal(file['totalsPending'], undefined);
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

async function initInParts(customer: Customer): Promise<string> {
  const body = { fileName: 'a.bin', contentType: 'a/b', fileSizeBytes: SIZE, multipart: true };
  const answer = await customer.call('POST /v1/upload/init', body);
  assert.equal(answer.status, 201, answer.text);
  return String(answer.body['fileId']);
}

async function sendInParts(customer: Customer, partNumbers: readonly number[]): Promise<string> {
  const fileId = await initInParts(customer);
  const answer = await customer.call('POST /v1/upload/parts', { fileId, partNumbers });
  assert.equal(answer.status, 200, answer.text);
  for (const part of answer.body['parts'] as { partNumber: number; presignedUrl: string }[]) {
    const body = Buffer.alloc(part.partNumber === 1 ? PART : SIZE - PART);
    assert.equal((await fetch(part.presignedUrl, { method: 'PUT', body })).status, 200);
  }
  return fileId;
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
