import type { Account } from '../../domain/accounts/account.ts';
import { AppError } from '../../domain/common/errors.ts';
import { type FileRecord, toPartSize } from '../../domain/uploads/file.ts';
import { STORE_CALLS } from '../../adapters/object-store/call-bounds.ts';
import type { ListedPart, PartsPage } from '../../adapters/object-store/object-store.ts';
import { findFile, withStoreErrors } from './files.ts';
import type { Deps } from '../common/deps.ts';
import { computeExpiry, requireOpen, type UploadUrlDeps } from './url.ts';

export type UploadPartsDeps = Deps<'files' | 'stores'>;

/** A URL for one part. */
interface PartUrl {
  readonly partNumber: number;
  readonly sizeBytes: number;
  readonly presignedUrl: string;
}

export interface PartUrls {
  readonly parts: readonly PartUrl[];
  readonly expiresAt: Date;
}

const NO_PARTS: PartsPage = { parts: [], isTruncated: false };

/**
 * Fresh URLs for parts of a pending multipart upload.
 *
 * @throws AppError `invalid_request`, `file_not_found`, `file_not_multipart`,
 * `file_already_active`, `file_expired`, `file_deleted`, `provider_not_configured`, `unavailable`
 */
export async function presignParts(
  deps: UploadPartsDeps & UploadUrlDeps,
  account: Account,
  { fileId, partNumbers }: { readonly fileId: string; readonly partNumbers: readonly number[] },
): Promise<PartUrls> {
  const file = await findFile(deps, account, fileId);
  const { multipart, uploadId } = requireMultipart(file);
  requireOpen(deps, file);
  requireWithin(partNumbers, multipart.partCount);
  const store = await deps.stores.at(account, file.location);
  const { signedAt, expiresInSeconds, expiresAt } = computeExpiry(deps, file);
  if (!(await deps.files.extendUrl(fileId, expiresAt)))
    requireOpen(deps, await findFile(deps, account, fileId));
  const { objectKey: key } = file;
  const presign = async (partNumber: number): Promise<PartUrl> => {
    const sizeBytes = toPartSize(file.sizeBytes, multipart, partNumber);
    const part = { key, uploadId, partNumber, sizeBytes, expiresInSeconds, signedAt };
    return { partNumber, sizeBytes, presignedUrl: await store.presignPart(part) };
  };
  return { parts: await Promise.all(partNumbers.map(presign)), expiresAt };
}

/**
 * One page of the parts that the store holds.
 *
 * @throws AppError as `presignParts`, and `provider_error`
 */
export async function getParts(
  deps: UploadPartsDeps & UploadUrlDeps,
  account: Account,
  { fileId, after }: { readonly fileId: string; readonly after: number },
): Promise<PartsPage> {
  const file = await findFile(deps, account, fileId);
  requireMultipart(file);
  requireOpen(deps, file);
  return await readParts(deps, account, file, after);
}

/** All parts that the store holds, by number. @throws AppError `provider_error` */
export async function listParts(
  deps: UploadPartsDeps,
  account: Account,
  file: FileRecord,
): Promise<Map<number, ListedPart>> {
  const listed = new Map<number, ListedPart>();
  let after: number | undefined = 0;
  while (after !== undefined) {
    const { parts, isTruncated } = await readParts(deps, account, file, after);
    for (const part of parts) listed.set(part.partNumber, part);
    const { partNumber: last = 0 } = parts.at(-1) ?? {};
    after = isTruncated && last > after ? last : undefined;
  }
  return listed;
}

/** Whether the store still has the multipart upload. @throws AppError `provider_error` */
export async function hasUpload(
  deps: UploadPartsDeps,
  account: Account,
  file: FileRecord,
): Promise<boolean> {
  return (await findParts(deps, account, file, 0)) !== undefined;
}

/** An upload that is no longer at the store has no parts. */
async function readParts(
  deps: UploadPartsDeps,
  account: Account,
  file: FileRecord,
  after: number,
): Promise<PartsPage> {
  return (await findParts(deps, account, file, after)) ?? NO_PARTS;
}

async function findParts(
  deps: UploadPartsDeps,
  account: Account,
  file: FileRecord,
  after: number,
): Promise<PartsPage | undefined> {
  const { uploadId } = requireMultipart(file);
  const options = { timeoutMs: STORE_CALLS.api.callMs };
  const store = await deps.stores.at(account, file.location);
  return await withStoreErrors(deps, file.location, () =>
    store.parts(file.objectKey, uploadId, after, options),
  );
}

/** @throws AppError `file_not_multipart`; `unavailable` before its init created the upload */
function requireMultipart({ multipart }: FileRecord) {
  if (!multipart) throw new AppError('file_not_multipart');
  if (multipart.uploadId === undefined) throw new AppError('unavailable');
  return { multipart, uploadId: multipart.uploadId };
}

/** @throws AppError `invalid_request` */
function requireWithin(partNumbers: readonly number[], partCount: number): void {
  const details = partNumbers.flatMap((partNumber, index) =>
    partNumber <= partCount
      ? []
      : [{ path: `/partNumbers/${index}`, message: `must be at most ${partCount}` }],
  );
  if (details.length > 0) throw new AppError('invalid_request', undefined, { details });
}
