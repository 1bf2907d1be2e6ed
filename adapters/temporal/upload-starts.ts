import { AppError } from '../../domain/common/errors.ts';
import type { FileRecord } from '../../domain/uploads/file.ts';
import { firstAbort, pause } from '../abort-signals.ts';
import type { Deadline } from '../deadline.ts';
import { createSemaphore } from '../semaphore.ts';
import { isTemporalOutage, type Temporal } from './open.ts';
import type { UploadCommands } from './upload-commands.ts';

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
/** A whole queue is dropped at once: more writes would wait in vain for a connection. */
const NOTED_AT_ONCE = 50;
const LONGEST_WAIT_MS = 4_000;
const BEFORE_THE_ANSWER_MS = 1_000;
/** Between two looks whether Temporal is back. */
const LOOK_MS = 1_000;
/** For the notes of what is dropped at the end. */
const NOTING_MS = 1_000;

/** Starts the workflows of uploads after their files are inserted; no call waits for an answer. */
export class UploadStarts {
  readonly #deps: UploadStartsDeps;
  readonly #places = createSemaphore(PLACES);
  readonly #turns = createSemaphore(AT_ONCE);
  readonly #notes = createSemaphore(NOTED_AT_ONCE);
  readonly #underWay = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  /** Aborted while Temporal is known to be away. */
  #away = new AbortController();
  #dropped = 0;

  constructor(deps: UploadStartsDeps) {
    this.#deps = deps;
  }

  /** Starts without an answer. */
  get queued(): number {
    return this.#underWay.size;
  }

  /** Starts that were dropped since the process began. */
  get dropped(): number {
    return this.#dropped;
  }

  /**
   * Takes a place in the queue, and waits for one while all are taken, until a second before the
   * call's answer is due. Undefined if the start is dropped: no place was free in time, or Temporal
   * is known to be away.
   */
  async reserve(): Promise<UploadStart | undefined> {
    const leave = await this.#takePlace();
    if (leave) return { begin: (file) => this.#begin(file, leave), cancel: leave };
    this.#dropped += 1;
    return undefined;
  }

  /** Waits for the answers, and drops what has none by then. */
  async close(withinMs: number): Promise<void> {
    const within = async (ms: number) => {
      const timer = new AbortController();
      await Promise.race([
        Promise.allSettled(this.#underWay).finally(() => timer.abort()),
        pause(ms, timer.signal).catch(() => undefined),
      ]);
    };
    await within(withinMs);
    this.#closing.abort(new AppError('unavailable'));
    if (this.#underWay.size > 0) await within(NOTING_MS);
  }

  async #takePlace(): Promise<(() => void) | undefined> {
    if (this.#away.signal.aborted) return undefined;
    const leave = this.#places.tryAcquire(1);
    const leftMs = this.#deps.deadline.remainingMs() - BEFORE_THE_ANSWER_MS;
    const waitMs = Math.min(LONGEST_WAIT_MS, leftMs);
    if (leave || waitMs <= 0) return leave;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), waitMs);
    const { signal, release } = firstAbort([late.signal, this.#away.signal]);
    try {
      return await this.#places.acquire(1, signal);
    } catch {
      return undefined;
    } finally {
      clearTimeout(timer);
      release();
    }
  }

  #begin(file: FileRecord, leave: () => void): void {
    const work = this.#carryOut(file).finally(() => {
      leave();
      this.#underWay.delete(work);
    });
    this.#underWay.add(work);
  }

  async #carryOut(file: FileRecord): Promise<void> {
    const { noteDropped, onBackgroundError } = this.#deps;
    try {
      await this.#start(file);
    } catch (error) {
      if (isOutage(error)) this.#noteAway();
      else if (!this.#closing.signal.aborted) onBackgroundError(error);
      this.#dropped += 1;
      // Notes are made at the end, too.
      const never = new AbortController().signal;
      const release = await this.#notes.acquire(1, never);
      await noteDropped(file).catch(onBackgroundError).finally(release);
    }
  }

  /** In the order of the calls, some at once. */
  async #start(file: FileRecord): Promise<void> {
    const release = await this.#turns.acquire(1, this.#closing.signal);
    try {
      this.#away.signal.throwIfAborted();
      await this.#deps.uploads.startUpload(file);
    } finally {
      release();
    }
  }

  #noteAway(): void {
    if (this.#away.signal.aborted) return;
    this.#away.abort(new AppError('unavailable'));
    void this.#untilBack();
  }

  async #untilBack(): Promise<void> {
    const answers = () =>
      this.#deps.temporal.ping().then(
        () => true,
        () => false,
      );
    while (!this.#closing.signal.aborted) {
      await pause(LOOK_MS, this.#closing.signal).catch(() => undefined);
      if (await answers()) break;
    }
    this.#away = new AbortController();
  }
}

function isOutage(error: unknown): boolean {
  return isTemporalOutage(error) || (error instanceof AppError && error.code === 'unavailable');
}
