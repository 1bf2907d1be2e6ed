import { invalidArgument, notify, StorageRoutingError } from '../http/errors.ts';
import { putSettingsFrom } from '../http/settings.ts';
import type { InitResult } from '../resources/files.ts';
import { openBlob, openBytes } from '../source/memory.ts';
import type { Platform } from '../source/platform.ts';
import type { PutSource } from '../source/types.ts';
import type { OnProgress } from './progress.ts';
import { putBytes } from './put.ts';

/** What the PUT of a file needs of its init: the whole answer, or these fields. */
export type PutTarget = Pick<InitResult, 'presignedUrl' | 'requiredHeaders'> &
  Partial<Pick<InitResult, 'fileId'>>;

export interface PutOptions {
  /** Called last with `sentBytes === totalBytes`. If it throws, the PUT is stopped. */
  onProgress?: OnProgress | undefined;
  signal?: AbortSignal | undefined;
  /** Maximum milliseconds without progress; default 120,000. */
  stallTimeoutMs?: number | undefined;
}

/**
 * Sends a file by one PUT to the URL of its init. It needs no client and no credentials, so it is
 * for pages: the calls before it (`init`) and after it (`complete`) are made by a server.
 *
 * @throws StorageRoutingError `upload_to_provider_failed` with a status below 500 if the store
 *   refused. After `connection_lost`, `timeout` or a status from 500 on the object may be stored:
 *   `complete` decides. `aborted` and `source_changed`; `invalid_argument` for an init without a
 *   URL.
 */
export type Put = (
  init: PutTarget,
  source: Blob | Uint8Array | ArrayBuffer,
  options?: PutOptions,
) => Promise<void>;

export function createPut(platform: Pick<Platform, 'wholePut'>): Put {
  return async (init, source, { onProgress, signal, stallTimeoutMs } = {}) => {
    const { presignedUrl, requiredHeaders, fileId } = init;
    if (!URL.canParse(presignedUrl)) {
      throw invalidArgument('the init has no presignedUrl (a multipart one goes by client.resume)');
    }
    const opened = open(source);
    const totalBytes = opened.sizeBytes;
    try {
      const outcome = await putBytes(
        { settings: putSettingsFrom({ stallTimeoutMs }), platform },
        {
          presignedUrl,
          requiredHeaders,
          source: opened,
          parallel: 1,
          what: 'PUT to the store',
          onMoved: (sentBytes) => notify('onProgress', onProgress, { sentBytes, totalBytes }),
          signal,
          requestId: undefined,
        },
      );
      if (outcome.kind === 'stored') return;
      await opened.verifyUnchanged();
      throw outcome.error;
    } catch (error) {
      if (error instanceof StorageRoutingError) error.fileId = fileId;
      throw error;
    }
  };
}

function open(source: Blob | Uint8Array | ArrayBuffer): PutSource {
  if (source instanceof Blob) return openBlob(source, '', undefined);
  if (source instanceof Uint8Array) return openBytes(source, '', undefined);
  if (source instanceof ArrayBuffer) return openBytes(new Uint8Array(source), '', undefined);
  throw invalidArgument('source must be a File, a Blob or bytes');
}
