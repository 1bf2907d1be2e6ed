import {
  createClient,
  StorageRoutingError,
  type Priority,
  type Provider,
  type StorageRoutingClient,
} from '@storage-routing/client';

/** Larger files are sent in parts, because a browser reports no progress of a single PUT. */
const LARGEST_SINGLE_BYTES = 8 * 1024 * 1024;

/** What to upload, and with which key. */
export interface TransferRequest {
  readonly apiKey: string;
  readonly file: File;
  readonly priority: Priority;
}

/** How far an upload is. */
export interface Transfer {
  readonly request: TransferRequest;
  readonly status: 'sending' | 'cancelled' | 'failed' | 'done';
  /** The file of the service, once it has chosen a store. */
  readonly begun?: Begun;
  readonly confirmedBytes: number;
  /** Why it has failed. */
  readonly error?: unknown;
}

interface Begun {
  readonly fileId: string;
  readonly provider: Provider;
  /** Undefined for an upload by a single PUT. */
  readonly partBytes: number | undefined;
}

type Change = (change: Partial<Transfer>) => void;

/**
 * A failure is shown at once, and the reader resumes the upload: nothing is retried automatically.
 */
function openClient({ apiKey }: TransferRequest): StorageRoutingClient {
  return createClient({ baseUrl: window.location.origin, apiKey, maxRetries: 0 });
}

/** Sends a file, or what the store does not hold of it yet. The last change says how it ended. */
export async function sendFile(
  transfer: Transfer,
  change: Change,
  signal: AbortSignal,
): Promise<void> {
  try {
    await send(transfer, change, signal);
    change({ status: 'done', confirmedBytes: transfer.request.file.size });
  } catch (error) {
    const isCancelled = error instanceof StorageRoutingError && error.code === 'aborted';
    change(isCancelled ? { status: 'cancelled' } : { status: 'failed', error });
  }
}

async function send({ request, begun }: Transfer, change: Change, signal: AbortSignal) {
  const { file, priority } = request;
  const client = openClient(request);
  const about = {
    fileName: file.name,
    contentType: file.type === '' ? 'application/octet-stream' : file.type,
    fileSizeBytes: file.size,
    priority,
  };
  const resume = async (fileId: string) =>
    await client.resume(fileId, file, {
      onProgress: ({ confirmedBytes = 0 }) => change({ confirmedBytes }),
      signal,
    });
  if (begun) return await resume(begun.fileId);
  if (file.size > LARGEST_SINGLE_BYTES) {
    const { fileId, provider, multipart } = await client.init(
      { ...about, multipart: true },
      { signal },
    );
    change({ begun: { fileId, provider, partBytes: multipart.partSizeBytes } });
    return await resume(fileId);
  }
  return await client.upload({
    ...about,
    source: file,
    onStarted: ({ fileId, provider }) =>
      change({ begun: { fileId, provider, partBytes: undefined } }),
    signal,
  });
}

/** Deletes the file, or what is there of it, at the store. */
export async function discardFile({ request, begun }: Transfer): Promise<void> {
  if (begun) await openClient(request).deleteFile(begun.fileId);
}

const UNREACHED = new Set<string>([
  'upload_to_provider_failed',
  'connection_failed',
  'connection_lost',
  'timeout',
]);

/**
 * The browser does not tell a page why a store was not reached; the rules of the bucket are the
 * usual reason.
 */
export function mayBeRefusedByCors({ begun, error }: Transfer): boolean {
  if (!begun || !(error instanceof StorageRoutingError)) return false;
  return error.status === undefined && UNREACHED.has(error.code);
}
