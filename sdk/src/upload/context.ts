import type { Settings } from '../http/settings.ts';
import type { Platform } from '../source/platform.ts';
import type { CallOptions } from '../http/transport.ts';
import type { Files } from '../resources/files.ts';
import type { OnProgress } from './progress.ts';

/** What every upload of a client uses. */
export interface UploadDeps {
  settings: Settings;
  platform: Platform;
  files: Files;
}

/** What an upload needs besides its file and its source. */
export interface UploadContext extends UploadDeps {
  onProgress: OnProgress | undefined;
  options: CallOptions & { requestId: string };
}

/** How a file is divided into parts: all are equal but the last. */
export interface PartsPlan {
  fileId: string;
  /** The size of the whole file. */
  sizeBytes: number;
  partSizeBytes: number;
  partCount: number;
}

/** The size of one part, in bytes. */
export function partSize(plan: PartsPlan, partNumber: number): number {
  const { sizeBytes, partSizeBytes, partCount } = plan;
  if (partNumber < partCount) return partSizeBytes;
  return sizeBytes - (partCount - 1) * partSizeBytes;
}

/** The numbers of all parts, ascending. */
export function listPartNumbers({ partCount }: PartsPlan): number[] {
  return Array.from({ length: partCount }, (_, index) => index + 1);
}
