import type { temporal } from '@temporalio/proto';
import { AppError } from '../../domain/common/errors.ts';
import { retryTransient } from '../../adapters/retry.ts';
import type { UploadContext } from '../../activities/contexts.ts';
import { createFileSweepActivities } from '../../activities/uploads/sweep.ts';
import type { AccountStores } from '../../adapters/object-store/account-stores.ts';
import { classifyRefusal, StoreError } from '../../adapters/object-store/errors.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { Workflows } from '../../adapters/temporal/workflows.ts';
import { createUploadCommands } from '../../adapters/temporal/upload-commands.ts';
import { completeUpload } from '../../operations/uploads/completion.ts';
import { deleteFile, getFile } from '../../operations/uploads/files.ts';
import type { StoredProvider } from '../../domain/accounts/account.ts';
import type { StoreLocation } from '../../domain/providers/catalogue.ts';
import type { FileRecord, UploadState } from '../../domain/uploads/file.ts';
import { fileCounts, totalRouted } from '../../domain/uploads/usage-totals.ts';
import { uploadWorkflowId } from '../../messages/names.ts';
import { activityOf } from './actor.ts';
import { describeFile, UNLIMITED } from './described-file.ts';
import { unreported } from './progress.ts';
import { stubbed } from './stubbed.ts';
import { createTimeSkippingHarness } from './time-skipping.ts';
import { describeObject, UNUSED_STORE } from './unused-store.ts';
import { fakeAccountStores } from './catalogue.ts';

/** An in-memory bucket behind the object-store port. */
export interface FakeBucket {
  readonly objects: Map<string, number>;
  readonly deletes: string[];
  silent: boolean;
  /** The code by which it refuses every call, but for one key. */
  refusal: string | undefined;
  accepted: string | undefined;
  calls: number;
}

const STARTS = 10;
const isUnavailable = (error: unknown) => error instanceof AppError && error.code === 'unavailable';

/** Uploads on a time-skipping server and a database. */
export type UploadHarness = Awaited<ReturnType<typeof createUploadHarness>>;

export async function createUploadHarness(timeSkippingServer: string, mongodbUri: string) {
  const bucket: FakeBucket = {
    objects: new Map(),
    deletes: [],
    silent: false,
    refusal: undefined,
    accepted: undefined,
    calls: 0,
  };
  const stores = storesOf(bucket);
  const harness = await createTimeSkippingHarness({
    timeSkippingServer,
    mongodbUri,
    queue: 'uploads',
    stores,
  });
  const { env, records, now, readClock, close } = harness;
  const arrivals: string[] = [];
  const accountOf = async ({ accountId }: FileRecord) =>
    (await records.accounts.findAccount(accountId)) ?? Promise.reject(new Error('no such account'));
  const handleOf = (fileId: string) => env.client.workflow.getHandle(uploadWorkflowId(fileId));
  const uploads = createUploadCommands(new Workflows(env.client), now);
  const deps = {
    ...records,
    stores,
    uploads,
    now,
    downloadUrlSeconds: 3600,
    onBackgroundError: () => undefined,
  };

  async function insert(overrides: Partial<FileRecord>): Promise<FileRecord> {
    await readClock();
    const file = { ...describeFile(now()), ...overrides };
    const { accountId } = file;
    const account = await records.accounts.findOrCreate(accountId, 'enterprise', now());
    if (!account.providers[file.location.provider])
      await records.accounts.saveProvider(account, providerAt(file.location, now()), SAVED, []);
    await records.quota.book(file, file.sizeBytes, UNLIMITED);
    await records.files.insertFile(file);
    return file;
  }

  const given = { env, records, uploads, bucket, now, close };
  return {
    ...given,
    /** Sweeps once. */
    sweep: () =>
      createFileSweepActivities(
        stubbed<UploadContext>({ ...deps, progress: unreported }),
      ).sweepUploads(),
    /** The histories of all upload workflows, the last run of each. */
    async histories() {
      const histories: temporal.api.history.v1.IHistory[] = [];
      // Sequential: this server's clock does not support several concurrent waits for a result.
      for (const fileId of arrivals) {
        await handleOf(fileId).result();
        histories.push(await handleOf(fileId).fetchHistory());
      }
      return histories;
    },
    insert,
    /** Creates a file as init does: books the quota, inserts the file, starts the workflow. */
    async arrive(overrides: Partial<FileRecord> = {}): Promise<FileRecord> {
      const file = await insert(overrides);
      // The first start loads most of this server's classes, for longer than a call may take: it is repeated, as by the sweep.
      await retryTransient({ attempts: STARTS, isTransient: isUnavailable }, () =>
        uploads.startUpload(file),
      );
      arrivals.push(file.fileId);
      return file;
    },
    // As the API does.
    complete: async (file: FileRecord) => completeUpload(deps, await accountOf(file), file.fileId),
    remove: async (file: FileRecord) => deleteFile(deps, await accountOf(file), file.fileId),
    get: async (file: FileRecord) => getFile(deps, await accountOf(file), file.fileId),
    /** Skips time. */
    async pass(duration: '30m' | '2h' | '26h' | '7d') {
      await env.sleep(duration);
      await readClock();
    },
    /** Skips time until the file's workflow ends, and returns its state. */
    async ending({ fileId }: FileRecord) {
      const state = await handleOf(fileId).result();
      await readClock();
      return state as UploadState;
    },
    /** Whether its workflow is open, and how many events its last run has. */
    async run({ fileId }: FileRecord) {
      const { status, historyLength } = await handleOf(fileId).describe();
      return { isOpen: status.name === 'RUNNING', events: historyLength };
    },
    accountOf,
    booked: async (file: FileRecord) => (await records.quota.read(file)).uploads,
    recorded: async ({ accountId, month }: FileRecord) =>
      (await records.usage.monthTotals(accountId, month)).uploads,
    /** Number of files by status and number of routed uploads, from the usage totals. */
    async countFiles({ accountId, month }: FileRecord) {
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
  };
}

const SAVED = activityOf('account', 'provider.saved');

function providerAt(location: StoreLocation, at: Date): StoredProvider {
  const credentials = { keyId: 'k', nonce: '', ciphertext: '', tag: '' };
  return { location, credentials, accessKeyIdMasked: '…', createdAt: at, updatedAt: at };
}

function storesOf(bucket: FakeBucket): AccountStores {
  const answer = <T>(key: string, value: () => T): Promise<T> => {
    bucket.calls += 1;
    if (bucket.silent) return Promise.reject(new StoreError('timed_out'));
    if (bucket.refusal !== undefined && key !== bucket.accepted)
      return Promise.reject(classifyRefusal(403, bucket.refusal));
    return Promise.resolve(value());
  };
  const store: ObjectStore = {
    ...UNUSED_STORE,
    presignUpload: () => Promise.resolve(''),
    presignDownload: () => Promise.resolve(''),
    head: (key) =>
      answer(key, () => {
        const sizeBytes = bucket.objects.get(key);
        return sizeBytes === undefined ? undefined : describeObject(sizeBytes);
      }),
    delete: (key) =>
      answer(key, () => {
        bucket.deletes.push(key);
        bucket.objects.delete(key);
      }),
  };
  return fakeAccountStores({ at: () => store, of: () => store });
}
