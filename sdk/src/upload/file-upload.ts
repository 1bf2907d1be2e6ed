import { type Cancellable, throwIfAborted } from '../http/deadline.ts';
import { invalidArgument, StorageRoutingError } from '../http/errors.ts';
import { CLOCK, putSettingsFrom } from '../http/settings.ts';
import { withRequestId } from '../http/transport.ts';
import type { CompleteResult, PartUrlsResult } from '../http/api-types.ts';
import type { InitRequest, InitResult, MultipartInitResult } from '../resources/files.ts';
import { findXhrPut } from '../platform/xhr.ts';
import { openBlob } from '../source/memory.ts';
import type { SendContext } from './context.ts';
import { checkedParallel, sendPartsAndComplete } from './parts.ts';
import type { PutTarget } from './put-file.ts';
import { putAndComplete, saysNotThere } from './single.ts';
import { type TransferOptions, withFileId } from './upload.ts';

/** What a page says of a file before it is sent. */
export type FileToUpload = Pick<InitRequest, 'fileName' | 'contentType' | 'fileSizeBytes'>;

/** A started upload: by a single PUT, or in parts. The whole answer of `init`, or these fields. */
export type StartedUpload =
  | Pick<InitResult, 'fileId' | 'presignedUrl' | 'requiredHeaders'>
  | Pick<MultipartInitResult, 'fileId' | 'multipart'>;

/**
 * The calls of an upload, which a page's own server makes with its API key.
 *
 * Each rejects with a `StorageRoutingError` that has the service's `code` and `status`, or
 * `connection_lost` if no answer came. An upload cannot decide by other errors: it stops with them,
 * repeats no call for them and sends nothing again after them.
 */
export interface UploadCalls {
  /** Creates a file. The server decides whether it is sent in parts. */
  init(file: FileToUpload, options: Cancellable): Promise<StartedUpload>;
  /** Verifies the stored object. It is repeated after a failure. */
  complete(fileId: string, options: Cancellable): Promise<CompleteResult>;
  /** A fresh URL of a single PUT; called when an upload is resumed. */
  uploadUrl(fileId: string, options: Cancellable): Promise<PutTarget>;
  /** URLs of up to 100 parts. Needed if the server divides files into parts. */
  uploadParts?:
    | ((
        fileId: string,
        partNumbers: readonly number[],
        options: Cancellable,
      ) => Promise<PartUrlsResult>)
    | undefined;
}

/** The upload of one file. */
export interface FileUpload {
  /**
   * Uploads the file. After it has failed, another call continues: it sends what the store does not
   * have, and only completes the file if all its bytes were sent.
   *
   * @throws StorageRoutingError like `upload`; any other error of the functions given.
   */
  run(
    options?: Pick<TransferOptions, 'onProgress' | 'parallelParts' | 'signal'>,
  ): Promise<CompleteResult>;
}

/** After these there is nothing to resume: the next run creates another file. */
const FINAL_CODES = new Set<string>(['file_expired', 'file_deleted', 'file_not_found']);

const NO_PARTS = 'the server divides the file into parts, and uploadParts is not given';

/** The upload of a page's file by calls to the page's own server. It sends nothing before `run`. */
export function createFileUpload(calls: UploadCalls, file: File): FileUpload {
  let started: Promise<StartedUpload> | undefined;
  let hasBegun = false;
  let isSent = false;
  /** Without ETags, which a page cannot read. */
  const confirmed = new Map<number, string>();
  const forget = (): void => {
    started = undefined;
    confirmed.clear();
    hasBegun = isSent = false;
  };
  const begin = async (signal: AbortSignal | undefined): Promise<StartedUpload> => {
    try {
      return checkStarted(await calls.init(describe(file), { signal }));
    } catch (error) {
      forget();
      throw error;
    }
  };
  const files: SendContext['files'] = {
    complete: (fileId, { signal } = {}) => {
      isSent = true;
      return calls.complete(fileId, { signal });
    },
    uploadParts: async (fileId, numbers, { signal } = {}) => {
      if (calls.uploadParts === undefined) throw invalidArgument(NO_PARTS);
      return calls.uploadParts(fileId, numbers, { signal });
    },
    // Parts that were confirmed and are missing all the same are sent again, with all others.
    async *listParts() {
      yield* [];
    },
  };
  const send = async (context: SendContext, start: StartedUpload, parallel: number) => {
    const { fileId } = start;
    if (isSent) {
      try {
        return await files.complete(fileId, context.options);
      } catch (error) {
        if (!isIncomplete(error)) throw error;
      }
    }
    const source = openBlob(file, file.name, undefined);
    const isResumed = hasBegun;
    hasBegun = true;
    if (!('multipart' in start)) {
      const target = isResumed ? await calls.uploadUrl(fileId, context.options) : start;
      return putAndComplete(context, { ...target, fileId }, source);
    }
    const plan = { fileId, sizeBytes: file.size, ...start.multipart };
    // Not what the store lists: some stores hold a part that was cut off, with its full size.
    const held = new Map(confirmed);
    const onConfirmed = (partNumber: number): void => void confirmed.set(partNumber, '');
    const parts = { plan, source, parallel, held, compare: undefined, onConfirmed };
    return sendPartsAndComplete(context, parts);
  };
  return {
    async run({ onProgress, parallelParts, signal } = {}) {
      const parallel = checkedParallel(parallelParts);
      const options = withRequestId({ signal });
      // The init of an earlier run, whose signal may have ended it.
      const earlier = started && (await started.catch(() => undefined));
      throwIfAborted(signal, options.requestId);
      const start = earlier ?? (await (started ??= begin(signal)));
      const settings = { ...CLOCK, ...putSettingsFrom({}), maxRetries: 3 };
      const platform = { wholePut: findXhrPut };
      return withFileId(start.fileId, async () => {
        throwIfAborted(signal, options.requestId);
        try {
          return await send({ settings, platform, files, onProgress, options }, start, parallel);
        } catch (error) {
          if (error instanceof StorageRoutingError && FINAL_CODES.has(error.code)) forget();
          throw error;
        }
      });
    },
  };
}

function describe({ name, type, size }: File): FileToUpload {
  return {
    fileName: name,
    contentType: type || 'application/octet-stream',
    fileSizeBytes: size,
  };
}

function isIncomplete(error: unknown): boolean {
  if (saysNotThere(error)) return true;
  return error instanceof StorageRoutingError && error.code === 'file_incomplete';
}

/** @throws StorageRoutingError `invalid_response` if the server's answer lacks what is needed. */
function checkStarted(start: StartedUpload): StartedUpload {
  const isUsable =
    typeof start.fileId === 'string' &&
    ('multipart' in start ? start.multipart.partCount > 0 : URL.canParse(start.presignedUrl));
  if (isUsable) return start;
  const message = 'the answer of init lacks what an upload needs';
  throw new StorageRoutingError({ code: 'invalid_response', message });
}
