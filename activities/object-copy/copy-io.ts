import type { StoreCapabilities } from '../../domain/provider/capabilities.ts';
import type {
  ObjectDescription,
  OpenedObject,
  ByteRange,
  ObjectStore,
} from '../../adapters/object-store/object-store.ts';
import { retryCall, STORE_CALLS } from '../../adapters/object-store/call-bounds.ts';
import { StoreError } from '../../adapters/object-store/errors.ts';
import { headersFor } from '../../domain/migration/copying.ts';
import type { ManifestEntry, NotCarried } from '../../domain/migration/object-ledger.ts';
import { classifyCopyError, CopyError, withCopyErrors, type CopySide } from './copy-error.ts';
import type { CopyLimits } from './copy-limits.ts';
import type { Progress } from '../common/progress.ts';

export interface ObjectCopyDeps {
  readonly source: ObjectStore;
  readonly target: ObjectStore;
  readonly limits: CopyLimits;
  readonly progress: Pick<Progress, 'reportWhile'>;
  readonly migrationId: string;
  /** What the target was measured to do. */
  readonly capabilities: Partial<StoreCapabilities>;
  /** The most parts of a multipart upload at the target. */
  readonly maxParts: number;
  /** The target's key had nothing: an object that is there by now stays. */
  readonly onlyIfNew?: boolean;
  /**
   * Aborting it discards what is in flight and throws its reason. Only a write whose last byte has been sent is
   * awaited, because the target may have carried it out.
   */
  readonly signal: AbortSignal;
  /** Called before each write at the target. @throws if the migration has ended */
  readonly confirmOpen?: (() => Promise<void>) | undefined;
  /** Checks the target's key again before a multipart upload is completed. @throws CopyError */
  readonly requireUnchanged?: (() => Promise<void>) | undefined;
  /** The multipart uploads that are neither completed nor aborted: what remains here, a later step aborts. */
  readonly uploads: {
    /** Before the first part. */
    note(upload: { readonly targetKey: string; readonly uploadId: string }): Promise<void>;
    remove(uploadId: string): Promise<void>;
  };
  readonly onConfirmed?: OnConfirmed | undefined;
  /** Waits between attempts of a part; rejects when the signal is aborted. Default: a timer. */
  readonly wait?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
}

/**
 * Called with the bytes of a multipart upload that the target has confirmed so far; with 0 if the
 * upload is aborted.
 */
export type OnConfirmed = (bytes: number) => void;

/** A copied object: the target holds the bytes that the source sent. */
export interface CopiedObject {
  readonly bytes: number;
  readonly sourceEtag: string;
  /** Lower-case hex. */
  readonly sha256: string;
  readonly targetEtag: string;
  readonly notCarried: readonly NotCarried[];
}

/** The object to read, in a copy or a verification. */
export interface ReadFrom {
  readonly side: CopySide;
  readonly store: ObjectStore;
  readonly key: string;
  readonly etag: string;
  /** Of the whole object. */
  readonly sizeBytes: number;
}

/** The source's object of a manifest entry. */
export function fromSource(
  { source }: ObjectCopyDeps,
  { key, etag, sizeBytes }: ManifestEntry,
): ReadFrom {
  return { side: 'source', store: source, key, etag, sizeBytes };
}

/** The source's object as it is in the manifest. @throws CopyError `source_missing`, `source_changing` */
export async function describeSource(
  { source, limits, signal }: ObjectCopyDeps,
  { key, etag, sizeBytes }: ManifestEntry,
): Promise<ObjectDescription> {
  await limits.acquireRequest(signal);
  const described = await withCopyErrors('source', source.head(key, { signal }));
  if (!described) throw new CopyError('source_missing', { isTransient: false, side: 'source' });
  if (described.etag === etag && described.sizeBytes === sizeBytes) return described;
  throw new CopyError('source_changing', { isTransient: true, side: 'source' });
}

/** Bytes acquired from the limits at a time. */
const GRANT_BYTES = 2 ** 20;
const EMPTY = Buffer.alloc(0);
/** A wait for memory that other copies hold. */
const MEMORY_WAIT_MS = 5 * 60_000;

/** Memory for a buffered body; a wait of more than five minutes no longer counts as progress. */
export function acquireMemory(
  { limits, progress, signal }: ObjectCopyDeps,
  sizeBytes: number,
): Promise<() => void> {
  return progress.reportWhile(limits.acquireMemory(sizeBytes, signal), MEMORY_WAIT_MS);
}

/**
 * Opens an object, or a range of it, and checks the ETag and, where they are announced, the lengths. The bytes of a buffered
 * read are acquired here; a stream acquires them as they arrive.
 *
 * @throws CopyError
 */
export async function openExactly(
  { limits, signal }: ObjectCopyDeps,
  from: ReadFrom,
  { range, isBuffered = false }: { range?: ByteRange | undefined; isBuffered?: boolean } = {},
): Promise<OpenedObject> {
  const length = range ? range.last - range.first + 1 : from.sizeBytes;
  await limits.acquireRequest(signal);
  await limits.acquireBytes(isBuffered ? length : Math.min(length, GRANT_BYTES), signal);
  const request = { ifMatch: from.etag, range };
  const opened = await withCopyErrors(from.side, from.store.open(from.key, request, { signal }));
  const isExact = isLength(opened.bodyBytes, length) && isLength(opened.sizeBytes, from.sizeBytes);
  if (opened.etag === from.etag && isExact)
    return { ...opened, bodyBytes: length, sizeBytes: from.sizeBytes };
  opened.close();
  // A store that ignores If-Match.
  if (opened.etag !== from.etag) throw classifyCopyError(from.side, new StoreError('changed'));
  throw incomplete(from.side);
}

/** A length that is not announced is that of the bytes that arrive. */
function isLength(announced: number, expected: number): boolean {
  return Number.isNaN(announced) || announced === expected;
}

/**
 * The bytes of an opened object as they arrive, each piece after `onPiece` has seen it; their number must be the
 * expected one.
 *
 * @throws CopyError
 */
export async function* exactBytes(
  { limits, signal }: ObjectCopyDeps,
  side: CopySide,
  opened: OpenedObject,
  onPiece: (piece: Buffer) => void,
): AsyncGenerator<Buffer, void, undefined> {
  const { bodyBytes } = opened;
  let length = 0;
  let allowed = GRANT_BYTES;
  const body = opened.body[Symbol.asyncIterator]();
  for (;;) {
    const next = await withCopyErrors(side, body.next());
    if (next.done === true) break;
    length += next.value.length;
    if (length > bodyBytes) throw incomplete(side);
    onPiece(next.value);
    yield next.value;
    if (length < allowed || length === bodyBytes) continue;
    await limits.acquireBytes(Math.min(bodyBytes - length, GRANT_BYTES), signal);
    allowed = length + GRANT_BYTES;
  }
  if (length !== bodyBytes) throw incomplete(side);
}

/** An opened object in one buffer, whose memory is acquired already. @throws CopyError */
export async function readBuffered(
  side: CopySide,
  { body, bodyBytes }: OpenedObject,
): Promise<Buffer> {
  let buffer: Buffer | undefined;
  let length = 0;
  const chunks = body[Symbol.asyncIterator]();
  for (;;) {
    const next = await withCopyErrors(side, chunks.next());
    if (next.done === true) break;
    const chunk = next.value;
    if (length + chunk.length > bodyBytes) throw incomplete(side);
    buffer ??= Buffer.allocUnsafe(bodyBytes);
    chunk.copy(buffer, length);
    length += chunk.length;
  }
  if (length !== bodyBytes) throw incomplete(side);
  return buffer ?? EMPTY;
}

/** The bytes differ from the listed or announced length, or from the ETag. */
export function incomplete(side: CopySide): CopyError {
  const code = side === 'source' ? 'source_incomplete' : 'target_differs';
  return new CopyError(code, { isTransient: true, side });
}

/** @throws CopyError if the source knows the MD5 of its bytes, and it differs. */
export function checkSourceMd5(source: Pick<ObjectDescription, 'md5'>, md5: string): void {
  if (source.md5 !== null && md5 !== source.md5) throw incomplete('source');
}

/**
 * The MD5 that the target is told to refuse other bytes by, so that no other one is needed: the source's, where
 * it has one and the target was measured to do so.
 */
export function guardingMd5(
  { capabilities }: ObjectCopyDeps,
  { md5 }: Pick<ObjectDescription, 'md5'>,
): Buffer | undefined {
  return capabilities.contentMd5 === true && md5 !== null ? Buffer.from(md5, 'hex') : undefined;
}

/** The headers of an object that is written. */
export function targetHeaders(
  { migrationId }: ObjectCopyDeps,
  entry: ManifestEntry,
  { headers }: ObjectDescription,
): Record<string, string> {
  const { etag, lastModified } = entry;
  return headersFor({ headers, etag, lastModified }, migrationId);
}

/** Retries a part of an object after a transient failure. @throws CopyError */
export function retryPart<Part>(
  { signal, wait }: ObjectCopyDeps,
  copyPart: () => Promise<Part>,
): Promise<Part> {
  return retryCall(
    {
      attempts: STORE_CALLS.migration.partAttempts,
      // A changed object is described again before another attempt.
      isTransient: (error) =>
        error instanceof CopyError && error.isTransient && error.code !== 'source_changing',
      signal,
      wait,
    },
    copyPart,
  );
}
