import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { temporal } from '@temporalio/proto';
import {
  createMaintenanceActivities,
  type MaintenanceActivities,
} from '../../activities/uploads/maintenance.ts';
import type { Records } from '../../adapters/mongo/records.ts';
import type { AccountStores } from '../../adapters/object-store/account-stores.ts';
import { StoreError } from '../../adapters/object-store/errors.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { createSearchAttributeUse } from '../../adapters/temporal/search-attributes.ts';
import {
  createUploadCommands,
  type UploadCommands,
} from '../../adapters/temporal/upload-commands.ts';
import { completeUpload } from '../../api/uploads/completion.ts';
import {
  deleteFile,
  getFile,
  type FileDeletion,
  type ReadableFile,
} from '../../api/uploads/files.ts';
import type { FileRecord, UploadState } from '../../domain/upload/file.ts';
import { fileCounts, totalRouted } from '../../domain/upload/usage-totals.ts';
import { uploadWorkflowId } from '../../messages/names.ts';
import { describeFile, UNLIMITED } from './described-file.ts';
import { unreported } from './progress.ts';
import { createTimeSkippingHarness } from './time-skipping.ts';
import { describeObject, UNUSED_STORE } from './unused-store.ts';

/** An in-memory bucket behind the object-store port. */
export interface FakeBucket {
  readonly objects: Map<string, number>;
  readonly deletes: string[];
  silent: boolean;
}

export interface FileCounts {
  readonly pending: number;
  readonly active: number;
  readonly deleted: number;
  readonly expired: number;
  readonly uploads: number;
}

/** Uploads on a time-skipping server and a database. */
export interface UploadHarness {
  readonly env: TestWorkflowEnvironment;
  readonly records: Records;
  readonly uploads: UploadCommands;
  readonly bucket: FakeBucket;
  /** The server's time, which is ahead of the clock. */
  readonly now: () => Date;
  /** Creates a file as init does: books the quota, starts the workflow, inserts the file. */
  arrive(overrides?: Partial<FileRecord>): Promise<FileRecord>;
  /** Completes the file as the API does. */
  complete(file: FileRecord): Promise<FileRecord>;
  /** Deletes the file as the API does. */
  remove(file: FileRecord): Promise<FileDeletion>;
  /** Reads the file as the API does. */
  get(file: FileRecord): Promise<ReadableFile>;
  /** Skips time. */
  pass(duration: '30m' | '2h' | '26h' | '6d'): Promise<void>;
  /** Skips time until the file's workflow ends, and returns its state. */
  ending(file: FileRecord): Promise<UploadState>;
  /** Sweeps once. */
  sweep(): ReturnType<MaintenanceActivities['sweepUploads']>;
  booked(file: FileRecord): Promise<number>;
  recorded(file: FileRecord): Promise<number>;
  /** Number of files by status and number of routed uploads, from the usage totals. */
  countFiles(file: FileRecord): Promise<FileCounts>;
  /** The histories of all upload workflows, the last run of each. */
  histories(): Promise<temporal.api.history.v1.IHistory[]>;
  close(): Promise<void>;
}

export async function createUploadHarness(
  timeSkippingServer: string,
  mongodbUri: string,
): Promise<UploadHarness> {
  const bucket: FakeBucket = { objects: new Map(), deletes: [], silent: false };
  const stores = storesOf(bucket);
  const harness = await createTimeSkippingHarness({
    timeSkippingServer,
    mongodbUri,
    queue: 'uploads',
    stores,
  });
  const { env, records, now, readClock } = harness;
  const arrivals: string[] = [];
  const accountOf = async ({ accountId }: FileRecord) => {
    const account = await records.accounts.find(accountId);
    if (!account) throw new Error('there is no such account');
    return account;
  };
  const uploads = createUploadCommands({
    client: env.client,
    searchAttributes: createSearchAttributeUse(() => performance.now()),
    now,
  });
  const deps = { ...records, stores, uploads, now, onBackgroundError: () => undefined };

  return {
    env,
    records,
    uploads,
    bucket,
    now,
    sweep: () =>
      createMaintenanceActivities({
        ...deps,
        wait: () => Promise.resolve(),
        progress: unreported,
      }).sweepUploads(),
    async histories() {
      const histories: temporal.api.history.v1.IHistory[] = [];
      // Sequential: this server's clock does not support several concurrent waits for a result.
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
    complete: async (file) => completeUpload(deps, await accountOf(file), file.fileId),
    remove: async (file) => deleteFile(deps, await accountOf(file), file.fileId),
    get: async (file) => getFile(deps, await accountOf(file), file.fileId),
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
    async countFiles({ accountId, month }) {
      const pending = await records.files.countPending(accountId);
      const sums = (await records.usageTotals.read(accountId, [month])).get(month) ?? {};
      const { active, deleted, expired } = fileCounts(sums);
      return {
        pending,
        active: Number(active),
        deleted: Number(deleted),
        expired: Number(expired),
        uploads: Number(totalRouted(sums).uploads),
      };
    },
    close: harness.close,
  };
}

function storesOf(bucket: FakeBucket): AccountStores {
  const answer = <T>(value: () => T): Promise<T> =>
    bucket.silent ? Promise.reject(new StoreError('timed_out')) : Promise.resolve(value());
  const store: ObjectStore = {
    ...UNUSED_STORE,
    presignUpload: () => Promise.resolve(''),
    presignDownload: () => Promise.resolve(''),
    head: (key) =>
      answer(() => {
        const sizeBytes = bucket.objects.get(key);
        return sizeBytes === undefined ? undefined : describeObject(sizeBytes);
      }),
    delete: (key) =>
      answer(() => {
        bucket.deletes.push(key);
        bucket.objects.delete(key);
      }),
  };
  return { at: () => store, of: () => store };
}
