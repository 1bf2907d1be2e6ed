import type { OpenedSource } from './types.ts';

/** A hash of bytes that are given one after the other. */
export interface Md5 {
  update(bytes: Uint8Array): unknown;
  digest(encoding: 'hex' | 'base64'): string;
}

/** Sends bytes that are given as a whole. Rejects if no answer came. */
export type WholePut = (put: {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Blob | Uint8Array;
  signal: AbortSignal;
  onMoved: (sentBytes: number) => void;
}) => Promise<StoreAnswer>;

/** The answer of a store to a PUT. */
export interface StoreAnswer {
  status: number;
  text: string;
}

/** What differs between runtimes. */
export interface Platform {
  /**
   * Opens a file by its path.
   *
   * @throws StorageRoutingError `source_failed` for an unreadable file, `source_size_mismatch` if
   *   its size differs from the announced one, `invalid_argument` if the runtime has no file
   *   system.
   */
  openFile(
    path: string,
    fileName: string | undefined,
    announcedBytes: number | undefined,
  ): Promise<OpenedSource>;
  createMd5(): Promise<Md5>;
  /** Undefined if `fetch` does it. */
  wholePut(): WholePut | undefined;
}
