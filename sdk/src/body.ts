import { StorageRoutingError } from './http/errors.ts';
import { shownCause } from './http/failure.ts';
import { type OpenedSource, sizeMismatch } from './source.ts';

/** How far an upload has come: bytes handed over to the network, of all bytes. */
export interface UploadProgress {
  sentBytes: number;
  totalBytes: number;
}

export type OnProgress = (progress: UploadProgress) => void;

/** A source on its way to the store. */
export interface MeasuredBody {
  body: NonNullable<RequestInit['body']>;
  /** Node sends a stream with this length; for a body that it knows the length of, it sets the header by itself. */
  contentLength: string | undefined;
  /** Why the source could not be sent as announced, once that is known. */
  failure(): StorageRoutingError | undefined;
}

/**
 * Turns a source into a body of exactly the announced length.
 *
 * Stores refuse chunked transfer encoding, and the URL signs the length. Node's fetch sends a stream with a
 * `Content-Length` header in that framing; Deno and Bun drop the header (denoland/deno#20274), so there what is in memory
 * goes in one piece.
 */
export async function measuredBody(
  source: OpenedSource,
  signal: AbortSignal,
  onMoved: (sentBytes: number) => void,
): Promise<MeasuredBody> {
  let failure: StorageRoutingError | undefined;
  const pieces = exactly(source, onMoved);
  if (source.sizeBytes === 0) {
    // A stream of nothing has to be read to its end too, to know that it is one.
    await pieces.next().catch((error: unknown) => {
      throw asSourceFailure(error);
    });
    return { body: new Uint8Array(0), contentLength: undefined, failure: () => undefined };
  }
  if (goesInOnePiece(source) && source.whole !== undefined) {
    return { body: source.whole, contentLength: undefined, failure: () => undefined };
  }
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          // undici reads an aborted body to its end, in one go, and throws it away (6.24, lib/web/fetch/index.js,
          // processBodyChunk). So it is this end that stops.
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
    // Read only what the network takes, so that memory does not grow with the file.
    { highWaterMark: 0 },
  );
  return { body, contentLength: String(source.sizeBytes), failure: () => failure };
}

/**
 * The source's pieces, or an error before the last one.
 *
 * Once the announced number of bytes has gone out, the store keeps the object. So the piece that would complete it is
 * held back until the source has ended and is still what it was: a file that grew, shrank or was written to leaves an
 * incomplete request, which no store keeps.
 */
async function* exactly(
  source: OpenedSource,
  onMoved: (sentBytes: number) => void,
): AsyncGenerator<Uint8Array, undefined> {
  let readBytes = 0;
  let sentBytes = 0;
  let held: Uint8Array | undefined;
  for await (const piece of source.pieces()) {
    if (!(piece instanceof Uint8Array)) throw notBytes();
    if (piece.byteLength === 0) continue;
    readBytes += piece.byteLength;
    if (readBytes > source.sizeBytes) throw sizeMismatch(source.sizeBytes, 'more');
    if (held !== undefined) {
      yield held;
      // Asked for the next one: the last one is with the network.
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

function notBytes(): StorageRoutingError {
  const message = 'the stream gave something else than bytes (a text encoding was set?)';
  return new StorageRoutingError({ code: 'source_failed', message });
}

function asSourceFailure(error: unknown): StorageRoutingError {
  if (error instanceof StorageRoutingError) return error;
  const message = 'the source failed while it was being sent';
  return new StorageRoutingError({ code: 'source_failed', message, cause: shownCause(error) });
}

/** Is this source sent as one piece here, so that no progress can be seen? */
export function goesInOnePiece(source: OpenedSource): boolean {
  return source.whole !== undefined && !sendsStreamsWithLength();
}

function sendsStreamsWithLength(): boolean {
  if ('Deno' in globalThis || 'Bun' in globalThis) return false;
  return typeof globalThis.process?.versions?.node === 'string';
}
