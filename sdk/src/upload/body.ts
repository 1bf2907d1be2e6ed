import type { StorageRoutingError } from '../http/errors.ts';
import { asSourceFailure, checkBytes, sizeMismatch } from '../source/errors.ts';
import { bytesToPut } from '../source/memory.ts';
import type { PutSource } from '../source/types.ts';

/** A request body of known length. */
export interface MeasuredBody {
  body: NonNullable<RequestInit['body']>;
  /** Node needs this header for a stream; for a body of known length it sets the header itself. */
  contentLength: string | undefined;
  /** The error that stopped the source, once one has occurred. */
  failure(): StorageRoutingError | undefined;
}

/**
 * Turns a source into a body of exactly the announced length.
 *
 * Stores refuse chunked transfer encoding, and the URL signs the length. Node's fetch sends a
 * stream with a `Content-Length` header unchunked; Deno and Bun drop the header
 * (denoland/deno#20274), so there sources in memory are sent in one piece.
 */
export async function measuredBody(
  source: PutSource,
  signal: AbortSignal,
  onMoved: (sentBytes: number) => void,
): Promise<MeasuredBody> {
  let failure: StorageRoutingError | undefined;
  const pieces = exactly(source, onMoved);
  if (source.sizeBytes === 0) {
    // An empty stream is read to its end as well, to verify that it is empty.
    await pieces.next().catch((error: unknown) => {
      throw asSourceFailure(error);
    });
    return { body: new Uint8Array(0), contentLength: undefined, failure: () => undefined };
  }
  if (goesInOnePiece(source) && source.whole !== undefined) {
    // The types of browsers refuse views of shared memory, as their fetch does.
    const body = source.whole as MeasuredBody['body'];
    return { body, contentLength: undefined, failure: () => undefined };
  }
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          // undici reads an aborted body to its end and discards it (6.24, lib/web/fetch/index.js,
          // processBodyChunk), so the generator stops it here.
          signal.throwIfAborted();
          const next = await pieces.next();
          if (next.done === true) controller.close();
          else controller.enqueue(next.value);
        } catch (error) {
          if (!signal.aborted) failure = asSourceFailure(error);
          controller.error(error);
          await pieces.return(undefined);
        }
      },
      async cancel() {
        await pieces.return(undefined);
      },
    },
    // Read only what the network accepts, so that memory does not grow with the file.
    { highWaterMark: 0 },
  );
  return { body, contentLength: String(source.sizeBytes), failure: () => failure };
}

/**
 * The pieces of the source; throws before the last piece if the source is not as announced.
 *
 * The store keeps the object once the announced number of bytes has arrived. The piece that
 * completes it is therefore held back until the source has ended and is verified unchanged: a file
 * that grew, shrank or was modified leaves an incomplete request, which no store keeps.
 */
async function* exactly(
  source: PutSource,
  onMoved: (sentBytes: number) => void,
): AsyncGenerator<Uint8Array, undefined> {
  let readBytes = 0;
  let sentBytes = 0;
  let held: Uint8Array | undefined;
  for await (const piece of source.pieces()) {
    checkBytes(piece);
    if (piece.byteLength === 0) continue;
    readBytes += piece.byteLength;
    if (readBytes > source.sizeBytes) throw sizeMismatch(source.sizeBytes, 'more');
    if (held !== undefined) {
      yield held;
      // The consumer requests the next piece, so the network has the previous one.
      sentBytes += held.byteLength;
      onMoved(sentBytes);
    }
    held = piece;
  }
  if (readBytes !== source.sizeBytes) throw sizeMismatch(source.sizeBytes, `${readBytes}`);
  await source.verifyUnchanged();
  if (held !== undefined) yield held;
  onMoved(source.sizeBytes);
  return undefined;
}

/**
 * The source, in memory if this runtime would send it without its length. Only for a part: its size
 * is bounded.
 *
 * @throws StorageRoutingError `source_…` if the source cannot be read, or is not as announced.
 */
export async function sendable(source: PutSource): Promise<PutSource> {
  if (source.whole !== undefined || sendsStreamsWithLength()) return source;
  const bytes = new Uint8Array(source.sizeBytes);
  let readBytes = 0;
  for await (const piece of exactly(source, () => undefined)) {
    bytes.set(piece, readBytes);
    readBytes += piece.byteLength;
  }
  return { ...bytesToPut(bytes), verifyUnchanged: source.verifyUnchanged };
}

/** Is this source sent as one piece in this runtime, without progress? */
export function goesInOnePiece(source: PutSource): boolean {
  return source.whole !== undefined && !sendsStreamsWithLength();
}

function sendsStreamsWithLength(): boolean {
  if ('Deno' in globalThis || 'Bun' in globalThis) return false;
  return typeof globalThis.process?.versions?.node === 'string';
}
