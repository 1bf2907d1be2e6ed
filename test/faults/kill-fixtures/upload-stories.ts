import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { HeadObjectCommand, ListMultipartUploadsCommand, NotFound } from '@aws-sdk/client-s3';
import type { Stack } from '../../../dev/stack.ts';
import {
  createCustomer,
  eventually,
  type Customer,
  type StoredDocument,
} from '../../harness/customer.ts';
import { openBucket } from '../../harness/invariants.ts';
import type { Stage, Story } from './story.ts';

/** The figures of a customer with one upload, when nothing is left to do. */
interface End {
  readonly status: 'active' | 'deleted' | 'expired';
  readonly recorded: 0 | 1;
  readonly booked: 0 | 1;
}

interface Begun {
  /** Unknown where the call that announces it is killed. */
  readonly fileId?: string;
  readonly go?: () => Promise<unknown>;
}

/** Many wait at once. */
const POLL_MS = 500;
const SIZE = 9 * 2 ** 20;
const PART = 8 * 2 ** 20;
/** What follows from a change is due after 15 s, the sweep runs every 60 s, and slack for both. */
const LONGEST_STUCK_MS = 95_000;

const ACTIVE: End = { status: 'active', recorded: 1, booked: 1 };
const DELETED_ACTIVE: End = { status: 'deleted', recorded: 1, booked: 1 };
const DELETED_PENDING: End = { status: 'deleted', recorded: 0, booked: 0 };
const EXPIRED: End = { status: 'expired', recorded: 0, booked: 0 };

/** The calls before the kill; the last one is made through the API that is killed. */
export const UPLOAD_STORIES = {
  /** What was booked without a file is taken back hourly: the invariants wait for that. */
  async init(stage) {
    const { suite, processes, database } = stage;
    const customer = await createCustomer(suite.stack, suite.service.baseUrl, ['aws']);
    const { accountId } = customer;
    return async () => ({
      about: accountId,
      go: () => customer.announce({}, processes.api.url),
      async atRest() {
        // As a client does that has no answer.
        await sendWhole(customer);
        await eventually(`no other file of ${accountId} is pending`, async () => {
          await wait(POLL_MS);
          return (await database.read('files', { accountId, status: 'pending' })).length === 0;
        });
      },
      assertEnd: async () => assert.equal((await database.read('usage', { accountId })).length, 1),
    });
  },
  complete: upload(ACTIVE, async (customer, at) => {
    const { fileId } = await customer.send();
    return { fileId, go: () => customer.complete(fileId, at) };
  }),
  'complete of parts': upload(ACTIVE, async (customer, at) => {
    const fileId = await sendInParts(customer, [1, 2]);
    return { fileId, go: () => customer.complete(fileId, at) };
  }),
  'delete of a pending file': upload(DELETED_PENDING, async (customer, at) => {
    const { fileId } = await customer.send();
    return { fileId, go: () => customer.delete(fileId, at) };
  }),
  'delete of an active file': upload(DELETED_ACTIVE, async (customer, at) => {
    const fileId = await sendWhole(customer);
    return { fileId, go: () => customer.delete(fileId, at) };
  }),
  'delete of parts': upload(DELETED_PENDING, async (customer, at) => {
    const fileId = await sendInParts(customer, [1]);
    return { fileId, go: () => customer.delete(fileId, at) };
  }),
  'init of parts': upload(EXPIRED, async (customer, at) => ({
    go: () => initInParts(customer, at),
  })),
  expiry: upload(EXPIRED, async (customer) => {
    const { fileId } = await customer.init();
    return { fileId };
  }),
  'expiry of parts': upload(EXPIRED, async (customer) => {
    return { fileId: await sendInParts(customer, [1]) };
  }),
  'end of the window with bytes': upload(ACTIVE, async (customer) => {
    return { fileId: (await customer.send()).fileId };
  }),
  'delete that the store refused': upload(DELETED_ACTIVE, async (customer, _at, stack) => {
    const fileId = await sendWhole(customer);
    const operation = 'DeleteObject';
    const refused = { effect: 'internal_error', operation, key: `*${fileId}*`, times: 1 } as const;
    stack.cloud?.double.addFault(refused);
    return {
      fileId,
      go: async () => assert.equal((await customer.delete(fileId)).status, 202),
    };
  }),
  'late PUT after a delete': upload(DELETED_PENDING, async (customer) => {
    const late = await customer.init();
    assert.equal((await customer.delete(late.fileId)).status, 200);
    await customer.put(late);
    return { fileId: late.fileId };
  }),
} as const satisfies Record<string, Story>;

function upload(
  end: End,
  begin: (customer: Customer, at: string, stack: Stack) => Promise<Begun>,
): Story {
  return async (stage) => {
    const { suite, processes } = stage;
    // The double takes faults; the other store runs what it is told.
    const customer = await createCustomer(suite.stack, suite.service.baseUrl, ['aws']);
    return async () => {
      const { fileId, go } = await begin(customer, processes.api.url, suite.stack);
      let file: StoredDocument | undefined;
      return {
        about: fileId,
        ...(go && { go }),
        withinMs: LONGEST_STUCK_MS,
        async atRest() {
          file = await untilAtRest(stage, customer, end);
        },
        async assertEnd() {
          await assertFigures(stage, customer, end);
          await assertStore(suite.stack, String(file?.['objectKey']), end.status === 'active');
        },
      };
    };
  };
}

async function sendWhole(customer: Customer): Promise<string> {
  const { fileId } = await customer.send();
  assert.equal((await customer.complete(fileId)).status, 200);
  return fileId;
}

async function initInParts(customer: Customer, at?: string): Promise<string> {
  const body = { fileName: 'a.bin', contentType: 'a/b', fileSizeBytes: SIZE, multipart: true };
  const answer = await customer.call('POST /v1/upload/init', body, at);
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

/** Nothing is left to do but the last look, a minute after the window. */
async function untilAtRest(
  { database }: Stage,
  { accountId }: Customer,
  end: End,
): Promise<StoredDocument> {
  let file: StoredDocument | undefined;
  await eventually(`the file of ${accountId} is at rest`, async () => {
    await wait(POLL_MS);
    [file] = await database.read('files', { accountId });
    if (file?.status !== end.status || file['totalsPending'] !== undefined) return false;
    const { nextAttemptAt, lookAgainAt, lastLookAt } = file;
    const isLast = lookAgainAt instanceof Date && Number(lookAgainAt) === Number(lastLookAt);
    return nextAttemptAt === undefined || isLast;
  });
  return file ?? assert.fail();
}

async function assertFigures({ database }: Stage, customer: Customer, end: End): Promise<void> {
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

/** The object is there or not, and no multipart upload is left behind. */
async function assertStore(stack: Stack, key: string, isThere: boolean): Promise<void> {
  const { s3, name: Bucket } = openBucket('aws', stack);
  const found = await s3.send(new HeadObjectCommand({ Bucket, Key: key })).then(
    () => true,
    (error: unknown) => {
      if (error instanceof NotFound) return false;
      throw error;
    },
  );
  assert.equal(found, isThere, `${key} at the store`);
  const listed = new ListMultipartUploadsCommand({ Bucket, Prefix: key });
  assert.deepEqual((await s3.send(listed)).Uploads ?? [], []);
  s3.destroy();
}
