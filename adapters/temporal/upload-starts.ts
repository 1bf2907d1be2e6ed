import { AppError } from '../../domain/common/errors.ts';
import type { FileRecord } from '../../domain/uploads/file.ts';
import { firstAbort, pause } from '../abort-signals.ts';
import type { Deadline } from '../deadline.ts';
import { createSemaphore } from '../semaphore.ts';
import { isTemporalOutage, type Temporal } from './open.ts';
import type { UploadCommands } from './upload-commands.ts';

/** Starts the workflows of uploads after their files are inserted; nobody waits for the answers. */
export interface UploadStarts {
  /**
   * Takes a place in the queue, and waits for one while all are taken, until a second before the call's answer is due.
   * Undefined if the start is dropped: no place was free in time, or Temporal is known to be away.
   */
  reserve(): Promise<UploadStart | undefined>;
  /** Starts without an answer. */
  readonly queued: number;
  /** Starts that were dropped since the process began. */
  readonly dropped: number;
  /** Waits for the answers, and drops what has none by then. */
  close(withinMs: number): Promise<void>;
}

/** A place in the queue. One of the two is called, once. */
export interface UploadStart {
  begin(file: FileRecord): void;
  /** The file was not inserted. */
  cancel(): void;
}

export interface UploadStartsDeps {
  readonly uploads: Pick<UploadCommands, 'startUpload'>;
  readonly temporal: Pick<Temporal, 'ping'>;
  /** Stores that a file has no workflow. */
  readonly noteDropped: (file: FileRecord) => Promise<void>;
  readonly deadline: Deadline;
  readonly onBackgroundError: (error: unknown) => void;
}

const PLACES = 1_000;
const AT_ONCE = 50;
/** A whole queue is dropped at once: more writes than that would wait in vain for a connection to the database. */
const NOTED_AT_ONCE = 50;
const LONGEST_WAIT_MS = 4_000;
const BEFORE_THE_ANSWER_MS = 1_000;
/** Between two looks whether Temporal is back. */
const LOOK_MS = 1_000;
/** For the notes of what is dropped at the end. */
const NOTING_MS = 1_000;

export function createUploadStarts(deps: UploadStartsDeps): UploadStarts {
  const places = createSemaphore(PLACES);
  const turns = createSemaphore(AT_ONCE);
  const notes = createSemaphore(NOTED_AT_ONCE);
  const underWay = new Set<Promise<void>>();
  const closing = new AbortController();
  /** Notes are made at the end, too. */
  const never = new AbortController().signal;
  let dropped = 0;
  /** Aborted while Temporal is known to be away. */
  let away = new AbortController();

  function noteAway(): void {
    if (away.signal.aborted) return;
    away.abort(new AppError('unavailable'));
    void untilBack();
  }

  async function untilBack(): Promise<void> {
    const answers = () =>
      deps.temporal.ping().then(
        () => true,
        () => false,
      );
    while (!closing.signal.aborted) {
      await pause(LOOK_MS, closing.signal).catch(() => undefined);
      if (await answers()) break;
    }
    away = new AbortController();
  }

  /** In the order of the calls, some at once. */
  async function start(file: FileRecord): Promise<void> {
    const release = await turns.acquire(1, closing.signal);
    try {
      away.signal.throwIfAborted();
      await deps.uploads.startUpload(file);
    } finally {
      release();
    }
  }

  async function carryOut(file: FileRecord): Promise<void> {
    try {
      await start(file);
    } catch (error) {
      if (isOutage(error)) noteAway();
      else if (!closing.signal.aborted) deps.onBackgroundError(error);
      dropped += 1;
      await note(file).catch(deps.onBackgroundError);
    }
  }

  async function note(file: FileRecord): Promise<void> {
    const release = await notes.acquire(1, never);
    try {
      await deps.noteDropped(file);
    } finally {
      release();
    }
  }

  function begin(file: FileRecord, leave: () => void): void {
    const work = carryOut(file).finally(() => {
      leave();
      underWay.delete(work);
    });
    underWay.add(work);
  }

  async function takePlace(): Promise<(() => void) | undefined> {
    if (away.signal.aborted) return undefined;
    const leave = places.tryAcquire(1);
    const waitMs = Math.min(LONGEST_WAIT_MS, deps.deadline.remainingMs() - BEFORE_THE_ANSWER_MS);
    if (leave || waitMs <= 0) return leave;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), waitMs);
    const { signal, release } = firstAbort([late.signal, away.signal]);
    try {
      return await places.acquire(1, signal);
    } catch {
      return undefined;
    } finally {
      clearTimeout(timer);
      release();
    }
  }

  return {
    async reserve() {
      const leave = await takePlace();
      if (leave) return { begin: (file) => begin(file, leave), cancel: leave };
      dropped += 1;
      return undefined;
    },
    get queued() {
      return underWay.size;
    },
    get dropped() {
      return dropped;
    },
    async close(withinMs) {
      const within = async (ms: number) => {
        const timer = new AbortController();
        await Promise.race([
          Promise.allSettled(underWay).finally(() => timer.abort()),
          pause(ms, timer.signal).catch(() => undefined),
        ]);
      };
      await within(withinMs);
      closing.abort(new AppError('unavailable'));
      if (underWay.size > 0) await within(NOTING_MS);
    },
  };
}

function isOutage(error: unknown): boolean {
  return isTemporalOutage(error) || (error instanceof AppError && error.code === 'unavailable');
}
