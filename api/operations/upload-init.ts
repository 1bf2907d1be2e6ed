import { randomUUID } from 'node:crypto';
import type { Account } from '../../domain/account.ts';
import { CATALOGUE, type ProviderName, type StoreLocation } from '../../domain/catalogue.ts';
import { entitle, planLimit } from '../../domain/entitlement.ts';
import { uploadKey } from '../../domain/file-name.ts';
import type { FileRecord } from '../../domain/file.ts';
import type { Plans } from '../../domain/plan.ts';
import type { PriceBook } from '../../domain/price-book.ts';
import type { Priority } from '../../domain/priority.ts';
import { route, type Routing } from '../../domain/routing.ts';
import { addSeconds, monthOf } from '../../domain/time.ts';
import type { Files } from '../../adapters/mongo/files.ts';
import type { Quota } from '../../adapters/mongo/quota.ts';
import type { AccountStores } from '../../adapters/object-store/account-stores.ts';
import type { UploadCommands } from '../../adapters/temporal/upload-commands.ts';

export interface UploadInitDeps {
  readonly files: Files;
  readonly quota: Quota;
  readonly stores: AccountStores;
  readonly uploads: UploadCommands;
  readonly plans: Plans;
  readonly priceBook: PriceBook;
  readonly uploadUrlSeconds: number;
  readonly uploadGraceSeconds: number;
  readonly now: () => Date;
}

/** What the client says about the file, checked by the route's schema. */
export interface UploadRequest {
  readonly fileName: string;
  readonly contentType: string;
  readonly fileSizeBytes: number;
  /** Default: `hot`. */
  readonly priority?: Priority;
}

export interface InitializedUpload {
  readonly file: FileRecord;
  /** Expires at `file.urlExpiresAt`. */
  readonly presignedUrl: string;
}

/**
 * Chooses a store, books the quota, starts the upload's workflow, inserts the pending file, and signs
 * the URL of its PUT. A refused call books nothing.
 *
 * @throws AppError `plan_limit`, `no_providers_configured`, `file_too_large`, `unavailable`
 */
export async function initUpload(
  deps: UploadInitDeps,
  account: Account,
  request: UploadRequest,
): Promise<InitializedUpload> {
  const createdAt = deps.now();
  const routing = await routeAndBook(deps, account, request, createdAt);
  const file = newFile(deps, account, request, routing, createdAt);
  await insertWithWorkflow(deps, file);
  const presignedUrl = await deps.stores.at(account, file.location).presignUpload({
    key: file.objectKey,
    contentType: file.contentType,
    sizeBytes: file.sizeBytes,
    expiresInSeconds: deps.uploadUrlSeconds,
    signedAt: createdAt,
  });
  return { file, presignedUrl };
}

/** Refuses in the fixed order, the plan before the providers. */
async function routeAndBook(
  { quota, plans, priceBook }: UploadInitDeps,
  account: Account,
  { fileSizeBytes: sizeBytes, priority = 'hot' }: UploadRequest,
  createdAt: Date,
): Promise<Routing> {
  const period = { accountId: account.accountId, month: monthOf(createdAt) };
  const limits = plans[account.plan];
  const configured = Object.values(account.providers).map(({ location }) => location);
  let routing: Routing;
  try {
    routing = route({ priority, sizeBytes, configured }, priceBook);
  } catch (error) {
    const booked = await quota.read(period);
    entitle(account.plan, limits, { what: 'upload', sizeBytes, booked });
    throw error;
  }
  if (!(await quota.book(period, sizeBytes, limits)))
    throw planLimit(account.plan, limits, 'upload');
  return routing;
}

function newFile(
  { uploadUrlSeconds, uploadGraceSeconds }: UploadInitDeps,
  account: Account,
  { fileName, contentType, fileSizeBytes }: UploadRequest,
  { decision, savedVsAws }: Routing,
  createdAt: Date,
): FileRecord {
  const fileId = randomUUID();
  const urlExpiresAt = addSeconds(createdAt, uploadUrlSeconds);
  return {
    fileId,
    accountId: account.accountId,
    status: 'pending',
    fileName,
    contentType,
    sizeBytes: fileSizeBytes,
    priority: decision.priority,
    location: locationOf(account, decision.provider),
    objectKey: uploadKey(fileId, fileName),
    routing: decision,
    savedVsAws,
    month: monthOf(createdAt),
    createdAt,
    urlExpiresAt,
    deadline: addSeconds(urlExpiresAt, uploadGraceSeconds),
  };
}

function locationOf(account: Account, provider: ProviderName): StoreLocation {
  const stored = account.providers[provider];
  if (!stored) throw new Error(`${CATALOGUE[provider].title} was chosen but is not configured`);
  return stored.location;
}

/** The workflow starts before the insert, so that no pending file exists without a workflow. */
async function insertWithWorkflow(deps: UploadInitDeps, file: FileRecord): Promise<void> {
  try {
    await deps.uploads.start(file);
  } catch (error) {
    await releaseBooking(deps, file).catch(() => undefined);
    throw error;
  }
  await deps.files.insert(file);
}

/**
 * Without a workflow the file is not inserted, so its booking is released at once. Where the release
 * fails, or an insert fails that the database may still carry out, the quota reconciliation corrects
 * the counter.
 */
async function releaseBooking(
  { files, quota, now }: UploadInitDeps,
  file: FileRecord,
): Promise<void> {
  await files.insertTombstone(file, now());
  await quota.release(file, { bytes: file.sizeBytes, uploads: 1 });
}
