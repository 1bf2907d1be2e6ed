import type {
  MigrationUpload,
  UploadedPart,
  UploadWithParts,
} from '../adapters/mongo/migrations/migration-uploads.ts';
import type { ObjectStore } from '../adapters/object-store/object-store.ts';
import type { NotCarried } from '../domain/migrations/object-ledger.ts';
import type { TargetCapabilities } from '../domain/providers/capabilities.ts';
import type { MetadataLimits } from '../domain/providers/catalogue.ts';
import type { CopyLimits } from './copy-limits.ts';

export interface ObjectCopyDeps {
  readonly source: ObjectStore;
  readonly target: ObjectStore;
  readonly limits: CopyLimits;
  readonly progress: {
    /** Reports at intervals while a wait with a known end lasts, for `maxMs` at most. */
    reportWhile<T>(wait: Promise<T>, maxMs: number): Promise<T>;
  };
  readonly migrationId: string;
  readonly capabilities: Partial<TargetCapabilities>;
  /** The most parts of a multipart upload at the target. */
  readonly maxParts: number;
  /** What the target takes of an object's metadata. */
  readonly metadata: MetadataLimits;
  /**
   * Aborting it discards what is in flight and throws its reason. Only a write whose last byte has
   * been sent is awaited, because the target may have carried it out.
   */
  readonly signal: AbortSignal;
  /** Called before each write at the target. @throws if the migration has ended */
  readonly confirmOpen?: (() => Promise<void>) | undefined;
  /**
   * The multipart uploads that are neither completed nor aborted, and their confirmed parts: what
   * remains here, a later attempt goes on with, or a later step aborts.
   */
  readonly uploads: {
    /** Before the first part. */
    note(upload: MigrationUpload): Promise<void>;
    notePart(uploadId: string, part: UploadedPart): Promise<void>;
    /** The oldest first. */
    ofKey(targetKey: string): Promise<readonly UploadWithParts[]>;
    remove(uploadId: string): Promise<void>;
  };
  readonly sourceReads: SourceReads;
  readonly onConfirmed?: OnConfirmed | undefined;
  /** Waits between attempts of a part; rejects when the signal is aborted. Default: a timer. */
  readonly wait?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
}

export interface ObjectWriteDeps extends ObjectCopyDeps {
  /** The ETag under the key before the copy: no other object is replaced. Null: there was none. */
  readonly before: string | null;
}

/** The bytes that a round reads from its source, which its customer pays for. */
export interface SourceReads {
  /** Before a read of so many bytes. @throws MigrationStop `quote_exceeded` */
  begin(bytes: number): Promise<SourceRead>;
}

/** One read, of which the bytes that arrive count. */
export interface SourceRead {
  add(bytes: number): void;
  /** Once, however it ends. */
  close(): void;
}

/** Called with the bytes that the target has confirmed so far; 0 if the upload is aborted. */
export type OnConfirmed = (bytes: number) => void;

/** A copied object: the target holds the bytes that the source sent. */
export interface CopiedObject {
  readonly bytes: number;
  readonly sourceEtag: string;
  /** Lower-case hex. */
  readonly sha256: string;
  readonly targetEtag: string;
  readonly notCarried: readonly NotCarried[];
}
