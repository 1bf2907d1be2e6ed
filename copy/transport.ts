import { pause } from '../adapters/abort-signals.ts';
import { retryCall, STORE_CALLS } from '../adapters/object-store/call-bounds.ts';
import { isRefusal, StoreError } from '../adapters/object-store/errors.ts';
import type {
  ByteRange,
  ObjectDescription,
  ObjectStore,
  OpenedObject,
} from '../adapters/object-store/object-store.ts';
import { PART_BYTES, partSizeFor } from '../domain/common/parts.ts';
import { carriedBy, withOrigin } from '../domain/migrations/object-headers.ts';
import type { ManifestEntry } from '../domain/migrations/object-ledger.ts';
import { classifyCopyError, CopyError, withCopyErrors, type CopySide } from './copy-error.ts';
import { incomplete } from './source-check.ts';
import type { ObjectCopyDeps, SourceRead } from './types.ts';

/** What the target sends is not in the quote. */
const UNCOUNTED: SourceRead = { add: () => undefined, close: () => undefined };

interface CountedObject extends OpenedObject {
  readonly read: SourceRead;
}

export interface ReadFrom {
  readonly side: CopySide;
  readonly store: ObjectStore;
  readonly key: string;
  readonly etag: string;
  /** The size of the whole object. */
  readonly sizeBytes: number;
}

export function fromSource(
  { source }: ObjectCopyDeps,
  { key, etag, sizeBytes }: ManifestEntry,
): ReadFrom {
  return { side: 'source', store: source, key, etag, sizeBytes };
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
 * Opens an object, or a range of it, and checks the ETag and, where they are announced, the
 * lengths. The bytes of a buffered read are acquired here; a stream acquires them as they arrive.
 * The source's is described as far as the target takes it.
 *
 * @throws CopyError
 */
export async function openExactly(
  { limits, signal, sourceReads, metadata }: ObjectCopyDeps,
  from: ReadFrom,
  { range, isBuffered = false }: { range?: ByteRange | undefined; isBuffered?: boolean } = {},
): Promise<CountedObject> {
  const length = range ? lengthOf(range) : from.sizeBytes;
  const read = from.side === 'source' ? await sourceReads.begin(length) : UNCOUNTED;
  const open = async (): Promise<OpenedObject> => {
    await limits.acquireRequest(signal);
    await limits.acquireBytes(isBuffered ? length : Math.min(length, GRANT_BYTES), signal);
    const request = { ifMatch: from.etag, range };
    return await withCopyErrors(from.side, from.store.open(from.key, request, { signal }));
  };
  const answer = await open().catch((error: unknown) => {
    read.close();
    throw error;
  });
  const close = () => {
    read.close();
    answer.close();
  };
  const isExact = isLength(answer.bodyBytes, length) && isLength(answer.sizeBytes, from.sizeBytes);
  const opened = { ...answer, bodyBytes: length, sizeBytes: from.sizeBytes, read, close };
  if (opened.etag === from.etag && isExact)
    return from.side === 'source' ? { ...opened, ...carriedBy(metadata, opened) } : opened;
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
 * The bytes of an opened object as they arrive, each piece after `onPiece` has seen it; their
 * number must be the expected one.
 *
 * @throws CopyError
 */
export async function* exactBytes(
  { limits, signal }: ObjectCopyDeps,
  side: CopySide,
  opened: CountedObject,
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
    opened.read.add(next.value.length);
    if (length > bodyBytes) throw incomplete(side);
    onPiece(next.value);
    yield next.value;
    if (length < allowed || length === bodyBytes) continue;
    await limits.acquireBytes(Math.min(bodyBytes - length, GRANT_BYTES), signal);
    allowed = length + GRANT_BYTES;
  }
  if (length !== bodyBytes) throw incomplete(side);
}

/** The source's object in one buffer, whose memory is acquired already. @throws CopyError */
export async function readBuffered({ read, body, bodyBytes }: CountedObject): Promise<Buffer> {
  let buffer: Buffer | undefined;
  let length = 0;
  const chunks = body[Symbol.asyncIterator]();
  for (;;) {
    const next = await withCopyErrors('source', chunks.next());
    if (next.done === true) break;
    const chunk = next.value;
    read.add(chunk.length);
    if (length + chunk.length > bodyBytes) throw incomplete('source');
    buffer ??= Buffer.allocUnsafe(bodyBytes);
    chunk.copy(buffer, length);
    length += chunk.length;
  }
  if (length !== bodyBytes) throw incomplete('source');
  return buffer ?? EMPTY;
}

/** The headers of an object that is written, from its description as far as the target takes it. */
export function targetHeaders(
  { migrationId, metadata }: ObjectCopyDeps,
  entry: ManifestEntry,
  { headers }: ObjectDescription,
): Record<string, string> {
  const { etag, lastModified } = entry;
  return withOrigin(metadata, { headers, etag, lastModified }, migrationId);
}

/**
 * Repeats a part of a copy, or its completion, for minutes while a store is not available, and a
 * few times where the bytes did not arrive as they were sent. What the target then holds otherwise,
 * the object's next attempt copies.
 *
 * @throws CopyError
 */
export function retryPart<Part>(
  { signal, progress, wait = pause }: Pick<ObjectCopyDeps, 'signal' | 'progress' | 'wait'>,
  copyPart: () => Promise<Part>,
): Promise<Part> {
  const { partAttempts: attempts, brokenPartAttempts } = STORE_CALLS.migration;
  let broken = 0;
  const isTransient = (error: unknown): boolean => {
    if (!(error instanceof CopyError) || !error.isTransient || isLost(error)) return false;
    switch (error.code) {
      case 'source_unavailable':
      case 'target_unavailable':
        return true;
      // The object's next attempt describes the source and looks at the target again.
      case 'source_changing':
      case 'target_differs':
      case 'target_occupied':
        return false;
      default:
        broken += 1;
        return broken < brokenPartAttempts;
    }
  };
  // The pause is no silence of a store.
  const waitAlive = (ms: number) => progress.reportWhile(wait(ms, signal), ms);
  return retryCall({ attempts, isTransient, signal, wait: waitAlive }, copyPart);
}

/** The upload was completed or aborted, or must begin again. */
function isLost({ cause }: CopyError): boolean {
  return isRefusal(cause, 'NoSuchUpload') || isRefusal(cause, 'ConditionalRequestConflict');
}

export function* partRanges(
  sizeBytes: number,
  maxParts: number,
  smallestBytes = PART_BYTES,
): Generator<ByteRange, void, undefined> {
  const partBytes = partSizeFor(sizeBytes, smallestBytes, maxParts);
  for (let first = 0; first < sizeBytes; first += partBytes)
    yield { first, last: Math.min(first + partBytes, sizeBytes) - 1 };
}

/** Both ends of a range are included. */
export function lengthOf({ first, last }: ByteRange): number {
  return last - first + 1;
}
