import { pause } from '../adapters/abort-signals.ts';
import type {
  ObjectDescription,
  OpenedObject,
  TransferRange,
  TransferStore,
} from '../adapters/object-store/transfer-store.ts';
import { StoreError } from '../adapters/object-store/errors.ts';
import { headersFor, isPlainMd5 } from '../domain/migration/copying.ts';
import type { ManifestEntry, NotCarried } from '../domain/migration/ledger.ts';
import { at, CopyError, copyErrorFor, type CopySide } from './copy-error.ts';
import type { CopyGate } from './copy-gate.ts';

export interface ObjectCopyDeps {
  readonly source: TransferStore;
  readonly target: TransferStore;
  readonly gate: CopyGate;
  readonly migrationId: string;
  /** Where it is aborted, what is under way is thrown away, and its reason thrown. */
  readonly signal: AbortSignal;
  /** A multipart upload was begun. It is completed or aborted before the copy ends. */
  readonly onUpload?: ((uploadId: string) => void) | undefined;
  /** Between tries of one part; by default the real time. Rejects when the signal is aborted. */
  readonly wait?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
}

/** An object of which the target holds the very bytes that the source sent. */
export interface CopiedObject {
  readonly bytes: number;
  readonly sourceEtag: string;
  /** Lower-case hex. */
  readonly sha256: string;
  readonly targetEtag: string;
  readonly notCarried: readonly NotCarried[];
}

/** Where an object is read from, in a copy or in its proof. */
export interface ReadFrom {
  readonly side: CopySide;
  readonly store: TransferStore;
  readonly key: string;
  readonly etag: string;
  /** Of the whole object. */
  readonly sizeBytes: number;
}

/** How many bytes are asked of the gate at a time. */
const GATE_BYTES = 2 ** 20;
const EMPTY = Buffer.alloc(0);
const PART_ATTEMPTS = 3;
const FIRST_WAIT_MS = 200;

/**
 * Opens an object, or a stretch of it, that announces exactly the bytes that are meant. Of what is
 * held the gate is asked for all bytes here, of a stream for more as they pass.
 *
 * @throws CopyError
 */
export async function openExactly(
  { gate, signal }: ObjectCopyDeps,
  from: ReadFrom,
  { range, isHeld = false }: { range?: TransferRange | undefined; isHeld?: boolean } = {},
): Promise<OpenedObject> {
  const length = range ? range.last - range.first + 1 : from.sizeBytes;
  await gate.request(signal);
  await gate.bytes(isHeld ? length : Math.min(length, GATE_BYTES), signal);
  const request = { ifMatch: from.etag, range };
  const opened = await at(from.side, from.store.open(from.key, request, { signal }));
  if (
    opened.etag === from.etag &&
    opened.bodyBytes === length &&
    opened.sizeBytes === from.sizeBytes
  )
    return opened;
  opened.close();
  // A store that passes over If-Match.
  if (opened.etag !== from.etag) throw copyErrorFor(from.side, new StoreError('changed'));
  throw incomplete(from.side);
}

/**
 * The bytes of an opened object as they come, of which there must be so many.
 *
 * @throws CopyError
 */
export async function* exactBytes(
  { gate, signal }: ObjectCopyDeps,
  side: CopySide,
  opened: OpenedObject,
): AsyncGenerator<Buffer, void, undefined> {
  const { bodyBytes } = opened;
  let length = 0;
  let allowed = GATE_BYTES;
  const body = opened.body[Symbol.asyncIterator]();
  for (;;) {
    const next = await at(side, body.next());
    if (next.done === true) break;
    length += next.value.length;
    if (length > bodyBytes) throw incomplete(side);
    yield next.value;
    if (length < allowed || length === bodyBytes) continue;
    await gate.bytes(Math.min(bodyBytes - length, GATE_BYTES), signal);
    allowed = length + GATE_BYTES;
  }
  if (length !== bodyBytes) throw incomplete(side);
}

/** An opened object as one piece of memory, of which the gate knows. @throws CopyError */
export async function readHeld(side: CopySide, { body, bodyBytes }: OpenedObject): Promise<Buffer> {
  let held: Buffer | undefined;
  let length = 0;
  const chunks = body[Symbol.asyncIterator]();
  for (;;) {
    const next = await at(side, chunks.next());
    if (next.done === true) break;
    const chunk = next.value;
    if (length + chunk.length > bodyBytes) throw incomplete(side);
    if (chunk.length === bodyBytes) held = chunk;
    else {
      held ??= Buffer.allocUnsafeSlow(bodyBytes);
      chunk.copy(held, length);
    }
    length += chunk.length;
  }
  if (length !== bodyBytes) throw incomplete(side);
  return held ?? EMPTY;
}

/** Fewer or more bytes came than were listed or announced, or others than the ETag says. */
function incomplete(side: CopySide): CopyError {
  const code = side === 'source' ? 'source_incomplete' : 'target_differs';
  return new CopyError(code, { isTransient: true, side });
}

/** @throws CopyError where the source's ETag tells the MD5 of its bytes, and it is another. */
export function checkSourceMd5(entry: ManifestEntry, md5: string): void {
  if (isPlainMd5(entry.etag) && md5 !== entry.etag) throw incomplete('source');
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

/** Tries a part of an object up to three times, where that may help. @throws CopyError */
export async function tryPart<Part>(
  { signal, wait = pause }: ObjectCopyDeps,
  copyPart: () => Promise<Part>,
): Promise<Part> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await copyPart();
    } catch (error) {
      signal.throwIfAborted();
      const isTransient =
        error instanceof CopyError && error.isTransient && error.code !== 'source_changing';
      if (!isTransient || attempt === PART_ATTEMPTS) throw error;
      await wait(FIRST_WAIT_MS * 2 ** (attempt - 1), signal);
    }
  }
}
