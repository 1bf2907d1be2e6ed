import { randomUUID } from 'node:crypto';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { temporal } from '@temporalio/proto';
import type { Records } from '../../adapters/mongo/records.ts';
import type { AccountStores } from '../../adapters/object-store/account-stores.ts';
import { StoreError } from '../../adapters/object-store/errors.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { createSearchAttributeUse } from '../../adapters/temporal/search-attributes.ts';
import {
  createUploadCommands,
  type UploadCommands,
} from '../../adapters/temporal/upload-commands.ts';
import type { FileRecord } from '../../domain/file.ts';
import { toMicroUsd } from '../../domain/money.ts';
import { settledFiles, totalRouted } from '../../domain/tally.ts';
import { monthOf } from '../../domain/time.ts';
import type { UploadState } from '../../workflows/messages.ts';
import { uploadWorkflowId } from '../../workflows/names.ts';
import { createSkippingWorld } from './time-skipping.ts';

/** A bucket in memory, at the port: what it holds, and whether it answers. */
export interface FakeBucket {
  readonly objects: Map<string, number>;
  readonly deletes: string[];
  silent: boolean;
}

export interface Tallied {
  readonly pending: number;
  readonly active: number;
  readonly deleted: number;
  readonly expired: number;
  readonly uploads: number;
}

/** Uploads in a server where 25 hours pass in no time, on a real database. */
export interface UploadWorld {
  readonly env: TestWorkflowEnvironment;
  readonly records: Records;
  readonly uploads: UploadCommands;
  readonly bucket: FakeBucket;
  /** The server's time, which runs ahead of ours. */
  readonly now: () => Date;
  /** A file as init makes it: booked, held by its workflow, and inserted. */
  arrive(overrides?: Partial<FileRecord>): Promise<FileRecord>;
  /** Lets time pass. */
  pass(duration: '30m' | '2h' | '26h'): Promise<void>;
  /** Lets as much time pass as the file's workflow takes to end. */
  ending(file: FileRecord): Promise<UploadState>;
  booked(file: FileRecord): Promise<number>;
  recorded(file: FileRecord): Promise<number>;
  /** How many files of the account stand how, and how many uploads were routed, by the sums. */
  tallied(file: FileRecord): Promise<Tallied>;
  /** What the workflows of all files that arrived have done, the last run of each. */
  histories(): Promise<temporal.api.history.v1.IHistory[]>;
  close(): Promise<void>;
}

export const UNLIMITED = {
  gbRoutedPerMonth: null,
  uploadsPerMonth: null,
  providers: null,
  scansPerMonth: null,
  migrations: true,
};

export async function createUploadWorld(
  timeSkippingServer: string,
  mongodbUri: string,
): Promise<UploadWorld> {
  const bucket: FakeBucket = { objects: new Map(), deletes: [], silent: false };
  const world = await createSkippingWorld({
    timeSkippingServer,
    mongodbUri,
    queue: 'uploads',
    stores: storesOf(bucket),
  });
  const { env, records, now, readClock } = world;
  const arrivals: string[] = [];
  const uploads = createUploadCommands({
    client: env.client,
    searchAttributes: createSearchAttributeUse(() => performance.now()),
    now,
  });

  return {
    env,
    records,
    uploads,
    bucket,
    now,
    async histories() {
      const histories: temporal.api.history.v1.IHistory[] = [];
      // One after the other: this server's clock does not bear several waiting for an end at once.
      for (const fileId of arrivals) {
        const handle = env.client.workflow.getHandle(uploadWorkflowId(fileId));
        await handle.result();
        histories.push(await handle.fetchHistory());
      }
      return histories;
    },
    async arrive(overrides = {}) {
      await readClock();
      const file = { ...describeFile(now()), ...overrides };
      await records.accounts.findOrCreate(file.accountId, 'enterprise', now());
      await records.quota.book(file, file.sizeBytes, UNLIMITED);
      await uploads.start(file);
      arrivals.push(file.fileId);
      await records.files.insert(file);
      return file;
    },
    async pass(duration) {
      await env.sleep(duration);
      await readClock();
    },
    async ending(file) {
      const state = await env.client.workflow.getHandle(uploadWorkflowId(file.fileId)).result();
      await readClock();
      return state as UploadState;
    },
    booked: async (file) => (await records.quota.read(file)).uploads,
    recorded: async (file) => (await records.usage.monthTotals(file.accountId, file.month)).uploads,
    async tallied({ accountId, month }) {
      const pending = await records.files.countPending(accountId);
      const sums = (await records.tallies.read(accountId, [month])).get(month) ?? {};
      const { active, deleted, expired } = settledFiles(sums);
      return {
        pending,
        active: Number(active),
        deleted: Number(deleted),
        expired: Number(expired),
        uploads: Number(totalRouted(sums).uploads),
      };
    },
    close: world.close,
  };
}

function describeFile(createdAt: Date): FileRecord {
  const fileId = randomUUID();
  const urlExpiresAt = new Date(createdAt.getTime() + 3_600_000);
  const routing = {
    provider: 'r2',
    preferredProvider: 'r2',
    priority: 'hot',
    reason: 'test',
    costs: [],
    priceBook: 'test',
  } as const;
  return {
    fileId,
    accountId: `account-${fileId}`,
    status: 'pending',
    fileName: 'a.txt',
    contentType: 'text/plain',
    sizeBytes: 1000,
    priority: 'hot',
    location: { provider: 'r2', bucketName: 'bucket', region: 'auto', accountId: 'a' },
    objectKey: `uploads/${fileId}/a.txt`,
    routing,
    savedVsAws: toMicroUsd(0.001),
    month: monthOf(createdAt),
    createdAt,
    urlExpiresAt,
    deadline: new Date(urlExpiresAt.getTime() + 86_400_000),
  };
}

function storesOf(bucket: FakeBucket): AccountStores {
  const answer = <T>(value: () => T): Promise<T> =>
    bucket.silent ? Promise.reject(new StoreError('timed_out')) : Promise.resolve(value());
  const store: ObjectStore = {
    presignUpload: () => Promise.resolve(''),
    presignDownload: () => Promise.resolve(''),
    head: (key) =>
      answer(() => {
        const sizeBytes = bucket.objects.get(key);
        return sizeBytes === undefined ? undefined : { sizeBytes };
      }),
    put: () => answer(() => undefined),
    get: () => answer(() => undefined),
    delete: (key) =>
      answer(() => {
        bucket.deletes.push(key);
        bucket.objects.delete(key);
      }),
  };
  return {
    at: () => store,
    of: () => store,
    transferAt: () => {
      throw new Error('an upload is not copied');
    },
  };
}
