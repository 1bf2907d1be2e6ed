import { randomUUID } from 'node:crypto';
import {
  requireProvider,
  type Account,
  type StoredProvider,
} from '../../domain/accounts/account.ts';
import { entitle, planLimit } from '../../domain/accounts/entitlement.ts';
import { uploadKey } from '../../domain/uploads/file-name.ts';
import { invalidField } from '../../domain/common/errors.ts';
import {
  afterSettling,
  type FileRecord,
  planParts,
  uploadWindow,
} from '../../domain/uploads/file.ts';
import type { Priority } from '../../domain/providers/catalogue.ts';
import { route, type Routing } from '../../domain/uploads/routing.ts';
import { addSeconds, toMonth, toWholeSecond } from '../../domain/common/time.ts';
import type { QuotaBooking } from '../../adapters/mongo/uploads/quota.ts';
import { isPlaceGone } from '../../adapters/object-store/account-stores.ts';
import { StoreError } from '../../adapters/object-store/errors.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { STORE_CALLS } from '../../adapters/object-store/call-bounds.ts';
import { deleteFile, type FileDeps, withStoreErrors } from './files.ts';
import type { RequirePendingRoom } from './pending-limit.ts';
import type { Deps } from '../common/deps.ts';
import { presignUpload } from './url.ts';

export type UploadInitDeps = FileDeps &
  Deps<
    'uploadStarts' | 'quota' | 'plans' | 'priceBook' | 'uploadUrlSeconds' | 'uploadGraceSeconds'
  > & { readonly requirePendingRoom: RequirePendingRoom };

/** The client's description of the file, validated by the route's schema. */
export interface UploadRequest {
  readonly fileName: string;
  readonly contentType: string;
  readonly fileSizeBytes: number;
  /** Default: `hot`. */
  readonly priority?: Priority;
  /** Upload in parts. */
  readonly multipart?: boolean;
  /** Base64 of 16 bytes; not with `multipart`. */
  readonly contentMd5?: string;
}

/** A pending file, with the URL of its PUT unless it is uploaded in parts. */
export interface InitializedUpload {
  readonly file: FileRecord;
  /** Undefined if the file is uploaded in parts. Expires at `file.urlExpiresAt`. */
  readonly presignedUrl: string | undefined;
}

/**
 * Chooses a store, books the quota, inserts the pending file, and signs the URL of its PUT, or
 * creates its multipart upload. The upload's workflow is started after the insert, and not awaited.
 * A refused call books nothing. If the provider gets another place meanwhile, the file stays at
 * this one.
 *
 * @throws AppError `invalid_request`, `rate_limited`, `plan_limit`, `no_providers_configured`,
 * `file_too_large`, `provider_not_usable`, `provider_error`, `unavailable`
 */
export async function initUpload(
  deps: UploadInitDeps,
  account: Account,
  request: UploadRequest,
): Promise<InitializedUpload> {
  requireOneKind(request);
  await deps.requirePendingRoom(account.accountId);
  const createdAt = deps.now();
  const { routing, booking, store } = await routeAndBook(deps, account, request, createdAt);
  const file = newFile(deps, account, request, routing, createdAt);
  await insertAndStart(deps, file);
  if (file.multipart) {
    const isCreated = await createMultipartUpload(deps, account, file, { booking, store });
    if (isCreated) return { file, presignedUrl: undefined };
    const latest = await deps.accounts.findAccount(account.accountId);
    return await initUpload(deps, latest ?? account, request);
  }
  const validity = {
    signedAt: toWholeSecond(createdAt),
    expiresInSeconds: deps.uploadUrlSeconds,
  };
  return { file, presignedUrl: await presignUpload(store, file, validity) };
}

/** @throws AppError `invalid_request` */
function requireOneKind({ multipart, contentMd5 }: UploadRequest): void {
  if (multipart === true && contentMd5 !== undefined)
    throw invalidField('/contentMd5', 'cannot be given with multipart');
}

/** What an init has before the file is inserted. */
interface Begun {
  readonly booking: QuotaBooking;
  /** At the file's place. */
  readonly store: ObjectStore;
}

/**
 * Refuses in the fixed order, the plan before the providers. The store is opened before the
 * booking, so that credentials which cannot be opened book nothing.
 */
async function routeAndBook(
  { quota, plans, priceBook, stores }: UploadInitDeps,
  account: Account,
  request: UploadRequest,
  createdAt: Date,
): Promise<Begun & { readonly routing: Routing }> {
  const period = { accountId: account.accountId, month: toMonth(createdAt) };
  const limits = plans[account.plan];
  const { fileSizeBytes: sizeBytes, priority = 'hot', multipart: isMultipart = false } = request;
  const stored = Object.values(account.providers).flatMap((one) => one ?? []);
  const configured = stored.map((one) => ({
    provider: one.location.provider,
    region: one.location.region,
    demandsDigest: demandsDigest(one),
  }));
  let routing: Routing;
  let store: ObjectStore;
  try {
    routing = route({ priority, sizeBytes, isMultipart, configured }, priceBook);
    const chosen = requireProvider(account, routing.decision.provider);
    store = await stores.at(account, chosen.location);
    if (demandsDigest(chosen))
      requireDigest(request, priceBook.catalogue.titleOf(chosen.location.provider));
  } catch (error) {
    const booked = await quota.read(period);
    entitle(account.plan, limits, { what: 'upload', sizeBytes, booked });
    throw error;
  }
  const booking = await quota.book(period, sizeBytes, limits);
  if (!booking) throw planLimit(account.plan, limits, 'upload');
  return { routing, booking, store };
}

/** As its test has measured; before that no digest is asked for. */
function demandsDigest({ capabilities }: StoredProvider): boolean {
  return capabilities?.objectLock === true;
}

/** @throws AppError `invalid_request` */
function requireDigest({ contentMd5 }: UploadRequest, title: string): void {
  if (contentMd5 !== undefined) return;
  throw invalidField(
    '/contentMd5',
    `is required: the bucket at ${title} refuses an upload without a digest, as one with default Object Lock retention does; give the MD5 of the bytes`,
  );
}

function newFile(
  { uploadUrlSeconds, uploadGraceSeconds, priceBook }: UploadInitDeps,
  account: Account,
  { fileName, contentType, fileSizeBytes, contentMd5, multipart = false }: UploadRequest,
  { decision, savedVsAws }: Routing,
  createdAt: Date,
): FileRecord {
  const fileId = randomUUID();
  const { limits } = priceBook.catalogue.entry(decision.provider);
  const urlExpiresAt = addSeconds(toWholeSecond(createdAt), uploadUrlSeconds);
  const window = uploadWindow(urlExpiresAt, uploadGraceSeconds);
  return {
    fileId,
    accountId: account.accountId,
    status: 'pending',
    fileName,
    contentType,
    sizeBytes: fileSizeBytes,
    priority: decision.priority,
    location: requireProvider(account, decision.provider).location,
    objectKey: uploadKey(fileId, fileName),
    routing: decision,
    savedVsAws,
    month: toMonth(createdAt),
    createdAt,
    // The URLs of parts are signed later, each with an expiry of its own.
    urlExpiresAt: multipart ? createdAt : urlExpiresAt,
    ...window,
    nextAttemptAt: afterSettling(window.deadline),
    ...(contentMd5 === undefined ? {} : { contentMd5 }),
    ...(multipart ? { multipart: planParts(fileSizeBytes, limits) } : {}),
  };
}

/**
 * A start that is dropped is marked in the file itself, and made up for by the sweep. A booking
 * whose insert has an unknown outcome stays: the file may be there, and the quota reconciliation
 * finds out.
 */
async function insertAndStart(
  { uploadStarts, files }: UploadInitDeps,
  file: FileRecord,
): Promise<void> {
  const start = await uploadStarts.reserve();
  try {
    await files.insertFile(
      start ? file : { ...file, unstarted: true, nextAttemptAt: file.createdAt },
    );
  } catch (error) {
    start?.cancel();
    throw error;
  }
  start?.begin(file);
}

/**
 * Creates the upload at the store after the insert: if this process dies, the file's workflow finds
 * the upload by its key. Without an upload nothing stays booked. False, and nothing is left, if the
 * file's place was forgotten meanwhile.
 *
 * @throws AppError `provider_error`
 */
async function createMultipartUpload(
  deps: UploadInitDeps,
  account: Account,
  file: FileRecord,
  { booking, store }: Begun,
): Promise<boolean> {
  const { location, objectKey, contentType, multipart } = file;
  const options = { timeoutMs: STORE_CALLS.api.callMs };
  return await withStoreErrors(deps, location, async () => {
    try {
      const uploadId = await store.beginUpload(objectKey, { 'content-type': contentType }, options);
      if (!(await isKept(deps, file))) {
        await store.abortUpload(objectKey, uploadId, options);
        await discard(deps, file, booking);
        return false;
      }
      const set = multipart ? { multipart: { ...multipart, uploadId } } : {};
      await deps.files.change(file.fileId, ['pending'], { set });
      return true;
    } catch (error) {
      // A refusal of the store created nothing. After any other failure the upload may exist.
      const isRefused = error instanceof StoreError && (error.refusal?.status ?? 500) < 500;
      const abandon = isRefused
        ? discard(deps, file, booking)
        : deleteFile(deps, account, file.fileId);
      await abandon.catch(deps.onBackgroundError);
      throw error;
    }
  });
}

/** Whether the account still has the place of a file: nobody else finds an upload there. */
async function isKept(
  { accounts, stores }: UploadInitDeps,
  { accountId, location }: FileRecord,
): Promise<boolean> {
  const latest = await accounts.findAccount(accountId);
  if (!latest) return false;
  return await stores.at(latest, location).then(
    () => true,
    (error: unknown) => {
      if (isPlaceGone(error)) return false;
      throw error;
    },
  );
}

/** Discards a file that no caller knows, and its booking. */
async function discard(
  { files, quota }: UploadInitDeps,
  file: FileRecord,
  booking: QuotaBooking,
): Promise<void> {
  if (await files.discard(file.fileId)) await quota.withdraw(file, file.sizeBytes, booking);
}
