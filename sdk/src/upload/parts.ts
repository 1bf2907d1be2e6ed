import { throwIfAborted, withDeadline } from '../http/deadline.ts';
import { invalidArgument, StorageRoutingError } from '../http/errors.ts';
import type { CompleteResult } from '../resources/files.ts';
import type { OpenedSource, PutSource } from '../source/types.ts';
import type { UploadContext } from './context.ts';
import { sendable } from './body.ts';
import { sendPart } from './part.ts';
import { createPartUrls } from './part-urls.ts';
import { heldBytes, missingParts, type PartsPlan, partSizeOf } from './parts-plan.ts';
import { createPartsProgress } from './progress.ts';

/** An upload in parts. */
export interface PartsUpload {
  plan: PartsPlan;
  source: OpenedSource;
  /** How many parts are in flight at a time. */
  parallel: number;
  /** The parts that the store holds already. */
  held: ReadonlySet<number>;
}

/** How often a complete may find parts missing. */
const MOST_ROUNDS = 3;

/** @throws StorageRoutingError `invalid_argument` where the number of parallel parts is none. */
export function checkedParallel(parallelParts = 4): number {
  if (Number.isInteger(parallelParts) && parallelParts >= 1 && parallelParts <= 32) {
    return parallelParts;
  }
  throw invalidArgument('parallelParts must be a whole number from 1 to 32');
}

/**
 * Sends the parts that the store does not hold, and completes the file. Where the service then misses parts, those are
 * sent again; a stream cannot be read again, so there the refusal is the outcome.
 *
 * @throws StorageRoutingError `upload_to_provider_failed`, `source_…`, `aborted`, and the errors of the calls.
 */
export async function sendPartsAndComplete(
  context: UploadContext,
  upload: PartsUpload,
): Promise<CompleteResult> {
  const { files, options } = context;
  const { plan, source } = upload;
  let { held } = upload;
  for (let round = 1; ; round += 1) {
    await sendParts(context, { ...upload, held });
    try {
      return await files.complete(plan.fileId, options);
    } catch (error) {
      const isIncomplete = error instanceof StorageRoutingError && error.code === 'file_incomplete';
      if (!isIncomplete || round === MOST_ROUNDS || !source.isRepeatable) throw error;
    }
    held = await heldParts(context, plan);
  }
}

/** The parts that the store holds with their full size. */
export async function heldParts(
  { files, options }: UploadContext,
  plan: PartsPlan,
): Promise<ReadonlySet<number>> {
  const held = new Set<number>();
  for await (const { partNumber, sizeBytes } of files.listParts(plan.fileId, options)) {
    if (partNumber <= plan.partCount && sizeBytes === partSizeOf(plan, partNumber)) {
      held.add(partNumber);
    }
  }
  return held;
}

async function sendParts(context: UploadContext, upload: PartsUpload): Promise<void> {
  const { onProgress, options } = context;
  const { plan, parallel, held } = upload;
  const numbers = missingParts(plan, held);
  const before = heldBytes(plan, held);
  const progress = createPartsProgress(onProgress, plan.sizeBytes, before, options.requestId);
  await untilFirstFailure(Math.min(parallel, numbers.length), options.signal, (signal) => {
    const within = { ...context, options: { ...options, signal } };
    const urls = createPartUrls(within, plan, numbers, parallel);
    const take = createQueue(within, upload, numbers);
    return async () => {
      for (let part = await take(); part !== undefined; part = await take()) {
        await sendPart(within, { ...part, urls, progress, parallel });
      }
    };
  });
}

interface PartToSend {
  partNumber: number;
  source: PutSource;
}

/** Gives out the parts in ascending order, one at a time: a stream is read in that order. */
function createQueue(
  { settings, options }: UploadContext,
  { plan, source }: PartsUpload,
  numbers: readonly number[],
): () => Promise<PartToSend | undefined> {
  let index = 0;
  let turn: Promise<unknown> = Promise.resolve();
  const { stallTimeoutMs: timeoutMs } = settings;
  const limits = { ...options, timeoutMs, what: 'reading the source' };
  const takeNow = async (): Promise<PartToSend | undefined> => {
    throwIfAborted(options.signal, options.requestId);
    const partNumber = numbers[index];
    index += 1;
    if (partNumber === undefined) return undefined;
    const start = (partNumber - 1) * plan.partSizeBytes;
    const sizeBytes = partSizeOf(plan, partNumber);
    const part = await withDeadline(limits, async ({ restart }) =>
      sendable(await source.part(start, sizeBytes, restart)),
    );
    return { partNumber, source: part };
  };
  return () => {
    const taken = turn.then(takeNow);
    turn = taken.catch(() => undefined);
    return taken;
  };
}

/**
 * Runs as many workers side by side as `count`. Where one fails, or the caller's signal is aborted, the others are
 * aborted at once.
 *
 * @throws the first error.
 */
async function untilFirstFailure(
  count: number,
  signal: AbortSignal | undefined,
  start: (signal: AbortSignal) => () => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const onAbort = (): void => stop.abort(signal?.reason);
  if (signal?.aborted === true) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  const work = start(stop.signal);
  const errors: unknown[] = [];
  const worker = (): Promise<void> =>
    work().catch((error: unknown) => {
      errors.push(error);
      stop.abort(error);
    });
  await Promise.all(Array.from({ length: count }, worker));
  signal?.removeEventListener('abort', onAbort);
  if (errors.length > 0) throw errors[0];
}
