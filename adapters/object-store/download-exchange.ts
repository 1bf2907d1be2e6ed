import { abortCalls, abortReason } from '../abort-signals.ts';
import type { BlockReader } from './block-reader.ts';
import { StoreError } from './errors.ts';
import {
  findHeader,
  type StoreHttpOptions,
  type StoreHttpRequest,
  type StoreHttpResponse,
} from './http-messages.ts';
import type { ResponseBody } from './http-response-body.ts';
import { watchSilence } from './silence.ts';

/** As long as Node allows the head of a response to be. */
const MAX_HEAD_BYTES = 16 * 1024;
const START_OF_HEAD = 'HTTP/1.';
const END_OF_HEAD = '\r\n\r\n';

/** The head of a response, and what has arrived of its body. */
interface Head {
  readonly status: number;
  readonly rawHeaders: readonly string[];
  readonly rest: Buffer;
}

/** The connection ended before the first byte of a response. */
export class StaleConnectionError extends Error {}

/** One request over a connection that reads into blocks, and its response. */
export class Download {
  readonly #reader: BlockReader;
  readonly #options: StoreHttpOptions;
  readonly #onFree: () => void;
  #reason: unknown = null;
  #waitsSinceMs = 0;
  #stopWatching = (): void => {};
  readonly #onAbort = (): void => {
    const { signal } = this.#options;
    if (signal) this.#abort(abortReason(signal));
  };

  constructor(reader: BlockReader, options: StoreHttpOptions, onFree: () => void) {
    this.#reader = reader;
    this.#options = options;
    this.#onFree = onFree;
  }

  async send({ method, path, headers }: StoreHttpRequest): Promise<StoreHttpResponse> {
    const { socket } = this.#reader;
    const { signal, idleMs = 0 } = this.#options;
    if (signal) abortCalls(signal).add(this.#onAbort);
    socket.removeAllListeners('timeout');
    this.#stopWatching = watchSilence(socket, () => this.#afterSilence());
    socket.setTimeout(idleMs);
    socket.ref();
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1');
    try {
      const { rest: begun, ...head } = await this.#readHead();
      const body = new DownloadBody(this.#bodyOf(head, begun), this.#options.onProgress, () =>
        this.#abort(new StoreError('unreachable', new Error('the body was not read to its end'))),
      );
      return { ...head, body };
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  #afterSilence(): void {
    const { socket } = this.#reader;
    const idleMs = this.#options.idleMs ?? 0;
    const leftMs = this.#reader.isWaiting()
      ? this.#waitsSinceMs + idleMs - performance.now()
      : idleMs;
    if (leftMs < 1) this.#abort(new StoreError('timed_out'));
    else socket.setTimeout(leftMs);
  }

  /** Drops the connection. Returns the first reason, which is the one to throw. */
  #abort(reason: Error): unknown {
    this.#reason ??= reason;
    this.#reader.fail(reason);
    this.#release();
    return this.#reason;
  }

  /** Lets go of the connection. */
  #release(): void {
    this.#stopWatching();
    const { signal } = this.#options;
    if (signal) abortCalls(signal).delete(this.#onAbort);
    const { socket } = this.#reader;
    socket.removeAllListeners('timeout').on('timeout', () => socket.destroy());
  }

  async #read(): Promise<Buffer | undefined> {
    this.#waitsSinceMs = performance.now();
    try {
      return await this.#reader.read();
    } catch (error) {
      throw this.#abort(new StoreError('unreachable', error));
    }
  }

  /** Like `#read`, where more must follow. */
  async #readMore(): Promise<Buffer> {
    const piece = await this.#read();
    if (piece) return piece;
    throw this.#abort(new StoreError('unreachable', new Error('the response was cut short')));
  }

  async #readHead(): Promise<Head> {
    let head = await this.#firstBytes();
    for (;;) {
      const end = head.indexOf(END_OF_HEAD);
      if (end < 0) {
        const start = head.toString('latin1', 0, START_OF_HEAD.length);
        if (!START_OF_HEAD.startsWith(start)) throw this.#malformed('it is not HTTP');
        if (head.length > MAX_HEAD_BYTES) throw this.#malformed('its head is too long');
        head = Buffer.concat([head, await this.#readMore()]);
        continue;
      }
      const begun = head.subarray(end + END_OF_HEAD.length);
      const [statusLine = '', ...lines] = head.toString('latin1', 0, end).split('\r\n');
      const status = Number(/^HTTP\/1\.[01] ([1-5]\d\d)(?: |$)/.exec(statusLine)?.[1]);
      if (!status) throw this.#malformed('it has no status');
      // An interim response: the final one follows.
      if (status >= 200) return { status, rawHeaders: this.#fields(lines), rest: begun };
      head = begun.length > 0 ? Buffer.from(begun) : Buffer.from(await this.#readMore());
    }
  }

  async #firstBytes(): Promise<Buffer> {
    // A copy: what follows is read before it is used.
    const first = await this.#reader.read().catch((error: unknown) => {
      throw this.#reason ?? new StaleConnectionError('the store closed it', { cause: error });
    });
    if (first) return first.includes(END_OF_HEAD) ? first : Buffer.from(first);
    throw this.#reason ?? new StaleConnectionError('the store closed it');
  }

  #fields(lines: readonly string[]): string[] {
    return lines.flatMap((line) => {
      const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
      if (name === undefined || value === undefined) throw this.#malformed('a header is no field');
      return [name, value];
    });
  }

  /** RFC 9112, section 6.3. */
  #bodyOf(
    { status, rawHeaders }: Omit<Head, 'rest'>,
    begun: Buffer,
  ): AsyncGenerator<Buffer, void, undefined> {
    const length = findHeader(rawHeaders, 'content-length');
    const isClosing = /\bclose\b/i.test(findHeader(rawHeaders, 'connection') ?? '');
    if (status === 204 || status === 304) return this.#counted(begun, 0, isClosing);
    if (findHeader(rawHeaders, 'transfer-encoding') !== undefined) return this.#chunked(begun);
    if (length === undefined) return this.#untilEnd(begun);
    if (!/^\d{1,15}$/.test(length)) throw this.#malformed('its length is no number');
    return this.#counted(begun, Number(length), isClosing);
  }

  async *#counted(
    begun: Buffer,
    length: number,
    isClosing: boolean,
  ): AsyncGenerator<Buffer, void, undefined> {
    let left = length;
    let piece = begun;
    for (;;) {
      left -= piece.length;
      if (left < 0) throw this.#malformed('its body is longer than announced');
      if (piece.length > 0) yield piece;
      if (left === 0) break;
      piece = await this.#readMore();
    }
    this.#release();
    if (isClosing) this.#reader.socket.destroy();
    else this.#onFree();
  }

  async *#untilEnd(begun: Buffer): AsyncGenerator<Buffer, void, undefined> {
    for (let piece: Buffer | undefined = begun; piece; piece = await this.#read()) yield piece;
    this.#release();
  }

  async *#chunked(rest: Buffer): AsyncGenerator<Buffer, void, undefined> {
    let arrived = rest;
    const line = async (): Promise<string> => {
      while (!arrived.includes('\r\n')) {
        if (arrived.length > MAX_HEAD_BYTES) throw this.#malformed('a line is too long');
        const begun = Buffer.from(arrived);
        arrived = Buffer.concat([begun, await this.#readMore()]);
      }
      const end = arrived.indexOf('\r\n') + 2;
      const text = arrived.toString('latin1', 0, end);
      arrived = arrived.subarray(end);
      return text;
    };
    for (;;) {
      const size = Number.parseInt(/^[\da-f]{1,8}/i.exec(await line())?.[0] ?? '', 16);
      if (Number.isNaN(size)) throw this.#malformed('a chunk has no size');
      if (size === 0) break;
      for (let left = size; left > 0;) {
        if (arrived.length === 0) arrived = await this.#readMore();
        const piece = arrived.subarray(0, left);
        arrived = arrived.subarray(piece.length);
        left -= piece.length;
        yield piece;
      }
      if ((await line()) !== '\r\n') throw this.#malformed('a chunk is longer than announced');
    }
    while ((await line()) !== '\r\n');
    this.#release();
    this.#reader.socket.destroy();
  }

  #malformed(what: string): unknown {
    const error = new Error(`the response is malformed: ${what}`);
    return this.#abort(new StoreError('unreachable', error));
  }
}

class DownloadBody implements ResponseBody {
  readonly #pieces: AsyncGenerator<Buffer, void, undefined>;
  readonly #onProgress: (() => void) | undefined;
  readonly #drop: () => void;
  #isDone = false;

  constructor(
    pieces: AsyncGenerator<Buffer, void, undefined>,
    onProgress: (() => void) | undefined,
    drop: () => void,
  ) {
    this.#pieces = pieces;
    this.#onProgress = onProgress;
    this.#drop = drop;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Buffer, undefined>> {
    this.#onProgress?.();
    try {
      const result = await this.#pieces.next();
      this.#isDone = result.done === true;
      return result.done === true ? { done: true, value: undefined } : result;
    } catch (error) {
      this.#isDone = true;
      throw error;
    }
  }

  return(): Promise<IteratorResult<Buffer, undefined>> {
    this.close();
    return Promise.resolve({ done: true, value: undefined });
  }

  close(): void {
    if (!this.#isDone) this.#drop();
    this.#isDone = true;
  }
}
