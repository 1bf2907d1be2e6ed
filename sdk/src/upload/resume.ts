import { hasCode } from '../http/errors.ts';
import { withRequestId } from '../http/transport.ts';
import type { CompleteResult, FileInfo } from '../http/api-types.ts';
import { sourceChanged } from '../source/errors.ts';
import { openSource } from '../source/open.ts';
import type { OpenedSource, UploadSource } from '../source/types.ts';
import type { PartsPlan, UploadContext, UploadDeps } from './context.ts';
import { createComparison, listHeldParts } from './held-parts.ts';
import { checkedParallel, sendPartsAndComplete } from './parts.ts';
import { putAndComplete, saysNotThere } from './single.ts';
import { withFileId, type TransferOptions } from './upload.ts';

/** Options of `resume`. */
export interface ResumeOptions extends TransferOptions {
  /**
   * Accepts a file that was modified after its upload began. The parts at the store and the file
   * then have to have the same bytes all the same.
   */
  acceptModified?: boolean | undefined;
}

/** Clocks of this machine and of the service differ by less. */
const CLOCK_DIFFERENCE_MS = 60_000;

/**
 * Resumes an upload: sends what is not at the store yet, and completes the file. The source has to
 * have the same bytes as in the first run: its size is verified, that a file was not modified
 * since, and the MD5 of each part at the store; a part that differs is sent again.
 *
 * @throws StorageRoutingError like `upload`, always with `fileId`; `source_size_mismatch` and
 *   `source_changed` for another source; `file_expired` and `file_deleted` if there is nothing to
 *   resume.
 */
export async function resume(
  deps: UploadDeps,
  fileId: string,
  from: UploadSource['source'],
  request: ResumeOptions = {},
): Promise<CompleteResult> {
  const options = withRequestId(request);
  const parallel = checkedParallel(request.parallelParts);
  const { files, platform } = deps;
  const context = { ...deps, onProgress: request.onProgress, options };
  return withFileId(fileId, async () => {
    const file = await files.getFile(fileId, options);
    // Complete answers for an active file, and explains an expired one.
    if (file.status !== 'pending') return files.complete(fileId, options);
    const { fileName, fileSizeBytes } = file;
    const source = await openSource(platform, {
      source: from,
      fileName,
      fileSizeBytes,
    } as UploadSource);
    try {
      if (request.acceptModified !== true) checkUnmodified(source, file);
      const plan = await readPlan(context, file);
      if (plan === undefined) return await resumeSingle(context, fileId, source);
      const held = await listHeldParts(context, plan);
      const compare = createComparison(platform);
      return await sendPartsAndComplete(context, { plan, source, parallel, held, compare });
    } catch (error) {
      // Another run has completed the file meanwhile.
      if (hasCode(error, 'file_already_active')) return await files.complete(fileId, options);
      throw error;
    } finally {
      await source.close();
    }
  });
}

function checkUnmodified({ modifiedAtMs = 0 }: OpenedSource, { createdAt }: FileInfo): void {
  if (modifiedAtMs <= Date.parse(createdAt) + CLOCK_DIFFERENCE_MS) return;
  throw sourceChanged('the file was modified after its upload began');
}

/** How the file is divided into parts; undefined if its upload is a single PUT. */
async function readPlan(
  { files, options }: UploadContext,
  { fileId, fileSizeBytes }: FileInfo,
): Promise<PartsPlan | undefined> {
  try {
    const { parts } = await files.uploadParts(fileId, [1], options);
    const partSizeBytes = parts[0]?.sizeBytes ?? 0;
    const partCount = Math.max(1, Math.ceil(fileSizeBytes / Math.max(1, partSizeBytes)));
    return { fileId, sizeBytes: fileSizeBytes, partSizeBytes, partCount };
  } catch (error) {
    if (hasCode(error, 'file_not_multipart')) return undefined;
    throw error;
  }
}

/** The object may be at the store already; if it is not, it is sent once more. */
async function resumeSingle(
  context: UploadContext,
  fileId: string,
  source: OpenedSource,
): Promise<CompleteResult> {
  const { files, options } = context;
  try {
    return await files.complete(fileId, options);
  } catch (error) {
    if (!saysNotThere(error)) throw error;
  }
  const { presignedUrl, requiredHeaders } = await files.uploadUrl(fileId, options);
  return await putAndComplete(context, { fileId, presignedUrl, requiredHeaders }, source);
}
