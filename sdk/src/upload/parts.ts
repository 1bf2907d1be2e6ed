import { throwIfAborted, withDeadline } from '../http/deadline.ts';
import { invalidArgument, StorageRoutingError } from '../http/errors.ts';
import type { CompleteResult } from '../http/api-types.ts';
import type { OpenedSource, PutSource } from '../source/types.ts';
import { listPartNumbers, partSize, type PartsPlan, type SendContext } from './context.ts';
import { sendable } from './body.ts';
import { type PartTransfer, sendPart } from './part.ts';
import { createPartUrls } from './part-urls.ts';
import { type ComparePart, type HeldParts, listHeldParts } from './held-parts.ts';
import { createPartsProgress, type PartsProgress } from './progress.ts';

/** An upload in parts. */
export interface PartsUpload {
  plan: PartsPlan;
  source: OpenedSource;
  /** How many parts are in flight at a time. */
  parallel: number;
  /** The parts that the store holds already. */
  held: HeldParts;
  /** Compares them with the source; undefined if this run has sent them. */
  compare: ComparePart | undefined;
  /** Called for each part that the store has confirmed. */
  onConfirmed?: (partNumber: number) => void;
}

/** How often a complete may find parts missing. */
const MOST_ROUNDS = 3;

/** @throws StorageRoutingError `invalid_argument` if the number of parallel parts is none. */
export function checkedParallel(parallelParts = 4): number {
  if (Number.isInteger(parallelParts) && parallelParts >= 1 && parallelParts <= 32) {
    return parallelParts;
  }
  throw invalidArgument('parallelParts must be a whole number from 1 to 32');
}

/**
 * Sends the parts that the store does not hold, and completes the file. If the service then misses
 * parts, those are sent again; a stream cannot be read again, so there the refusal is the outcome.
 *
 * @throws StorageRoutingError `upload_to_provider_failed`, `source_…`, `aborted`, and the errors of
 *   the calls.
 */
export async function sendPartsAndComplete(
  context: SendContext,
  upload: PartsUpload,
): Promise<CompleteResult> {
  const { files, options } = context;
  const { plan, source } = upload;
  let round = upload;
  for (let rounds = 1; ; rounds += 1) {
    await sendParts(context, round);
    try {
      return await files.complete(plan.fileId, options);
    } catch (error) {
      const isIncomplete = error instanceof StorageRoutingError && error.code === 'file_incomplete';
      if (!isIncomplete || rounds === MOST_ROUNDS || !source.isRepeatable) throw error;
    }
    round = { ...upload, held: await listHeldParts(context, plan), compare: undefined };
  }
}

async function sendParts(context: SendContext, upload: PartsUpload): Promise<void> {
  const { onProgress, options } = context;
  const { plan, parallel, held } = upload;
  const numbers = listPartNumbers(plan);
  const missing = numbers.filter((partNumber) => !held.has(partNumber));
  const heldBytes = numbers.reduce(
    (sum, partNumber) => sum + (held.has(partNumber) ? partSize(plan, partNumber) : 0),
    0,
  );
  const progress = createPartsProgress(onProgress, plan.sizeBytes, heldBytes, options.requestId);
  await untilFirstFailure(parallel, options.signal, (signal) => {
    const within = { ...context, options: { ...options, signal } };
    const urls = createPartUrls(within, plan, missing, parallel);
    const take = createQueue(within, upload, progress);
    return async () => {
      for (let part = await take(); part !== undefined; part = await take()) {
        await sendPart(within, { ...part, urls, progress, parallel });
        upload.onConfirmed?.(part.partNumber);
      }
    };
  });
}

type PartToSend = Pick<PartTransfer, 'partNumber' | 'source'>;

/** Gives out the parts to send in ascending order, in which a stream is read. */
function createQueue(
  { settings, options }: SendContext,
  { plan, source, held, compare }: PartsUpload,
  progress: PartsProgress,
): () => Promise<PartToSend | undefined> {
  let partNumber = 0;
  let turn: Promise<unknown> = Promise.resolve();
  const { stallTimeoutMs: timeoutMs } = settings;
  const limits = { ...options, timeoutMs, what: 'reading the source' };
  /** Undefined if the same part is at the store. */
  const read = (etag: string | undefined): Promise<PutSource | undefined> =>
    withDeadline(limits, async ({ restart }) => {
      const start = (partNumber - 1) * plan.partSizeBytes;
      const part = await source.part(start, partSize(plan, partNumber), restart);
      const isThere = etag !== undefined && (await compare?.(part, etag, restart));
      return isThere === true ? undefined : sendable(part);
    });
  const takeNow = async (): Promise<PartToSend | undefined> => {
    while (partNumber < plan.partCount) {
      throwIfAborted(options.signal, options.requestId);
      partNumber += 1;
      const etag = held.get(partNumber);
      if (etag !== undefined && compare === undefined) continue;
      const part = await read(etag);
      if (part === undefined) continue;
      if (etag !== undefined) progress.lost(part.sizeBytes);
      return { partNumber, source: part };
    }
    return undefined;
  };
  return () => {
    const taken = turn.then(takeNow);
    turn = taken.catch(() => undefined);
    return taken;
  };
}

/**
 * Runs as many workers side by side as `count`. If one fails, or the caller's signal is aborted,
 * the others are aborted at once.
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
