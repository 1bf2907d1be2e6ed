/** Node's `Readable`, a web `ReadableStream`, or any generator of byte arrays. */
export type ByteStream = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/** What can be uploaded: a file by path, bytes in memory, or a stream of known size. */
export type UploadSource =
  | {
      /** The path of a file; its base name is the default file name. */
      source: string;
      fileName?: string | undefined;
      /** Verified if given. */
      fileSizeBytes?: number | undefined;
    }
  | {
      source: Blob | Uint8Array | ArrayBuffer;
      fileName: string;
      /** Verified if given. */
      fileSizeBytes?: number | undefined;
    }
  | {
      source: ByteStream;
      fileName: string;
      /** Stores require the size before the first byte. */
      fileSizeBytes: number;
    };

/** The bytes of one PUT. */
export interface PutSource {
  sizeBytes: number;
  pieces(): AsyncIterable<Uint8Array>;
  /** @throws StorageRoutingError `source_changed` if it was modified since it was opened */
  verifyUnchanged(): Promise<void>;
  /** For runtimes that send streams without a length. Undefined for files and streams. */
  whole: Blob | Uint8Array | undefined;
}

/** A source that can be read once as a whole, or in parts. */
export interface OpenedSource extends PutSource {
  fileName: string;
  /** The media type of the source itself, if known. */
  contentType: string | undefined;
  /** When the source was last written to, in milliseconds since 1970, if known. */
  modifiedAtMs: number | undefined;
  /** False for a stream: its parts are read in ascending order, each of them once. */
  isRepeatable: boolean;
  /**
   * The `sizeBytes` bytes from `start` on; they can be sent more than once. A stream is read into
   * memory for it, and what comes before `start` is dropped.
   *
   * @param onRead called after each piece that was read into memory.
   */
  part(start: number, sizeBytes: number, onRead: () => void): Promise<PutSource>;
  /** Releases what was opened; a stream that has been started is ended. */
  close(): Promise<void>;
}
